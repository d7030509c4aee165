"""The screens under each way of drawing: by frames, by Textual without frames, and with a Textual that is not known."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import textual
from tests.store.documents import item, node, offline_store, places_in, put_nouns
from tests.store.world import until
from tests.tui.bare_app import text_of
from tests.tui.list_steps import items, press
from textual.pilot import Pilot

from backlit.store import Store
from backlit.store.files.files import kept_value
from backlit.store.views.preferences import START_PROBLEMS
from backlit.tui.app.app import BacklitApp
from backlit.tui.board.screen import BoardScreen
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.drawing import textual_private
from backlit.tui.drawing.framed_app import FRAME_DIFF_SWITCH
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.plan.screen import PlanScreen

FRAMES, NO_FRAMES, UNKNOWN_TEXTUAL = "frames", "no frames", "unknown Textual"


@pytest.fixture(params=[FRAMES, NO_FRAMES, UNKNOWN_TEXTUAL])
def drawing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    way: str = request.param
    if way == NO_FRAMES:
        monkeypatch.setenv(FRAME_DIFF_SWITCH, "0")
    if way == UNKNOWN_TEXTUAL:
        (tmp_path / "packages" / "textual-8.9.0.dist-info").mkdir(parents=True)
        monkeypatch.setattr(textual, "__file__", str(tmp_path / "packages" / "textual" / "__init__.py"))
    textual_private.fault.cache_clear()
    yield way
    textual_private.fault.cache_clear()


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Store]:
    with offline_store(tmp_path, [item(1), item(2, kind="Bug"), item(3)]) as store:
        put_nouns(store, iterations=[node(1, "Aurora"), node(2, "Sprint 1", parent_id=1)])
        yield store


def has_screen(pilot: Pilot[None], kind: type[object]) -> bool:
    return isinstance(pilot.app.screen, kind)


async def test_backlog_answers_keys_under_each_way_of_drawing(drawing: str, filled: Store) -> None:
    app = BacklitApp(filled)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await press(pilot, "j")
        moved_to = items(pilot).current_id
        await press(pilot, "/", *"type:bug", "enter")
        filtered = text_of(app)

        assert (app.painter is not None) == (drawing == FRAMES)
        assert moved_to == 2
        assert "Item 2" in filtered
        assert "Item 3" not in filtered


@pytest.mark.slow
async def test_screens_open_under_each_way_of_drawing(drawing: str, filled: Store) -> None:
    app = BacklitApp(filled)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await press(pilot, "enter")
        await until(lambda: has_screen(pilot, ItemEditorScreen), lambda: text_of(app))
        assert "Item 1" in text_of(app)

        await press(pilot, "escape")
        await press(pilot, "c", "s")
        assert has_screen(pilot, PickDialog)

        await press(pilot, "escape")
        await press(pilot, "g", "k")
        await until(lambda: has_screen(pilot, BoardScreen), lambda: text_of(app))
        assert "Item 1" in text_of(app)

        await press(pilot, "g", "p")
        await until(lambda: has_screen(pilot, PlanScreen), lambda: text_of(app))
        assert "Item 1" in text_of(app)


async def test_start_keeps_the_reason_of_slower_drawing_for_doctor(drawing: str, filled: Store, tmp_path: Path) -> None:
    sentence = (
        "Textual draws the screens itself, which is slower: "
        "Textual 8.9 is newer than 8.2, the newest that was tested. Update backlit."
    )
    async with BacklitApp(filled).run_test(size=(120, 40), notifications=True) as pilot:
        await press(pilot)
    filled.close()

    assert (kept_value(places_in(tmp_path).journal, START_PROBLEMS) or []) == (
        [sentence] if drawing == UNKNOWN_TEXTUAL else []
    )
