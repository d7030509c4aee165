"""The quiet signs of a row, each in its own place."""

import pytest
from msgspec.structs import replace
from tests.tui.bare_app import BareApp

from backlit.store.records.item import Item, ItemRow, RowSign
from backlit.store.views.groups import GroupLine
from backlit.tui.board.card_painter import CardPainter
from backlit.tui.board.grid import ColumnTotals
from backlit.tui.drawing.themes import VARIABLE_DEFAULTS, ThemeStyles
from backlit.tui.fields.field_edits import BulkChange, FieldEdit
from backlit.tui.items.item_commands import synced_warning
from backlit.tui.widgets.item_rows import (
    EDGE,
    NO_BADGE,
    UNESTIMATED_SIGN,
    USUAL_COLUMNS,
    Badge,
    DisplayNames,
    RowLayout,
)
from backlit.tui.widgets.name_widths import NameWidths

ROW = ItemRow(699, "Story", "A name", "Not Done", None, None, None, None, None, RowSign.NONE)
ESTIMATED = ROW._replace(estimate="2")
COLOURS = dict.fromkeys((*VARIABLE_DEFAULTS, "foreground", "background", "panel"), "#ffffff")
LOOKS = ThemeStyles(COLOURS)
NAMES = DisplayNames(lambda _id: "", lambda _id: "")
ITEM = Item(1, "Story", 1, {}, {}, "", None, "", None, RowSign.NONE)
MIRRORED = replace(ITEM, id=2, fields={"IsSyncable": True, "SyncID": 12})


@pytest.mark.parametrize(
    ("sign", "badge", "is_cursor", "is_selected", "gutter"),
    [
        (RowSign.NONE, Badge(), False, False, "     699 "),
        (RowSign.NONE, Badge(), True, False, "▌    699 "),
        (RowSign.PENDING, Badge(is_synced=True), False, False, "  ↑  699 "),
        (RowSign.NONE, Badge(is_synced=True), False, True, " ✓⇄  699 "),
        (RowSign.CONFLICT, Badge(), True, True, "▌✓≠  699 "),
        (RowSign.PENDING, Badge(is_unready=True), False, False, "  ↑  699 "),
        (RowSign.NONE, Badge(is_unready=True, is_synced=True), False, False, "  ¬  699 "),
        (RowSign.NONE, Badge(is_unready=True), False, True, " ✓   699 "),
    ],
)
async def test_cursor_selection_and_state_have_a_cell_each(
    sign: RowSign, badge: Badge, gutter: str, *, is_cursor: bool, is_selected: bool
) -> None:
    stage = BareApp()
    async with stage.run_test():
        layout = RowLayout(80, NAMES, ThemeStyles.of(stage.screen.app), largest_id=1699)
        row = ROW._replace(sign=sign)

        drawn = layout.row(row, is_cursor=is_cursor, is_selected=is_selected, badge=badge)
        assert drawn.text.startswith(gutter)


@pytest.mark.parametrize("width", [60, 150])
def test_the_ground_of_the_cursor_goes_to_the_edge(width: int) -> None:
    theme = ThemeStyles(COLOURS | {"cursor-background": "#000011"})

    drawn = RowLayout(width, NAMES, theme).row(ROW, is_cursor=True)

    assert drawn.cell_length == width
    assert {segment.style.bgcolor for segment in drawn if segment.style} == {
        theme.style(on="cursor-background").bgcolor
    }


async def test_the_points_of_a_group_are_never_cut() -> None:
    stage = BareApp()
    async with stage.run_test():
        layout = RowLayout(80, NAMES, ThemeStyles.of(stage.screen.app))
        short, long = (
            layout.group(GroupLine(("Status",), "Status", "Done", 1, 200, points, 200), is_cursor=False).text
            for points in (34.5, 1234.5)
        )

        assert " 34.5" in short
        assert " 200 items 1,234.5" in long
        assert short.index("34.5") + 4 == long.index("1,234.5") + 7


async def test_with_low_bandwidth_a_row_is_sent_in_one_colour() -> None:
    stage = BareApp()
    async with stage.run_test():
        layout = RowLayout(80, NAMES, ThemeStyles.of(stage.screen.app), largest_id=1699, is_plain=True)
        row = ROW._replace(sign=RowSign.PENDING)

        assert len([*layout.row(row, is_cursor=False, badge=Badge(is_synced=True))]) == 1
        assert len([*layout.row(row, is_cursor=True, is_selected=True)]) <= 2


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([ITEM], ""),
        ([MIRRORED], " ⇄ It is synced with another tracker, which will not be updated."),
        ([ITEM, MIRRORED], " ⇄ 1 of them is synced with another tracker, which will not be updated."),
    ],
)
def test_deleting_warns_of_what_another_tracker_mirrors(items: list[Item], words: str) -> None:
    assert synced_warning(items) == words


def test_a_change_of_several_counts_those_that_another_tracker_mirrors() -> None:
    plan = BulkChange(
        FieldEdit("Done", (), lambda _item: {}), 2, {1: ITEM, 2: MIRRORED}, {1: {"Name": "a"}, 2: {"Name": "b"}}
    )

    assert plan.synced == 1


@pytest.mark.parametrize(("status", "is_marked"), [("Not Done", True), ("Done", False)])
def test_lists_and_cards_mark_a_missing_estimate_on_open_items_alone(status: str, is_marked: bool) -> None:
    row = ROW._replace(status=status)
    line = RowLayout(80, NAMES, LOOKS).row(row, is_cursor=False)
    painter = CardPainter(LOOKS, NAMES, has_status=False, has_owner=True)
    card = painter.card(row, 40, 3, is_cursor=False, is_selected=False, badge=NO_BADGE)

    assert (UNESTIMATED_SIGN in line.text) is is_marked
    assert (UNESTIMATED_SIGN in "".join(each.text for each in card)) is is_marked


def test_each_part_of_a_name_that_is_sought_is_underlined_in_rows_and_on_cards() -> None:
    row = ROW._replace(name="Session is lost on tablets")
    layout = RowLayout(80, NAMES, LOOKS, sought=("tab", "ses", "more"))
    painter = CardPainter(LOOKS, NAMES, has_status=False, has_owner=True, sought=("tab", "ses", "more"))
    card = painter.card(row, 40, 3, is_cursor=False, is_selected=False, badge=NO_BADGE)

    found = [
        [part.text for part in line if part.style and part.style.underline and part.style.bold]
        for line in (layout.row(row, is_cursor=False), card[0])
    ]

    assert found == [["Ses", "tab"], ["Ses", "tab"]]


def test_a_narrow_column_names_the_key_of_all_its_cards_whole() -> None:
    painter = CardPainter(LOOKS, NAMES, has_status=True, has_owner=True)
    totals = ColumnTotals(74, 10)

    assert painter.foot(1, 4, 40, totals).text.rstrip() == "  1 more ↑  4 more ↓  zo all 74"
    assert painter.foot(1, 4, 22, totals).text.rstrip() == "  1 ↑  4 ↓  zo all 74"


def test_cards_without_a_blank_between_them_have_different_grounds() -> None:
    looks = ThemeStyles({**VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000", "surface": "#222222"})
    painter = CardPainter(looks, NAMES, has_status=False, has_owner=True)

    grounds = [
        {
            part.style.bgcolor
            for line in painter.card(ROW, 40, 2, is_cursor=False, is_selected=False, badge=NO_BADGE, on=on)
            for part in line
            if part.style
        }
        for on in ("surface", None)
    ]

    assert len(grounds[0]) == len(grounds[1]) == 1
    assert grounds[0] != grounds[1]


def test_a_card_fills_the_last_line_of_its_title() -> None:
    painter = CardPainter(LOOKS, NAMES, has_status=False, has_owner=True)
    row = ROW._replace(name="Session is lost when the network changes on tablets in spring")

    card = painter.card(row, 30, 3, is_cursor=False, is_selected=False, badge=NO_BADGE)

    assert [each.text.strip() for each in card[:2]] == ["▌ Session is lost when the", "▌ network changes on tablets…"]


@pytest.mark.parametrize("width", range(22, 60))
def test_a_card_of_two_lines_has_points_beside_a_long_name_and_an_owner_beside_a_whole_one(width: int) -> None:
    painter = CardPainter(LOOKS, DisplayNames(lambda _id: "kofi", lambda _id: ""), has_status=False, has_owner=True)
    row = ROW._replace(name="Session is lost when the network changes", estimate="13", owner_id=7)

    name, facts = (
        each.text for each in painter.card(row, width, 2, is_cursor=False, is_selected=False, badge=NO_BADGE)
    )

    assert facts.split()[-3:] == ["◆", "#699", "13"]
    assert "kofi" not in facts or "…" not in name + facts


@pytest.mark.parametrize(("width", "shown"), [(120, "rather long …"), (196, "long for its list ")])
def test_names_have_the_cells_that_no_column_needs(width: int, shown: str) -> None:
    row = ROW._replace(name="A name that is rather long for its list")
    names = replace(NAMES, iteration=lambda _id: "Sprint 14")
    layout = RowLayout(width, names, LOOKS, name_widths=NameWidths(near=27, whole=46))

    assert shown in layout.row(row, is_cursor=False).text
    assert [each.title for each in layout.columns[-2:]] == ["Area", "Tags"]


@pytest.mark.parametrize("width", [100, 117, 118, 240])
def test_the_last_column_ends_where_lines_do_whatever_names_leave(width: int) -> None:
    columns = [replace(each, is_usual=False) for each in USUAL_COLUMNS]
    layout = RowLayout(width, NAMES, LOOKS, columns=columns, name_widths=NameWidths(near=27, whole=27))

    shown = layout.row(ESTIMATED, is_cursor=False).text.rstrip()
    assert shown.endswith("  2")
    assert len(shown) == width - EDGE


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("▲ #172 Deliveries · ━━━━━━━─ 24/27 pts", f"24/27 pts {'─' * 29} 8 items "),
        ("Kofi Mensah", f"Kofi Mensah {'─' * 47} 8 items · 27 pts "),
    ],
)
def test_the_header_of_a_lane_says_its_points_once(name: str, shown: str) -> None:
    names = replace(NAMES, group=lambda _line: name)
    painter = CardPainter(LOOKS, names, has_status=False, has_owner=True)
    header = GroupLine((172,), "AssignedToID", 172, 1, 8, 27.0, 8)

    assert shown in painter.lane(header, 80, is_cursor=False).text


@pytest.mark.parametrize(("is_folded", "sign"), [(False, "▾"), (True, "▸")])
def test_the_header_of_a_lane_has_a_rule_from_its_name_to_its_sums(is_folded: bool, sign: str) -> None:
    painter = CardPainter(LOOKS, replace(NAMES, group=lambda _line: "Kofi Mensah"), has_status=False, has_owner=True)
    header = GroupLine((172,), "AssignedToID", 172, 1, 8, 27.0, 8, is_folded=is_folded)

    assert painter.lane(header, 59, is_cursor=False).text.strip() == f"{sign} Kofi Mensah {'─' * 26} 8 items · 27 pts"


def test_the_line_below_lanes_has_the_key_that_shows_all_done_cards_at_its_right() -> None:
    painter = CardPainter(LOOKS, NAMES, has_status=False, has_owner=True)

    assert painter.lanes([], 0, 60, None, 11).text.split() == ["zo", "all", "11", "done"]
    assert painter.lanes([], 0, 60, None, 11).text.endswith(" all 11 done")
    assert painter.lanes([], 3, 40, None, 11).text.split() == ["3", "more", "lanes", "↓", "}", "next", "lane"]


@pytest.mark.parametrize(
    ("lines", "has_words", "row", "badge", "facts"),
    [
        (3, True, ESTIMATED, Badge(is_unready=True), "◆ #699 ¬ not ready kofi 2"),
        (3, False, ESTIMATED, Badge(is_unready=True), "◆ #699 ¬ kofi 2"),
        (3, True, ESTIMATED, Badge(blockers=2), "◆ #699 blocked kofi 2"),
        (3, False, ESTIMATED, Badge(blockers=2), "◆ #699 ⊣2 kofi 2"),
        (2, True, ROW, Badge(is_unready=True), "¬ kofi ◆ #699 –"),
        (2, True, ESTIMATED, Badge(blockers=2), "⊣2 kofi ◆ #699 2"),
    ],
)
def test_a_started_card_says_what_it_lacks_by_a_sign_with_words_where_its_board_has_them(
    lines: int, has_words: bool, row: ItemRow, badge: Badge, facts: str
) -> None:
    row = row._replace(status="In Progress", owner_id=7)
    painter = CardPainter(LOOKS, replace(NAMES, owner=lambda _id: "kofi"), has_status=False, has_owner=True)
    width = painter.width_with_words()

    card = painter.card(row, width, lines, is_cursor=False, is_selected=False, badge=badge, has_words=has_words)

    assert card[-1].text.removeprefix("▌ ").split() == facts.split()


@pytest.mark.parametrize(("width", "facts"), [(34, "◐ In progress  ◆ #699   2"), (22, "◐  ◆ #699   2")])
def test_a_card_names_its_status_by_its_sign_where_the_word_does_not_fit(width: int, facts: str) -> None:
    painter = CardPainter(LOOKS, NAMES, has_status=True, has_owner=False)
    row = ESTIMATED._replace(status="In Progress")

    drawn = painter.card(row, width, 2, is_cursor=False, is_selected=False, badge=NO_BADGE)[1].text

    assert drawn.removeprefix("▌ ").split() == facts.split()


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (ROW, "list, by far"),
        (ROW._replace(status="Active"), "list, by far ◐"),
        (ROW._replace(owner_id=7), "for its list,… kofi"),
        (ROW._replace(iteration_id=9), "rather long … Sprint 14"),
    ],
)
def test_a_name_goes_on_in_the_empty_cells_behind_it(row: ItemRow, shown: str) -> None:
    row = row._replace(name="A name that is rather long for its list, by far", estimate="13")
    names = replace(
        NAMES, owner=lambda each: "kofi" if each else "", iteration=lambda each: "Sprint 14" if each else ""
    )
    layout = RowLayout(72, names, LOOKS)

    drawn = layout.row(row, is_cursor=False)

    assert drawn.cell_length == 72
    assert " ".join(drawn.text.split()).endswith(f"{shown} 13")


def test_a_long_name_leaves_the_cells_of_status_and_points_free() -> None:
    long = ROW._replace(name="A name that is rather long for its list, " * 3, type="Feedback")
    layout = RowLayout(72, NAMES, LOOKS)
    started = layout.row(long._replace(status="Active", estimate="13"), is_cursor=False).text

    drawn = layout.row(long, is_cursor=False).text

    assert drawn.rindex("…") == started.rindex("…") == started.rindex("◐") - 3
