"""Commands of the board against a target without a screen: columns, swimlanes, moves, and what is kept."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.config.settings_text import settings_in
from tests.store.documents import item, offline_store, put_nouns
from tests.tui.target import FakeTarget, rows_of, run

from backlit.model.errors import BadRequest
from backlit.model.settings.user_settings import USUAL_BOARD, BoardSettings, ColumnSettings
from backlit.store import Store, ViewSpec
from backlit.tui.board.columns import BoardArrangement
from backlit.tui.board.position import BoardPosition, RowPosition
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.fields.choices import Choice
from backlit.tui.fields.names import ListNames

SETTINGS = BoardSettings(column=(ColumnSettings("Status", ("In Progress", "Active"), limit=1),))


class FakeBoard(FakeTarget):
    """A board with its columns and the current one, and no list that draws it."""

    class Collapsed:
        """The message that a column was collapsed."""

    def __init__(self, store: Store, ids: Sequence[int] = (), answers: Sequence[object] = ()) -> None:
        super().__init__(store, ids, answers)
        self.arrangement = BoardArrangement(store, SETTINGS, ListNames(store))
        self.board = self
        self.position = BoardPosition(self.arrangement.columns_of)
        self.spec = self.arrangement.arranged(ViewSpec(with_done=True))
        self.posted = 0
        self.current_id: int | None = None
        self.laid_out = self
        self.is_in_sight = True

    async def show(self) -> "FakeBoard":
        view = self.store.view(self.spec)
        await view.load()
        self.position.show(view, None, RowPosition())
        return self

    def show_spec(self, spec: ViewSpec) -> None:
        self.spec = self.arrangement.arranged(spec)

    def slot(self, _column: int) -> bool:
        return self.is_in_sight

    def go_to_column(self, column: int) -> None:
        self.position.enter(column, None, RowPosition())

    def regrid(self, _item_id: int | None = None) -> None:
        self.position.regrid(None, 0)

    def post_message(self, _message: object) -> None:
        self.posted += 1

    def kept(self) -> tuple[str, str, object]:
        """Return the arrangement that another start finds."""
        again = BoardArrangement(self.store, SETTINGS, ListNames(self.store))
        found = again.restore()
        return again.by, again.lanes, dict(found.collapsed)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    statuses = {1: "Not Done", 2: "In Progress", 3: "Done"}
    with offline_store(tmp_path, [item(each, Status=status) for each, status in statuses.items()]) as store:
        put_nouns(store, user=[{"id": 3, "name": "zoe"}])
        yield store


async def test_columns_by_another_field_forget_what_was_collapsed_and_its_lanes(store: Store) -> None:
    target = await FakeBoard(store, answers=[None]).show()
    await run(target, "board.lanes", text="owner")
    target.position.collapsed = {"Done": True}
    await run(target, "board.columns")
    before = (target.arrangement.by, target.arrangement.lanes, dict(target.position.collapsed))
    target.answers = [Choice("Status", ""), Choice("AssignedToID", "")]
    await run(target, "board.columns")
    same = dict(target.position.collapsed)
    await run(target, "board.columns")

    dialog = target.asked[0]
    assert isinstance(dialog, PickDialog)
    assert dialog.current is not None
    assert dialog.current.value == "Status"
    assert "AssignedToID" in [each.value for each in rows_of(dialog)]
    assert before == ("Status", "AssignedToID", {"Done": True})
    assert same == {"Done": True}
    assert target.position.collapsed == {}
    assert target.spec.group == ("AssignedToID",)
    assert target.spec.with_done is False
    assert target.kept() == ("AssignedToID", "", {})


async def test_lanes_are_typed_or_picked_and_kept_with_what_is_collapsed(store: Store) -> None:
    target = await FakeBoard(store, answers=[Choice("type", ""), None, Choice("", "")]).show()
    target.position.collapsed = {"Done": True}
    await run(target, "board.lanes", text="type")
    assert (target.spec.group, target.kept()) == (("type", "Status"), ("Status", "type", {"Done": True}))
    await run(target, "board.lanes", text="none")
    assert target.spec.group == ("Status",)
    with pytest.raises(BadRequest, match="Cannot make swimlanes by status"):
        await run(target, "board.lanes", text="status")
    for expected in (("type", "Status"), ("type", "Status"), ("Status",)):
        await run(target, "board.lanes")
        assert target.spec.group == expected

    first = rows_of(target.asked[0])
    assert first[0] == Choice("", "no swimlanes")
    assert "Status" not in [each.value for each in first]
    assert target.kept() == ("Status", "", {"Done": True})


async def test_moves_go_by_the_count_and_name_a_limit_that_they_exceed(store: Store) -> None:
    target = await FakeBoard(store, [1]).show()
    await run(target, "board.move-right")
    first = store.item(1)
    await run(await FakeBoard(store, [1]).show(), "board.move-right", 2)
    second = store.item(1)
    back = await FakeBoard(store, [1]).show()
    await run(back, "board.move-left", 9)
    third = store.item(1)

    assert first is not None
    assert second is not None
    assert third is not None
    assert [each.fields["Status"] for each in (first, second, third)] == ["In Progress", "Done", "Not Done"]
    assert target.said[-1] == "! In Progress is over its limit: 2 of 1."
    assert not [each for each in back.said if "limit" in each]


async def test_columns_are_gone_to_up_to_the_last_and_collapse_twice(store: Store) -> None:
    target = await FakeBoard(store).show()
    last = len(target.position.grid.columns) - 1
    found = []
    for command, count in (("right", None), ("right", 2), ("right", 99), ("left", None), ("left", 99)):
        await run(target, f"board.{command}", count)
        found.append(target.position.column)
    assert found == [1, 3, last, last - 1, 0]

    states = []
    for _ in range(2):
        await run(target, "board.collapse")
        states.append(dict(target.position.collapsed))
    assert states == [{"Not Done": True}, {"Not Done": False}]
    assert target.posted == 2
    with pytest.raises(CannotAct, match="no columns"):
        await run(FakeBoard(store), "board.collapse")


async def test_all_done_cards_are_shown_and_hidden_again(store: Store) -> None:
    target = await FakeBoard(store).show()
    states = []
    for _ in range(2):
        await run(target, "board.all-done")
        states.append(target.position.has_all_done)
    assert (states, target.said) == ([True, False], [])
    target.is_in_sight = False
    await run(target, "board.all-done")
    assert [each.startswith("Done shows 1 of 1 ") for each in target.said] == [True]
    target.show_spec(ViewSpec(query="estimate:3", with_done=True))
    with pytest.raises(CannotAct, match="No column is limited"):
        await run(target, "board.all-done")


@pytest.mark.parametrize(
    "text", ['[board]\ncolumns = "status"', '[board]\nlanes = ""', '[[board.column]]\nvalues = ["Done"]']
)
async def test_a_changed_table_of_the_board_counts_more_than_what_was_chosen_before(store: Store, text: str) -> None:
    board = settings_in(text).board
    assert board is not None
    names = ListNames(store)
    chosen = BoardArrangement(store, USUAL_BOARD, names)
    chosen.by = "AssignedToID"
    await chosen.save({})
    written = BoardArrangement(store, board, names)
    by = written.restore().columns
    written.by = "Severity"
    await written.save({})

    assert by == "Status"
    assert BoardArrangement(store, board, names).restore().columns == "Severity"
    assert BoardArrangement(store, USUAL_BOARD, names).restore().columns == "Status"
