"""The model of `[[command]]` in `config.toml`."""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainValidator, model_validator

from backlit.config.schema.documents import Filled, Table, fault, faults_at, must, said
from backlit.model.errors import BadRequest
from backlit.model.settings.key_sequences import read_keys
from backlit.model.settings.own_commands import (
    COMMAND_TIMEOUT,
    CommandOutput,
    CommandPrompt,
    CommandSubject,
    OwnCommand,
    check_shell,
    placeholders_in,
)

MAX_TIMEOUT = 86_400.0
_SHELL = re.compile(r"(?:.*/)?(?:sh|bash|dash|zsh|ksh|fish)")


def _check_id(text: str) -> str:
    if not re.fullmatch("[A-Za-z][A-Za-z0-9-]{0,39}", text):
        must('must be letters, digits and -, such as id = "branch"')
    return text


def _one_of(kind: type[StrEnum]) -> PlainValidator:
    def read(value: object) -> StrEnum:
        if value not in set(kind):
            must(f"must be one of {', '.join(map(json.dumps, kind))}")
        return kind(str(value))

    return PlainValidator(read)


def _read_confirm(value: object) -> bool | str:
    if not isinstance(value, bool | str):
        must("must be true, false or a question")
    return value


def _read_key(value: object) -> str:
    if not isinstance(value, str):
        must('must be a sequence, such as key = "gB"')
    try:
        return read_keys(value)
    except BadRequest as error:
        raise fault(error.message) from error


def _check_variable(name: str) -> str:
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        must("must be the name of a variable")
    return name


_Identifier = Annotated[str, AfterValidator(_check_id)]


class PromptTable(Table):
    """A table `[[command.prompt]]`."""

    name: _Identifier = Field(examples=['name = "base"'])
    """The name in the placeholder `{prompt.NAME}`."""
    label: str = ""
    """The question; the name where it is not said."""
    choices: list[Filled] = Field(default=[], examples=['choices = ["main", "develop"]'])
    """The answers to choose from; any text without them."""
    default: str = Field(default="", examples=['default = "main"'])
    """The answer that stands there first."""


class CommandTable(Table):
    """A table `[[command]]`."""

    is_left_out_whole = True  # half a command would run something that nobody wrote

    id: _Identifier = Field(examples=['id = "branch"'])
    """The name for `backlit run` and for the command line of the screens, `:branch`."""
    name: str = Field(default="", examples=['name = "Make a branch"'])
    """What it does, for the palette, the help and `backlit keys`."""
    run: list[str] | None = Field(default=None, min_length=1, examples=['run = ["git", "switch", "-c", "{id}-{slug}"]'])
    """The program and its arguments, without a shell. A placeholder never becomes more than one word."""
    shell: Annotated[Filled, said(check_shell)] | None = Field(
        default=None, examples=['shell = "git log --oneline --grep=#{id}"']
    )
    """A text for `sh` in place of `run`. Placeholders become variables, so that no value is read as a program."""
    key: Annotated[str, PlainValidator(_read_key)] = Field(default="", examples=['key = "yb"'])
    """The keys in the screens."""
    on: Annotated[CommandSubject, _one_of(CommandSubject)] = CommandSubject.ITEM
    """What it is run on: `"item"`, `"items"` (the selection), `"iteration"`, `"area"`, `"list"` (all its rows) or
    `"anywhere"`.
    """
    output: Annotated[CommandOutput, _one_of(CommandOutput)] = CommandOutput.MESSAGE
    """Where its output goes in the screens: `"none"`, `"message"` (the last line), `"pager"`, or `"terminal"`, which
    gives it the whole terminal.
    """
    confirm: Annotated[bool | str, PlainValidator(_read_confirm)] = Field(
        default=False, examples=['confirm = "Deploy #{id}?"']
    )
    """Ask before it runs: `true`, or the question."""
    refresh: bool = False
    """Sync afterwards."""
    cwd: str = Field(default="", examples=['cwd = "~/code/shop"'])
    """The directory it is run in; that of backlit where it is not said."""
    env: dict[Annotated[str, AfterValidator(_check_variable)], str] = Field(
        default={}, examples=['env = {ITEM = "{id}"}']
    )
    """Variables beside those of backlit."""
    timeout: float = Field(default=COMMAND_TIMEOUT, ge=1, le=MAX_TIMEOUT)
    """Seconds after which it is ended; not with `output = "terminal"`."""
    prompt: list[PromptTable] = Field(default=[], examples=['[[command.prompt]] with name = "base"'])
    """A question before it runs."""

    @model_validator(mode="after")
    def check_whole(self) -> "CommandTable":
        """Refuse a command with no program or two, and placeholders that it does not have."""
        if (self.run is None) == (self.shell is None):
            words = "needs a program" if self.run is None else "has both run and shell"
            raise fault(f'The command {self.id!r} {words}. Write run = ["git", "status"], or shell = "git status".')
        if self.run and _SHELL.fullmatch(self.run[0]) and any(map(placeholders_in, self.run)):
            sentence = f"The command {self.id!r} gives placeholders to a shell, which could run them"
            raise fault(f'{sentence}. Write shell = "…" in place of run.')
        known = self.command().placeholders()
        faults = {}
        for setting, text in self._texts():
            for name in placeholders_in(text):
                if name not in known:
                    choices = ", ".join(f"{{{each}}}" for each in sorted(known))
                    sentence = f"The command {self.id!r} on {self.on.value} has no placeholder {{{name}}}"
                    faults[setting] = fault(
                        f"{sentence}. Choose from: {choices}; a brace is written {{{{.", name, known
                    )
        if faults:
            raise faults_at(faults)
        return self

    def _texts(self) -> Iterator[tuple[str, str]]:
        yield from (("run", word) for word in self.run or ())
        yield "shell", self.shell or ""
        yield "confirm", self.confirm if isinstance(self.confirm, str) else ""
        yield from (("env", value) for value in self.env.values())

    def command(self) -> OwnCommand:
        name = self.name.strip() or self.id
        question = self.confirm if isinstance(self.confirm, str) else f"Run “{name}”?" if self.confirm else ""
        return OwnCommand(
            id=self.id,
            name=name,
            words=tuple(self.run or ()),
            shell=self.shell or "",
            keys=self.key,
            subject=self.on,
            output=self.output,
            confirm=question,
            is_refreshing=self.refresh,
            folder=str(Path(self.cwd).expanduser()) if self.cwd else "",
            environment=self.env,
            timeout=self.timeout,
            prompts=tuple(
                CommandPrompt(each.name, each.label or each.name, tuple(each.choices), each.default)
                for each in self.prompt
            ),
        )


def check_ids(tables: list[CommandTable]) -> list[CommandTable]:
    """Refuse a second command of one name."""
    seen: set[str] = set()
    faults: dict[Any, Any] = {}
    for number, table in enumerate(tables):
        if table.id in seen:
            faults[number] = fault(f"There is a command {table.id!r} already.")
        seen.add(table.id)
    if faults:
        raise faults_at(faults)
    return tables
