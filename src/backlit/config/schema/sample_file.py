"""The sample of `config.toml`: every setting as a comment, with what it does and its default, made from the models."""

import json
import re
from collections.abc import Iterator
from enum import Enum
from textwrap import wrap
from typing import Any, get_args

from pydantic.fields import FieldInfo

from backlit.config.schema.documents import Table
from backlit.config.schema.settings import ConfigFile

_HEAD = """\
# The settings of backlit. Each is commented out, with an example or its default: remove the # to set it.
# `backlit config check` says what is wrong, and `backlit config path` where this file belongs.
"""
_WIDTH = 100


def sample() -> str:
    """Return the text; the lines that begin with # and no blank are settings."""
    fields = {name: field for name, field in ConfigFile.model_fields.items() if name not in ConfigFile.misplaced}
    tables = {name: field for name, field in fields.items() if _is_table(field)}
    lines = [_HEAD]
    for name, field in fields.items():
        if name not in tables:
            lines += [*_words(field), _setting(name, field), ""]
    for name, field in tables.items():
        lines += _table(name, field)
    return "\n".join(lines).rstrip() + "\n"


def _table(path: str, field: FieldInfo) -> Iterator[str]:
    yield from _words(field)
    model = model_in(field.annotation)
    if model is None or _is_by_name(field):
        yield from (*(f"#{line}" for line in _example(field)), "")
        return
    yield f"#[[{path}]]" if str(field.annotation).find("list[") >= 0 else f"#[{path}]"
    inner = {name: each for name, each in model.model_fields.items() if model_in(each.annotation) is None}
    for name, each in inner.items():
        if each.examples or _default(each) is not None:
            yield from (*_words(each), _setting(name, each))
    yield ""
    for name, each in model.model_fields.items():
        if name not in inner:
            yield from _table(f"{path}.{name}", each)


def _words(field: FieldInfo) -> Iterator[str]:
    text = re.sub(r"\[[^]]+\]\(([^)]+)\.md[^)]*\)", r"`backlit help \1`", " ".join((field.description or "").split()))
    return (f"# {line}" for line in wrap(text, _WIDTH, break_on_hyphens=False))


def _setting(name: str, field: FieldInfo) -> str:
    return f"#{_example(field)[0]}" if field.examples else f"#{name} = {_default(field)}"


def _example(field: FieldInfo) -> list[str]:
    """Return the lines of an example, of which the models write a table and its settings in one."""
    return re.split(" with | and ", str((field.examples or [""])[0]))


def _default(field: FieldInfo) -> str | None:
    """Return the default as TOML; None where there is none, or it says nothing."""
    value = None if field.is_required() else field.get_default(call_default_factory=True)
    if value is None or value in ({}, [], (), ""):
        return None
    return json.dumps(_as_json(value))


def _as_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_as_json(each) for each in value]
    return value.value if isinstance(value, Enum) else value


def _is_table(field: FieldInfo) -> bool:
    return model_in(field.annotation) is not None or _is_by_name(field)


def _is_by_name(field: FieldInfo) -> bool:
    return str(field.annotation).startswith("dict[")


def model_in(annotation: Any) -> type[Table] | None:
    """Return the table in an annotation such as `list[ColumnTable]` or `BoardTable | None`."""
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return annotation
    return next(filter(None, map(model_in, get_args(annotation))), None)
