"""The bytes on the wire for what others do: little to show it, and less to take it away."""

import pytest
from rich.color import ColorSystem
from tests.store.world import World
from tests.tui.list_steps import items
from tests.tui.opened import Open
from textual.geometry import Size
from textual.strip import Strip

from backlit.store.records.others import OthersAct, OthersEdit
from backlit.tui.drawing.frame import Frame

MOST_TO_SHOW, MOST_TO_TAKE_AWAY = 120, 60
WIDTH = 160


def written(*pictures: Strip) -> list[int]:
    """The bytes from each picture of one line to the next."""
    frame, found = Frame(), []
    frame.resize(Size(WIDTH, 1))
    for strip in pictures:
        frame.put(0, 0, strip, ColorSystem.TRUECOLOR)
        found.append(len(frame.flush().encode()))
    return found[1:]


@pytest.mark.parametrize("place", [0, 3])
async def test_a_row_says_who_changed_it_for_few_bytes(world: World, opened: Open, place: int) -> None:
    store = await world.online()
    async with opened(store, (WIDTH, 40)) as pilot:
        rows = items(pilot)
        view = rows.view
        assert view is not None
        item_id = view.id_at(place) or 0
        plain = rows.render_line(place + rows.HEADER_LINES)

        store.recent_edits.note([OthersEdit(item_id, 2, OthersAct.CHANGED)], {})
        rows.rows_changed({item_id})
        signed = rows.render_line(place + rows.HEADER_LINES)

        shown, taken_away = written(plain, signed, plain)
        assert plain.text != signed.text
        assert shown <= MOST_TO_SHOW
        assert taken_away <= MOST_TO_TAKE_AWAY
