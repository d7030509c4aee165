"""The next sprints below the velocity."""

from backlit.tui.reports.upcoming import UPCOMING_HEADING, UpcomingSprint, upcoming_rows


def texts(rows: list[tuple[tuple[str, str], ...]]) -> list[str]:
    return ["".join(text for text, _ in row) for row in rows]


def test_each_sprint_says_what_is_free_or_over_and_has_a_bar_with_the_velocity() -> None:
    rows = upcoming_rows([UpcomingSprint("Sprint 15", 10.0), UpcomingSprint("Sprint 16", 24.0)], 18.0, 24, 9)

    assert texts(rows) == [
        "",
        f"{UPCOMING_HEADING} pts",
        "Sprint 15  10     8 free",
        "██████████████████│█████",
        "",
        "Sprint 16  24     6 over",
        "██████████████████│█████",
    ]
    assert [colour for text, colour in rows[3] if text == "█" * 5] == ["bar-track"]
    assert [colour for text, colour in rows[6] if text == "█" * 5] == ["bar-over"]


def test_only_sprints_with_room_are_shown_and_none_without_a_velocity() -> None:
    sprints = [UpcomingSprint(f"Sprint {number}", 1.0) for number in range(3)]

    assert len([each for each in texts(upcoming_rows(sprints, 18.0, 24, 6)) if each.startswith("Sprint")]) == 1
    assert upcoming_rows(sprints, 0.0, 24, 30) == []
    assert upcoming_rows(sprints, 18.0, 24, 4) == []
