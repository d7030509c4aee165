"""The command table against the code: handlers, completers and groups exist, and nothing else is left beside them."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from types import SimpleNamespace
from typing import cast

import pytest
from textual.dom import DOMNode

import backlit.tui
from backlit.tui.app.command_line import CommandLineParser
from backlit.tui.attachments.screen import AttachmentList, AttachmentsScreen
from backlit.tui.backlog.screen import BacklogScreen
from backlit.tui.board.board_list import BoardList
from backlit.tui.board.screen import BoardScreen
from backlit.tui.commands.command import Command, CommandContext, Context, item_number
from backlit.tui.commands.table import COMMAND_BY_ID, COMMANDS, CONTEXT_BY_GROUP, OWN_GROUP
from backlit.tui.comments.screen import CommentsScreen
from backlit.tui.editor.field_grid import FieldGrid
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.groom.question_strip import QuestionStrip
from backlit.tui.groom.screen import GroomScreen
from backlit.tui.items.comment_thread import CommentThread
from backlit.tui.plan.pane import PlanList
from backlit.tui.plan.screen import PlanScreen
from backlit.tui.shell.dispatch import contexts_of, function_of
from backlit.tui.trees.screen import TreeScreen
from backlit.tui.trees.tree_list import TreeList
from backlit.tui.widgets.view_list import BacklogList


@cache
def classes() -> tuple[type, ...]:
    """Every class that the terminal's modules define."""
    names = [each.name for each in pkgutil.walk_packages(backlit.tui.__path__, "backlit.tui.")]
    found = [vars(importlib.import_module(name)).values() for name in names]
    return tuple({each for values in found for each in values if inspect.isclass(each) and is_ours(each)})


def is_ours(kind: type) -> bool:
    return kind.__module__.startswith("backlit.tui.")


def groups_offered() -> set[str]:
    return {group for kind in classes() if issubclass(kind, DOMNode) for group in getattr(kind, "COMMAND_GROUPS", ())}


def methods_named_as_commands() -> Iterator[str]:
    for kind in classes():
        for name, value in vars(kind).items():
            if callable(value) and (name.startswith(("do_", "told_")) or name == "may_follow"):
                yield f"{kind.__module__}.{kind.__name__}.{name}"


def names_of_parameters(function: Callable[..., object]) -> list[str]:
    return [name.lstrip("_") for name in inspect.signature(function).parameters]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_a_handler_takes_a_target_and_a_call(command: Command) -> None:
    target, *others = names_of_parameters(function_of(command.handler))

    assert target in {"target", "self"}
    assert others == ["call"]


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.completer], ids=lambda command: command.id)
def test_a_completer_takes_a_target_a_text_and_a_cursor(command: Command) -> None:
    completer = function_of(command.completing)

    assert names_of_parameters(completer) == ["target", "text", "cursor"]
    assert not inspect.iscoroutinefunction(completer)


def test_every_group_of_the_table_is_offered_by_a_class_and_every_offered_group_has_rows() -> None:
    assert {command.group for command in COMMANDS} | {OWN_GROUP} == groups_offered()


def test_each_group_has_one_context() -> None:
    contexts = {(command.group, command.context) for command in COMMANDS}

    assert dict(contexts) | {OWN_GROUP: Context.GLOBAL} == CONTEXT_BY_GROUP
    assert len(contexts) + 1 == len(CONTEXT_BY_GROUP)


@pytest.mark.parametrize(
    ("screen", "widget", "contexts"),
    [
        (BacklogScreen, BacklogList, (Context.MOVES, Context.LIST, Context.ITEM)),
        (BoardScreen, BoardList, (Context.BOARD, Context.MOVES, Context.LIST, Context.ITEM)),
        (PlanScreen, PlanList, (Context.PLAN, Context.MOVES, Context.LIST, Context.ITEM)),
        (TreeScreen, TreeList, (Context.TREE, Context.MOVES)),
        (ItemEditorScreen, FieldGrid, (Context.EDITOR, Context.TABS, Context.MOVES, Context.ITEM)),
        (CommentsScreen, CommentThread, (Context.COMMENTS, Context.TABS, Context.MOVES, Context.DETAIL, Context.ITEM)),
        (AttachmentsScreen, AttachmentList, (Context.ATTACHMENTS, Context.TABS, Context.MOVES, Context.ITEM)),
        (GroomScreen, QuestionStrip, (Context.GROOM, Context.ITEM)),
    ],
)
def test_the_contexts_of_a_place_follow_from_the_groups_that_it_offers(
    screen: type[DOMNode], widget: type[DOMNode], contexts: tuple[Context, ...]
) -> None:
    focus = SimpleNamespace(ancestors_with_self=[widget, screen])

    assert contexts_of(cast("DOMNode", focus)) == contexts


def test_no_class_has_methods_named_as_commands() -> None:
    assert sorted(set(methods_named_as_commands())) == []


def test_a_function_of_a_group_that_takes_a_call_is_in_the_table() -> None:
    unused = []
    for group in sorted(groups_offered() - {OWN_GROUP}):
        module = importlib.import_module(f"backlit.tui.{group}")
        functions = [each for each in vars(module).values() if inspect.isfunction(each)]
        unused += [
            f"{group}:{each.__name__}"
            for each in functions
            if each.__module__ == module.__name__
            and not each.__name__.startswith("_")
            and names_of_parameters(each) == ["target", "call"]
        ]

    assert sorted(set(unused) - {command.handler for command in COMMANDS}) == []


class Place(DOMNode):
    """A place that ranks items."""

    COMMAND_GROUPS = ("items.rank",)


@pytest.mark.parametrize(
    ("line", "command_id", "argument"),
    [("rank write", "item.rank-write", ""), ("rank 5", "item.rank-position", "5"), ("rank", "item.rank-position", "")],
)
def test_the_longest_word_of_a_line_is_its_command(line: str, command_id: str, argument: str) -> None:
    _, call = CommandLineParser(Place()).run_of(line)

    assert (call.command.id, call.text) == (command_id, argument)


@pytest.mark.parametrize(
    ("text", "number"),
    [("1042", 1042), ("#7", 7), ("9" * 18, 10**18 - 1), ("9" * 19, None), ("#", None), ("-1", None), ("1 2", None)],
)
def test_a_number_short_enough_for_an_id_is_an_item(text: str, number: int | None) -> None:
    assert item_number(text) == number


def test_a_count_is_a_number_of_rows_or_of_steps() -> None:
    assert CommandContext(COMMAND_BY_ID["item.status"], count=3).rows == 3
    assert CommandContext(COMMAND_BY_ID["item.rank-down"], count=3).rows is None
