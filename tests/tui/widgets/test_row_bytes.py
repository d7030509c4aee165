"""The bytes that a step of the cursor and a page cost on the wire, over the sample of the pictures."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.color import ColorSystem
from tests.quiet import strips_of
from tests.screenshots import opened, settled, write_workspace
from textual.geometry import Size
from textual.strip import Strip

from backlit.tui.drawing.frame import Frame
from backlit.tui.widgets.view_list import BacklogList

MOST_FOR_STEP, MOST_FOR_COLUMN, MOST_FOR_PAGE = 400, 650, 3_500


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_workspace(tmp_path_factory.mktemp("workspace"))


def lines_at(items: BacklogList, top: int, cursor: int) -> Sequence[Strip]:
    items.top, items.cursor = top, cursor
    return [items.render_line(y) for y in range(items.size.height)]


def bytes_between(before: Sequence[Strip], after: Sequence[Strip]) -> int:
    """The bytes from one picture of a list, which a preview stands beside, to another."""
    frame = Frame()
    frame.resize(Size(120, len(before)))
    for lines in (before, after):
        for y, strip in enumerate(lines):
            frame.put(0, y, strip, ColorSystem.TRUECOLOR)
        written = frame.flush()
    return len(written.encode())


@pytest.mark.slow
async def test_a_step_and_a_page_of_the_sample_cost_no_more_than_their_budgets(workspace: Path, tmp_path: Path) -> None:
    async with opened("backlog", tmp_path, workspace, (120, 40)) as pilot:
        await settled(pilot)
        items = pilot.app.screen.query_one(BacklogList)
        page, count = items.page, items.row_count()
        steps = {
            at: bytes_between(lines_at(items, top, at), lines_at(items, top, at + 1))
            for top in range(0, count - page, page)
            for at in range(top, top + page - 1)
        }
        pages = {
            top: bytes_between(lines_at(items, top, top), lines_at(items, top + page, top + page))
            for top in range(0, count - 2 * page, page)
        }

        assert len(steps) > 2 * page
        assert {at: cost for at, cost in steps.items() if cost > MOST_FOR_STEP} == {}
        assert {top: cost for top, cost in pages.items() if cost > MOST_FOR_PAGE} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scene", "keys", "most"),
    [
        ("board", "jjjkj", MOST_FOR_STEP),
        ("board", "hlhl", MOST_FOR_COLUMN),
        ("board-lanes", "jjkjj", MOST_FOR_STEP),
        ("plan", "jjjj", MOST_FOR_STEP),
    ],
)
@pytest.mark.long_but("board")
async def test_a_step_on_the_board_and_in_the_plan_costs_no_more_than_its_budget(
    workspace: Path, tmp_path: Path, scene: str, keys: str, most: int
) -> None:
    async with opened(scene, tmp_path, workspace, (120, 40)) as pilot:
        await settled(pilot)
        costs, before = list[int](), strips_of(pilot.app)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
            after = strips_of(pilot.app)
            costs.append(bytes_between(before, after))
            before = after

        assert min(costs) > 0
        assert max(costs) <= most, costs
