"""n and N: from one item that was looked for to the next."""

import pytest
from tests.quiet import strips_of
from tests.tui.bare_app import text_of
from tests.tui.list_steps import items, press, shown
from tests.tui.opened import Open

from backlit.store import Store
from backlit.tui.lists.list_commands import nth_match

ORDER = (10, 20, 30, 40, 50)


@pytest.mark.parametrize(
    ("here", "steps", "expected"),
    [
        (*(10, 1), (20, False)), (*(20, 1), (40, False)), (*(40, 1), (20, True)), (*(30, -1), (20, False)),
        (*(20, -1), (40, True)), (*(10, 2), (40, False)), (*(10, 3), (20, True)), (*(None, 1), (20, False)),
    ],
)  # fmt: skip
def test_the_next_match_follows_the_order_of_the_list_and_wraps_around(
    here: int | None, steps: int, expected: tuple[int, bool]
) -> None:
    assert nth_match(ORDER, {20, 40}, here, steps) == expected


def test_a_list_without_matches_has_no_next_match() -> None:
    assert nth_match(ORDER, {99}, 10, 1) is None


@pytest.mark.slow
async def test_n_continues_the_last_search_after_the_filter_is_cleared(store: Store, opened: Open) -> None:
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


@pytest.mark.parametrize("typed", ["SES", "type:bug ses"])
async def test_the_part_of_a_name_that_was_searched_for_is_underlined(store: Store, opened: Open, typed: str) -> None:
    async with opened(store) as pilot:
        await press(pilot, "/", *("space" if sign == " " else sign for sign in typed))
        rows = [strip for strip in strips_of(pilot.app)[3:30] if "session" in strip.text.lower()]
        marked = {part.text.lower() for strip in rows for part in strip if part.style and part.style.underline}

        assert marked == {"ses"}
