"""The settings of this user: shown, checked and changed in config.toml."""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from backlit.cli.commands.config_origin import ORIGIN_COLUMNS, setting_rows
from backlit.cli.listing import chosen_columns, write_rows
from backlit.cli.output import write_document, write_json
from backlit.cli.setting_words import THEME, themes
from backlit.cli.synced import read_input
from backlit.config.atomic_files import write_private, writing_to
from backlit.config.connection import without_secrets
from backlit.config.kept_checks import CONFIG
from backlit.config.programs import editor_command
from backlit.config.settings import find_locations, read_settings, settings_file
from backlit.config.view_files import read_views
from backlit.model.errors import BacklitError, BadRequest, NameNotFound
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.model.settings.user_settings import toml_in

_SCHEMA = "backlit.config.schema.settings"
"""The module of the models; it loads pydantic, so it is named and imported where a file is checked."""
_SAMPLE = "backlit.config.schema.sample_file"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def print_path(_arguments: argparse.Namespace) -> None:
    print(_path())


def show_settings(arguments: argparse.Namespace) -> None:
    """Print the file, or in a format each setting that holds, with where its value is from."""
    if arguments.origin or arguments.json or arguments.format:
        rows = setting_rows(arguments)
        write_rows(arguments, chosen_columns(arguments, ORIGIN_COLUMNS), rows, [each.document() for each in rows])
        return
    text = _text()
    if text:
        write_document(without_secrets(text))
    else:
        print(f"backlit: {_path()} is empty or missing: each setting has its default.", file=sys.stderr)


def check_file(_arguments: argparse.Namespace) -> int:
    """List the faults of all files that a person writes; the exit code is 1 with any."""
    problems = [*_problems(_text()), *read_views(find_locations(), Path.cwd()).problems]
    for problem in problems:
        print(plain(problem))
    return 1 if problems else 0


def print_schema(_arguments: argparse.Namespace) -> None:
    schema = import_module(_SCHEMA).ConfigFile.model_json_schema(mode="validation")
    write_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})


def print_sample(_arguments: argparse.Namespace) -> None:
    write_document(import_module(_SAMPLE).sample())


def edit_file(_arguments: argparse.Namespace) -> int:
    """Open the file in the user's editor, and list its faults afterwards."""
    _need_file()
    path = _path()
    with writing_to(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    open_in_editor(path)
    return check_file(_arguments)


def open_in_editor(path: Path) -> None:
    editor = editor_command(read_settings(find_locations()).editor)
    try:
        status = subprocess.run([*shlex.split(editor), str(path)], check=False).returncode  # noqa: S603 - the user's
    except (OSError, ValueError) as error:
        way = "Set editor in config.toml, VISUAL or EDITOR."
        raise BacklitError(f"Could not start the editor {plain(editor, 80)}: {error}. {way}") from error
    if status:
        raise BacklitError(f"The editor {plain(editor, 80)} ended with {status}.")


def edited(text: str) -> str:
    """Return a text as the user's editor left it; raise BadRequest for one that is empty then, or as before."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="backlit-", suffix=".md", delete=False) as file:
        file.write(text)
    path = Path(file.name)
    open_in_editor(path)
    written = path.read_text(encoding="utf-8")
    path.unlink()
    if not written.strip() or written == text:
        raise BadRequest("Cancelled: no changes were made.")
    return written


def get_setting(arguments: argparse.Namespace) -> None:
    """Print a written setting, or the default of one that is not written."""
    value: Any = toml_in(_text().encode(), _path())
    for part in _known_path(arguments.key):
        value = value.get(part) if isinstance(value, Mapping) else None
    if value is None:
        value = _default_of(arguments.key)
    write_json(_without_secrets(value))


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    return {key: _without_secrets(each) for key, each in value.items()} if isinstance(value, Mapping) else value


def set_setting(arguments: argparse.Namespace) -> None:
    path = _known_path(arguments.key)
    if path == (THEME,):
        _need_theme(arguments.value.strip("\"'"))
    _save(path, f"{path[-1]} = {_toml(arguments.value)}")
    print(f"Set {arguments.key} in {_path()}.")


def _need_theme(name: str) -> None:
    """Raise NameNotFound for a theme that is neither shipped nor a file of the user's."""
    names = sorted(themes())
    if name not in names:
        near = did_you_mean(name, names) or f" Themes: {', '.join(map(plain, names))}."
        raise NameNotFound(f"There is no theme “{plain(name, 60)}”.{near}")


def unset_setting(arguments: argparse.Namespace) -> None:
    path = _known_path(arguments.key)
    _save(path, None)
    print(f"Removed {arguments.key} from {_path()}.")


def _path() -> Path:
    return settings_file(find_locations()).path


def _need_file() -> None:
    """Refuse a place such as /dev/null, which a written file would replace."""
    if _path().exists() and not _path().is_file():
        raise BadRequest(f"{_path()} is no file that can be written. Unset {CONFIG}.")


def _text() -> str:
    return read_input(str(_path()), "settings") if _path().exists() else ""


def _problems(text: str) -> tuple[str, ...]:
    problems: tuple[str, ...] = import_module(_SCHEMA).check_settings(_path(), text.encode()).problems
    return problems


def _known_path(key: str) -> tuple[str, ...]:
    """Return the parts of a setting's name; raise NameNotFound for one that no file may have."""
    path = tuple(key.split("."))
    known = [name for name in import_module(_SCHEMA).ConfigFile.model_fields if name != "view"]
    if path[0] not in known:
        raise NameNotFound(f"There is no setting “{plain(path[0], 60)}”.{did_you_mean(path[0], known)}")
    if len(path) > 2 or not all(_BARE.fullmatch(part) for part in path):
        raise BadRequest(
            f"Write a setting as theme or lint.stale_days. For “{plain(key, 60)}” use: backlit config edit"
        )
    return path


def _default_of(key: str) -> object:
    field = import_module(_SCHEMA).ConfigFile.model_fields.get(key)
    default: Any = None if field is None else field.get_default(call_default_factory=True)
    return default.model_dump() if hasattr(default, "model_dump") else default


def _toml(value: str) -> str:
    """Return a value as TOML; words that are no TOML become a text."""
    try:
        toml_in(f"value = {value}".encode(), Path())
    except ValueError:
        escaped = "".join(f"\\u{ord(sign):04X}" if sign in '"\\' or ord(sign) < 32 else sign for sign in value)
        return f'"{escaped}"'
    return value


def _save(path: tuple[str, ...], line: str | None) -> None:
    """Write the line of a setting, or none, and leave all else as written; raise BadRequest for a new fault."""
    _need_file()
    before = _text()
    values = _without(toml_in(before.encode(), _path()), path)
    after = _replaced(before, path, line)
    try:
        new_values = toml_in(after.encode(), _path())
    except ValueError:
        new_values = {}
    # A value over several lines, or a table written in one: the text has it in a form that a line does not replace.
    if _without(new_values, path) != values or (line is None and _has(new_values, path)):
        raise BadRequest(f"{_path()} has {'.'.join(path)} in several lines. Use: backlit config edit")
    known = set(_faults(before))
    new = [each for each in _problems(after) if _without_place(each) not in known]
    if new:
        raise BadRequest("Nothing was written. " + "\n".join(new))
    with writing_to(_path()):
        write_private(_path(), after.encode())


def _faults(text: str) -> list[str]:
    return [_without_place(each) for each in _problems(text)]


def _without_place(problem: str) -> str:
    return re.sub(r", line \d+, column \d+\)", ")", problem)


def _without(values: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the values without a setting, and without its table where nothing else is in it."""
    rest = dict(values)
    value = rest.pop(path[0], None)
    if len(path) > 1 and isinstance(value, Mapping):
        left = {key: each for key, each in value.items() if key != path[1]}
        if left:
            rest[path[0]] = left
    return rest


def _has(values: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    value = values.get(path[0])
    return path[0] in values and (len(path) == 1 or (isinstance(value, Mapping) and path[1] in value))


def _replaced(text: str, path: tuple[str, ...], line: str | None) -> str:
    """Return the text with the line of a setting replaced, added or removed."""
    begin, end = _section(text, path[:-1])
    written = re.compile(rf"^[ \t]*{re.escape(path[-1])}[ \t]*=[^\n]*\n?", re.MULTILINE)
    found = written.search(text, begin, end) if begin >= 0 else None
    added = "" if line is None else f"{line}\n"
    if found:
        return text[: found.start()] + added + text[found.end() :]
    if begin >= 0:
        # Behind the last line of the table, before the blank lines to the next one.
        written_before = len(text[:end].rstrip())
        if not written_before:  # the first table begins the file
            return f"{added}\n{text}" if added and text else added + text
        at = max(begin, written_before + 1)
        head = text[:at]
        return head + ("" if not head or head.endswith("\n") else "\n") + added + text[at:]
    tail = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{tail}\n[{path[0]}]\n{added}" if added else text


def _section(text: str, table: tuple[str, ...]) -> tuple[int, int]:
    """Return where the settings of a table begin and end; -1 for a table that is not written."""
    begin = 0
    if table:
        header = re.search(rf"^[ \t]*\[{re.escape(table[0])}\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
        if header is None:
            return -1, -1
        begin = header.end()
    following = _HEADER.search(text, begin)
    return begin, following.start() if following else len(text)
