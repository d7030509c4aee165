"""n and N: from one item that was looked for to the next."""

import pytest
from tests.tui.conftest import Open
from tests.tui.listing import items, press, shown
from tests.tui.stage import text_of

from backlit.store import Store
from backlit.tui.lists.filter_commands import nth_match

ORDER = (10, 20, 30, 40, 50)


@pytest.mark.parametrize(
    ("here", "steps", "expected"),
    [
        (*(10, 1), (20, False)), (*(20, 1), (40, False)), (*(40, 1), (20, True)), (*(30, -1), (20, False)),
        (*(20, -1), (40, True)), (*(10, 2), (40, False)), (*(10, 3), (20, True)), (*(None, 1), (20, False)),
    ],
)  # fmt: skip
def test_the_next_hit_is_the_nearest_in_the_lists_order_and_past_an_end_the_first(
    here: int | None, steps: int, expected: tuple[int, bool]
) -> None:
    assert nth_match(ORDER, {20, 40}, here, steps) == expected


def test_where_nothing_is_found_there_is_no_hit() -> None:
    assert nth_match(ORDER, {99}, 10, 1) is None


async def test_what_was_filtered_by_is_gone_on_with_when_all_is_shown_again(store: Store, opened: Open) -> None:
    rows = await shown(store)
    word = rows[3].name.split()[0].lower()
    wanted = [row.id for row in rows if word in row.name.lower()]
    async with opened(store) as pilot:
        await press(pilot, "n")
        nothing_yet = "No search yet" in text_of(pilot.app)
        await press(pilot, "/", *word, "enter", "escape", "g", "g")
        first = wanted.index(rows[0].id) + 1 if rows[0].id in wanted else 0
        await press(pilot, "n")
        forward = items(pilot).current_id
        await press(pilot, "N")

        assert nothing_yet
        assert forward == wanted[first % len(wanted)]
        assert items(pilot).current_id == wanted[(first - 1) % len(wanted)]
