"""The page of settings, made from the models of the file; `python -m tests.config.settings_page` writes it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from pydantic.fields import FieldInfo

from backlit.config.schema.documents import Table
from backlit.config.schema.settings import ConfigFile

SOURCE = Path(__file__).resolve().parents[2] / "src" / "backlit"
PAGE = SOURCE.parents[1] / "docs" / "configuration.md"
HEAD = """<!-- Written by python -m tests.config.settings_page from the models of the file; a test compares them. -->

# Configuration

What `config.toml` can say, each with its default. `backlit config path` names the file. No setting is needed.

`backlit config check` lists the faults of the file, each with its line and column; a fault costs its own setting
only. `backlit config set theme paper` writes a setting and leaves the rest of the file as it is, `config get`,
`unset`, `show` and `edit` do what they say, and `config schema` writes the JSON Schema, which an editor can check
with. What a command line or a variable says comes before the file; see [profile and project](files.md#profile-and-
project).

"""
ENVIRONMENT = {
    "BACKLIT_HOME": "one directory for all files, instead of those of the system: see [files](files.md)",
    "BACKLIT_CONFIG": "another file in place of `config.toml`; `/dev/null` for none",
    "BACKLIT_PROFILE": "the profile, as `--profile`",
    "BACKLIT_PROJECT": "the project, as `--project`",
    "BACKLIT_USER, BACKLIT_PASSWORD": "the sign-in of a program, of which [nothing is kept](authentication.md)",
    "BACKLIT_READ_ONLY": "`1`: nothing is changed or sent, as `read_only = true`",
    "BACKLIT_OFFLINE": "`1`: nothing is asked of a server, as `--offline`; `--fresh` still connects",
    "BACKLIT_DEBUG": "`1`: requests, and what led to an error, in the log; commands write them too, as with `--debug`",
    "BACKLIT_ASCII": "`1`: signs and lines in ASCII, `0`: never, whatever `ascii` says",
    "BACKLIT_LINEAR": "`1`: `backlit` alone works line by line, as `--linear`; `0`: never, whatever `linear` says",
    "BACKLIT_FRAME_DIFF": "`0`: whole lines are sent to the terminal, not only what changed",
    "NO_COLOR": "set to anything: no colours",
    "TERM, COLORTERM, LC_ALL, LANG": "what the terminal can show",
    "COLUMNS, LINES": "its size, where it does not say",
    "BACKLIT_PAGER, PAGER": "the program for long pages of `backlit help`; without them `less`",
    "VISUAL, EDITOR": "the editor of `config edit` and of long texts",
    "HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY": "[proxies](authentication.md#proxies-and-certificates)",
    "SSL_CERT_FILE, SSL_CERT_DIR": "[authorities](authentication.md#proxies-and-certificates)",
    "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME": "where the files are, on Linux",
}


def page() -> str:
    lines = [*_sections(), "## Environment", "", "| variable | effect |", "|---|---|"]
    lines += [f"| {', '.join(f'`{each}`' for each in names.split(', '))} | {what} |" for names, what in _told()]
    return HEAD + "\n".join(lines) + "\n"


def _told() -> Sequence[tuple[str, str]]:
    """Return the variables with what they do; one that the program reads without a line here is a fault of the page."""
    read = {name for path in SOURCE.rglob("*.py") for name in re.findall(r"\bBACKLIT_[A-Z_]*[A-Z]", path.read_text())}
    names = {each for group in ENVIRONMENT for each in group.split(", ")}
    assert read <= names, read - names
    return list(ENVIRONMENT.items())


def _sections() -> Iterator[str]:
    fields = {name: field for name, field in ConfigFile.model_fields.items() if name not in ConfigFile.misplaced}
    tables = {name: field for name, field in fields.items() if _is_table(field)}
    yield from ("## Settings", "", *_rows({name: field for name, field in fields.items() if name not in tables}), "")
    for name, field in tables.items():
        yield from _table_section(f"[[{name}]]" if _is_list(field) else f"[{name}]", field)


def _table_section(title: str, field: FieldInfo) -> Iterator[str]:
    is_by_name = str(field.annotation).startswith("dict[")
    yield from (f"## `{title}`", "", _words(field), "")
    model = _model_in(field.annotation)
    if model is None or is_by_name:
        if field.examples:
            yield from (f"Example: {_example(field)}.", "")
        return
    inner = {name: each for name, each in model.model_fields.items() if _model_in(each.annotation) is None}
    yield from (*_rows(inner), "")
    for name, each in model.model_fields.items():
        if name not in inner:
            path = f"{title.strip('[]')}.{name}"
            yield from _table_section(f"[[{path}]]" if _is_list(each) else f"[{path}]", each)


def _rows(fields: Mapping[str, FieldInfo]) -> Iterator[str]:
    yield from ("| setting | default | meaning | example |", "|---|---|---|---|")
    for name, field in fields.items():
        example = _example(field) if field.examples else ""
        yield f"| `{name}` | {_default(field)} | {_words(field)} | {example} |"


def _words(field: FieldInfo) -> str:
    return " ".join((field.description or "").split())


def _example(field: FieldInfo) -> str:
    """Return the lines of an example, of which the models write a table and its settings in one."""
    return ", ".join(f"`{line}`" for line in str((field.examples or [""])[0]).split(" with "))


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ({}, [], (), ""):
        return ""
    value = value.value if isinstance(value, Enum) else value
    return f"`{json.dumps(list(value) if isinstance(value, tuple) else value, default=str)}`"


def _is_table(field: FieldInfo) -> bool:
    return _model_in(field.annotation) is not None or str(field.annotation).startswith("dict[")


def _is_list(field: FieldInfo) -> bool:
    return str(field.annotation).startswith("list[")


def _model_in(annotation: Any) -> type[Table] | None:
    """Return the table in an annotation such as `list[ColumnTable]` or `BoardTable | None`."""
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
