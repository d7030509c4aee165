"""The command table against the code: handlers, completers and groups exist, and nothing else is left beside them."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from textual.dom import DOMNode

import backlit.tui
from backlit.tui.commands.command import Command
from backlit.tui.commands.dispatch import function_of
from backlit.tui.commands.table import COMMANDS


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
    assert names_of_parameters(function_of(command.handler)) == ["target", "call"]


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.completer], ids=lambda command: command.id)
def test_a_completer_takes_a_target_a_text_and_a_cursor(command: Command) -> None:
    completer = function_of(f"{command.group}:{command.completer}")

    assert names_of_parameters(completer) == ["target", "text", "cursor"]
    assert not inspect.iscoroutinefunction(completer)


def test_every_group_of_the_table_is_offered_by_a_class_and_every_offered_group_has_rows() -> None:
    assert {command.group for command in COMMANDS} == groups_offered()


def test_no_class_has_methods_named_as_commands() -> None:
    assert sorted(set(methods_named_as_commands())) == []


def test_a_function_of_a_group_that_takes_a_call_is_in_the_table() -> None:
    unused = []
    for group in sorted(groups_offered()):
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
