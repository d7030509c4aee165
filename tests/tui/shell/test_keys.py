"""The resolver of chords and counts, and the table of commands."""

import inspect
import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from backlit.model.settings.key_sequences import spelled
from backlit.tui.app.app import BacklitApp
from backlit.tui.backlog.screen import BacklogScreen
from backlit.tui.board.board_list import BoardList
from backlit.tui.board.screen import BoardScreen
from backlit.tui.commands.command import Command, Context
from backlit.tui.commands.table import COMMAND_BY_ID, COMMANDS, commands_in
from backlit.tui.shell.dispatch import COUNT_LIMIT, Outcome, PartialChord, Passed, PendingCommand, Resolver, Unknown
from backlit.tui.widgets.view_list import BacklogList

HERE = Path(__file__).parents[3] / "src" / "backlit" / "tui"
BACKLOG = (Context.MOVES, Context.LIST, Context.ITEM, Context.GLOBAL)
STACKS = [
    BACKLOG,
    (Context.BOARD, *BACKLOG),
    (Context.TREE, Context.MOVES, Context.GLOBAL),
    (Context.PLAN, *BACKLOG),
    (Context.MOVES, Context.EDITOR, Context.ITEM, Context.GLOBAL),
    (Context.COMMENTS, Context.MOVES, Context.ITEM, Context.GLOBAL),
    (Context.ATTACHMENTS, Context.MOVES, Context.DETAIL, Context.GLOBAL),
    (Context.OUTBOX, Context.MOVES, Context.GLOBAL),
    (Context.INBOX, Context.MOVES, Context.GLOBAL),
    (Context.REPORTS, Context.MOVES, Context.DETAIL, Context.GLOBAL),
    (Context.GROOM, Context.ITEM, Context.GLOBAL),
    (Context.SUMMARY, Context.MOVES, Context.DETAIL, Context.GLOBAL),
]
"""The contexts as they stand on the screens, nearest first."""
OVERRIDES = {
    *((key, Context.PLAN) for key in ("{", "}", "u", "ctrl+r", "tab", "shift+tab", "<", ">", "g s", "g x")),
    *((key, Context.EDITOR) for key in ("q", "escape", "enter", "i", "e", "x", "g =", "g P")),
    ("escape", Context.LIST),
    *((key, Context.BOARD) for key in ("h", "l", "left", "right", "t g", "t c", "L")),
    *((key, Context.COMMENTS) for key in ("a", "C", "d", "e", "E", "y y", "R", "q", "escape")),
    *((key, Context.ATTACHMENTS) for key in ("q", "escape")),
    *((key, Context.GROOM) for key in ("q", "escape", "enter", "C")),
    *((key, Context.SUMMARY) for key in ("q", "escape")),
    ("escape", Context.INBOX),
}
"""Keys that a context takes from those behind it, on purpose."""
TAKEN_BY_TERMINALS = ("ctrl+a", "ctrl+b", "ctrl+i", "ctrl+m", "ctrl+h", "ctrl+[", "ctrl+q")


def typed(resolver: Resolver, keys: str, contexts: tuple[Context, ...] = BACKLOG) -> list[Outcome]:
    return [resolver.feed(key, contexts) for key in keys.split()]


def run(command_id: str, count: int | None = None) -> PendingCommand:
    return PendingCommand(COMMAND_BY_ID[command_id], count)


# The resolver


def test_a_single_key_runs_its_command() -> None:
    assert typed(Resolver(), "j") == [run("list.down")]


def test_a_chord_waits_for_its_end() -> None:
    assert typed(Resolver(), "g b") == [PartialChord(("g",)), run("app.backlog")]


def test_digits_are_the_count_of_the_next_command() -> None:
    assert typed(Resolver(), "1 0 j j")[2:] == [run("list.down", 10), run("list.down")]


def test_a_count_reaches_a_chord() -> None:
    assert typed(Resolver(), "4 2 g g")[-1] == run("list.first", 42)


def test_zero_begins_no_count() -> None:
    assert typed(Resolver(), "0") == [Passed()]


def test_a_digit_may_end_a_chord() -> None:
    assert typed(Resolver(), "f 0")[-1] == run("list.no-filter")


def test_a_count_has_a_limit() -> None:
    assert typed(Resolver(), "9 " * 40 + "j")[-1] == run("list.down", COUNT_LIMIT)


def test_an_unbound_key_after_a_count_is_named() -> None:
    assert typed(Resolver(), "3 ctrl+f1 j")[1:] == [Unknown(("ctrl+f1",)), run("list.down")]


def test_zero_is_not_the_number_of_a_view() -> None:
    assert typed(Resolver(), "g 1")[-1] == PendingCommand(COMMAND_BY_ID["view.go"], None, "1")
    assert typed(Resolver(), "g 0")[-1] == Unknown(("g", "0"))


def test_there_are_no_counts_in_the_editor() -> None:
    assert typed(Resolver(), "3", (Context.EDITOR, Context.GLOBAL)) == [Passed()]


@pytest.mark.parametrize(
    "stack", [stack for stack in STACKS if Context.MOVES in stack], ids=lambda stack: stack[0].name
)
def test_there_are_counts_wherever_rows_are(stack: tuple[Context, ...]) -> None:
    last = typed(Resolver(), "3 j", stack)[-1]

    assert isinstance(last, PendingCommand)
    assert last.count == 3


def test_in_the_groom_queue_digits_are_answers() -> None:
    answer, other = COMMAND_BY_ID["groom.answer"], COMMAND_BY_ID["groom.other"]

    assert typed(Resolver(), "3 0", (Context.GROOM, Context.ITEM, Context.GLOBAL)) == [
        PendingCommand(answer, None, "3"),
        PendingCommand(other, None),
    ]


def test_a_chord_that_leads_nowhere_is_named_and_forgotten() -> None:
    resolver = Resolver()

    assert typed(resolver, "g X j") == [PartialChord(("g",)), Unknown(("g", "X")), run("list.down")]


def test_a_key_of_nobody_is_passed_on() -> None:
    assert typed(Resolver(), "ctrl+f1") == [Passed()]


def test_cancelling_forgets_chord_and_count() -> None:
    resolver = Resolver()
    typed(resolver, "4 g")

    assert resolver.cancel()
    assert not resolver.cancel()
    assert typed(resolver, "j") == [run("list.down")]


def test_what_can_follow_a_chord_is_known() -> None:
    resolver = Resolver()
    typed(resolver, "z")

    assert dict(resolver.continuations(BACKLOG)) == {
        "z": COMMAND_BY_ID["list.centre"],
        "t": COMMAND_BY_ID["list.to-top"],
        "b": COMMAND_BY_ID["list.to-bottom"],
        "a": COMMAND_BY_ID["list.toggle"],
        "M": COMMAND_BY_ID["list.fold-all"],
        "R": COMMAND_BY_ID["list.unfold-all"],
        "h": COMMAND_BY_ID["list.columns-left"],
        "l": COMMAND_BY_ID["list.columns-right"],
    }


def test_the_nearest_context_wins() -> None:
    assert typed(Resolver(), "q", (Context.EDITOR, Context.GLOBAL)) == [run("editor.close")]


@pytest.mark.parametrize("key", ["j", "?", "1", "q", ":"])
def test_in_a_text_letters_are_letters(key: str) -> None:
    assert Resolver().feed(key, BACKLOG, in_text=True) == Passed()


def test_a_text_ends_the_chord_that_was_begun_before_it() -> None:
    resolver = Resolver()
    typed(resolver, "3 g")
    resolver.feed("x", BACKLOG, in_text=True)

    assert typed(resolver, "j") == [run("list.down")]


@pytest.mark.parametrize(("key", "command_id"), [("escape", "list.unwind"), ("ctrl+p", "app.palette")])
def test_in_a_text_some_commands_still_act(key: str, command_id: str) -> None:
    assert Resolver().feed(key, BACKLOG, in_text=True) == run(command_id)


# The table


def sequences(contexts: tuple[Context, ...]) -> list[tuple[str, Command]]:
    return [(keys, command) for command in commands_in(contexts) for keys in command.keys]


@pytest.mark.parametrize("context", list(Context))
def test_no_two_commands_of_a_context_share_keys(context: Context) -> None:
    counts = Counter(keys for keys, _ in sequences((context,)))

    assert [keys for keys, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("stack", STACKS, ids=lambda stack: stack[0].name)
def test_no_command_hides_another_of_the_same_screen(stack: tuple[Context, ...]) -> None:
    pairs = product(sequences(stack), repeat=2)
    hidden = {
        (keys, one.context)
        for (keys, one), (other_keys, other) in pairs
        if one is not other
        and (
            (other_keys == keys and stack.index(one.context) <= stack.index(other.context))
            or other_keys.startswith(f"{keys} ")
        )
    }
    nearer = {(keys, context) for keys, context in hidden if context is not Context.GLOBAL}

    assert nearer <= OVERRIDES


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_has_words_and_keys_that_terminals_send(command: Command) -> None:
    assert re.fullmatch(r"[a-z-]+\.[a-z-]+", command.id)
    assert command.label
    assert command.help.endswith(".")
    assert command.keys or command.words
    for key in " ".join(command.keys).split():
        assert len(key) == 1 or re.fullmatch(r"(ctrl|shift)\+\w+|[a-z]+", key)
        assert not key.startswith(("alt+", "f1")) or len(key) == 1
        assert key not in TAKEN_BY_TERMINALS
    if command.in_text:
        assert all(len(keys) > 1 for keys in command.keys)


def test_ids_are_unique() -> None:
    assert len(COMMAND_BY_ID) == len(COMMANDS)


@pytest.mark.parametrize(
    ("verb", "ids"),
    [
        ("down", ["list.down", "groom.down"]),
        ("up", ["list.up", "groom.up"]),
        ("comment", ["item.comment", "comments.add", "groom.comment"]),
        ("difference", ["editor.difference", "inbox.difference", "plan.difference"]),
        ("capacity", ["tree.capacity", "plan.capacity"]),
        ("copy", ["item.copy-id", "comments.copy", "summary.copy"]),
        ("copy Markdown", ["item.copy-markdown", "reports.copy", "summary.copy"]),
        ("save as", ["attachments.save", "reports.save", "summary.save"]),
        ("iteration", ["filter.iteration", "reports.about"]),
        ("open", ["item.open", "inbox.open", "reports.open"]),
    ],
)
def test_a_verb_has_the_same_key_wherever_it_is(verb: str, ids: list[str]) -> None:
    shared = set.intersection(*(set(COMMAND_BY_ID[each].keys) for each in ids))

    assert shared, verb


@pytest.mark.parametrize(
    ("keys", "command_id"),
    [
        ("?", "app.help"), ("ctrl+p", "app.palette"), ("q", "app.back"), ("ctrl+c", "app.interrupt"),
        ("R", "app.refresh"), ("gb", "app.backlog"), ("gk", "app.board"), ("h", "board.left"), ("l", "board.right"),
        ("H", "board.move-left"), ("L", "board.move-right"), ("zc", "board.collapse"), ("tg", "board.lanes"),
        ("gi", "app.iterations"), ("ga", "app.areas"), ("gr", "app.reports"),
        (">", "plan.send"), ("<", "plan.back"), ("{", "plan.previous-target"), ("}", "plan.next-target"),
        ("w", "plan.commit"), ("gD", "plan.difference"), ("cm", "plan.capacity"), ("gp", "app.plan"),
        ("gw", "plan.rollover"),
        ("go", "app.outbox"), ("gh", "app.inbox"), ("space", "inbox.read"), ("M", "inbox.read-all"),
        ("tc", "inbox.feed"), ("gP", "app.project"), ("ctrl+l", "app.redraw"), ("ctrl+z", "app.suspend"),
        ("J", "item.rank-down"), ("K", "item.rank-up"), ("mt", "item.rank-top"), ("me", "item.rank-bottom"),
        ("m#", "item.rank-position"),
        ("esc", "app.unwind"), ("gg", "list.first"), ("G", "list.last"), ("ctrl+d", "list.half-down"),
        ("ctrl+u", "list.half-up"), ("zz", "list.centre"), ("zt", "list.to-top"), ("zb", "list.to-bottom"),
        ("enter", "item.open"), ("p", "preview.toggle"), ("P", "preview.place"), ("ctrl+e", "preview.down"),
        ("ctrl+y", "preview.up"), ("/", "list.filter"), ("f0", "list.no-filter"), ("td", "list.done"),
        ("tc", "list.columns"), ("zl", "list.columns-right"), ("zh", "list.columns-left"), (":", "app.command-line"),
        ("S", "view.save"), ("]", "view.next"), ("[", "view.previous"),
        ("#", "app.go-to"), ("ctrl+o", "app.jump-back"), ("gn", "app.jump-forward"),
        ("f!", "filter.unready"),
        ("fs", "filter.status"), ("fa", "filter.owner"), ("ft", "filter.type"), ("fi", "filter.iteration"),
        ("fr", "filter.area"), ("fg", "filter.tag"), ("fm", "filter.mine"),
        ("a", "item.add"), ("A", "item.add-task"), ("s", "item.status"), ("i", "item.assign-me"),
        ("I", "item.unassign"), ("cs", "item.status"), ("ca", "item.assign"), ("ci", "item.iteration"),
        ("cr", "item.area"), ("cn", "item.name"), ("ce", "item.estimate"), ("m/", "item.iteration"),
        ("e", "inbox.edit"), ("e", "reports.edit"),
        ("e", "item.edit"), ("C", "item.comment"), ("gc", "item.comments"), ("yy", "item.copy-id"),
        ("space", "list.select"), ("v", "list.range"), ("V", "list.invert"), ("*", "list.select-all"),
        ("ct", "item.team"), ("cg", "item.tags"), ("cd", "item.description"), ("cp", "item.priority"),
        ("cP", "item.priority-class"), ("cS", "item.severity"), ("cw", "item.remaining"), ("cb", "item.blocking"),
        ("cc", "item.field"), ("+", "item.estimate-up"), ("-", "item.estimate-down"), ("mi", "item.to-current"),
        ("mn", "item.to-next"), ("mp", "item.to-previous"), ("mb", "item.to-backlog"), ("x", "item.done"),
        ("X", "item.reopen"), (".", "item.repeat"), ("D", "item.duplicate"), ("ym", "item.copy-markdown"),
        ("yt", "item.copy-tsv"), ("yj", "item.copy-json"),
        ("yn", "item.copy-name"), ("za", "tree.toggle"), ("zM", "tree.fold-all"), ("zR", "tree.unfold-all"),
        ("enter", "tree.filter"), ("ctrl+s", "editor.save"), ("gD", "editor.difference"), ("gu", "editor.revert"),
        ("a", "comments.add"), ("r", "comments.quote"), ("yy", "comments.copy"),
        ("gq", "app.groom"), ("{1-9}", "groom.answer"), ("0", "groom.other"), ("enter", "groom.accept"),
        ("n", "groom.skip"), ("tab", "groom.down"), ("backspace", "groom.previous"), ("q", "groom.pause"),
        ("cq", "item.groom"), ("L", "item.log"),
    ],
)  # fmt: skip
def test_the_keys_are_those_of_the_contract(keys: str, command_id: str) -> None:
    assert keys in [spelled(sequence) for sequence in COMMAND_BY_ID[command_id].keys]


def test_keys_are_spelled_as_people_write_them() -> None:
    assert [spelled(each) for each in ("g b", "ctrl+d", "escape", "pagedown", "m /", "space")] == [
        *("gb", "ctrl+d", "esc", "PgDn", "m/", "space")
    ]


@pytest.mark.parametrize("screen", [BacklogScreen, BoardScreen, BacklogList, BoardList, BacklitApp])
def test_no_class_takes_a_private_method_from_another_without_calling_it(screen: type) -> None:
    owners: dict[str, list[type]] = {}
    for part in screen.__mro__:
        if part.__module__.startswith("backlit."):
            for name, value in vars(part).items():
                if name.startswith("_") and not name.startswith("__") and callable(value):
                    owners.setdefault(name, []).append(part)
    taken = {name: parts[0] for name, parts in owners.items() if len(parts) > 1}

    assert {name for name, part in taken.items() if f"super().{name}(" not in inspect.getsource(part)} == set()
