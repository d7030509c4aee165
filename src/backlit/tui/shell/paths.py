"""Typed paths: `~`, patterns, several at once, and their completion."""

import os
import shlex
from collections.abc import Callable, Sequence
from glob import glob, has_magic
from itertools import islice
from pathlib import Path

MAX_FOLDER_ENTRIES = 5_000
"""Entries of a folder that completion reads."""


def path_of(text: str) -> Path:
    """Return the path of a text; `~` is the home folder. Raises ValueError for an invalid path."""
    try:
        path = Path(text.strip()).expanduser()
        path.exists()
    except RuntimeError:
        raise ValueError(f"No such user: {text.strip().partition('/')[0].removeprefix('~')}") from None
    except OSError as error:
        raise ValueError(f"Invalid path: {error.strerror}.") from None
    return path


def files_in(text: str) -> list[Path]:
    """Return the files of a text: a path, a pattern, or several of either, separated by blanks, with quotes.

    Raises ValueError with a sentence for anything that is not a readable file.
    """
    text = text.strip()
    if not text:
        raise ValueError("Enter a file name. tab completes it.")
    whole = path_of(text)
    if whole.exists() or " " not in text:
        return _files(text)
    try:
        parts = shlex.split(text)
    except ValueError:
        parts = [text]
    return [path for part in parts for path in _files(part)]


def file_to_read(text: str) -> Path:
    """Return the one file of a text. Raises ValueError with a sentence for anything else."""
    paths = files_in(text)
    if len(paths) > 1:
        raise ValueError(f"{text.strip()} are {len(paths):,} files. Name one.")
    return paths[0]


def _files(text: str) -> list[Path]:
    path = path_of(text)
    if not path.exists() and has_magic(text):
        found = [Path(each) for each in sorted(glob(str(path))) if Path(each).is_file()]  # noqa: PTH207 - may be absolute
        if not found:
            raise ValueError(f"No file matches {text}.")
        return found
    if path.is_dir():
        raise ValueError(f"{text} is a folder. {text.rstrip('/')}/* selects its files.")
    if not path.is_file():
        raise ValueError(f"No such file: {text}")
    if not os.access(path, os.R_OK):
        raise ValueError(f"No permission to read {text}.")
    return [path]


def folder_and_name(text: str, name: str) -> tuple[Path, str]:
    """Return folder and name of a typed path, which is a folder, or a file in one.

    Raises ValueError with a sentence where the folder is missing or read only.
    """
    if not text.strip():
        raise ValueError("Enter a folder or a file name.")
    path = path_of(text)
    folder, name = (path, name) if path.is_dir() or text.endswith("/") else (path.parent, path.name)
    if not folder.is_dir():
        raise ValueError(f"No such folder: {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError(f"No permission to write in {folder}.")
    return folder, name


def fault_of(read: Callable[[], object]) -> str | None:
    """Return the error of a typed path; None for a valid one."""
    try:
        read()
    except ValueError as error:
        return str(error)
    return None


def completions(text: str) -> list[str]:
    """Return the paths that begin with the typed text, folders with a final slash; hidden ones only after a dot."""
    typed = text.lstrip()
    head, _, begun = typed.rpartition("/")
    head = f"{head}/" if "/" in typed else ""
    if typed == "~":
        return ["~/"]
    try:
        with os.scandir(path_of(head) if head else Path()) as entries:
            found = [
                f"{head}{entry.name}{'/' if entry.is_dir() else ''}"
                for entry in islice(entries, MAX_FOLDER_ENTRIES)
                if entry.name.startswith(begun) and entry.name.startswith(".") == begun.startswith(".")
            ]
    except (OSError, ValueError):
        return []
    return sorted(found)


def common_completion(text: str, found: Sequence[str]) -> str:
    return os.path.commonprefix(list(found)) or text  # noqa: RUF071 - by character is meant


def downloads() -> Path:
    from platformdirs import user_downloads_path

    found = user_downloads_path()
    return found if found.is_dir() else Path.home()


def shown_path(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)
