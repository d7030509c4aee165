"""Export and import of a whole workspace, and backup and restore."""

import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import orjson
from msgspec.structs import replace
from sqlalchemy import Connection

from backlit.model.errors import BadRequest, Conflict, NotFound, StorageError
from backlit.model.private_files import ensure_private_file, make_private_folder, open_new_private
from backlit.service.admin import records
from backlit.service.admin.check import Checker
from backlit.service.admin.workspace import file_of, is_empty, reading, remove_database, writing
from backlit.service.files.interface import ContentStore
from backlit.service.files.local import LocalContentStore, open_content_store
from backlit.service.storage.clock import Clock
from backlit.service.storage.database import without_password
from backlit.service.storage.migrations import renew_cursors
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables.attachments import remember_place

DATABASE, LINES, FILES, NOTE = "service.db", "workspace.jsonl", "files", "backup.json"
"""Files of a backup: contents, and either a database or lines."""
SQLITE = "sqlite:///"


def export(
    settings: ServiceSettings,
    output: BinaryIO,
    *,
    folder: Path | None,
    with_contents: bool,
    with_secrets: bool,
    with_history: bool = True,
) -> dict[str, int]:
    """Write a snapshot of a workspace as lines, with contents as lines or as files in a folder.

    Returns the row count of each table.
    """
    files = open_content_store(settings.files)
    counts: Counter[str] = Counter()
    with reading(settings) as connection:
        output.write(orjson.dumps(records.header(Clock().now()), option=orjson.OPT_APPEND_NEWLINE))
        for record in records.rows(connection, with_secrets=with_secrets, with_history=with_history):
            output.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
            counts[records.category_of(record)] += 1
        if folder is not None:
            counts["contents"] = copy_contents(connection, files, LocalContentStore(folder), [])
        elif with_contents:
            last = ""
            for record in records.contents(connection, files):
                output.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
                counts["contents"] += record["contents"] != last
                last = record["contents"]
        if (with_contents or folder) and not counts["contents"] and records.contents_named(connection):
            raise StorageError(f"{_no_contents(settings)} Name their place with --files, or add --contents none.")
    del counts[""]
    return dict(counts)


def import_(
    settings: ServiceSettings, lines: BinaryIO, *, folder: Path | None = None, accepts_problems: bool = False
) -> dict[str, int]:
    """Fill an empty workspace from lines, completely or not at all; raise Conflict for a workspace with data."""
    files = open_content_store(settings.files)
    with _deleted_on_failure(settings), _all_or_nothing(files) as kept, writing(settings, create=True) as connection:
        if not is_empty(connection):
            raise Conflict(
                "The workspace has users or projects already. No data was imported. Name a new one with --database."
            )
        counts = records.load(connection, files, _parsed(lines), kept)
        if folder is not None:
            counts["contents"] = copy_contents(connection, LocalContentStore(folder), files, kept)
        remember_place(connection, settings.files)
        problems = [] if accepts_problems else list(Checker(connection, files, is_quick=True).problems())
        if problems:
            raise Conflict(
                f"The export has {len(problems)} problems, the first: {problems[0].sentence} No data was imported."
                " To take it as it is: --accept-problems"
            )
    return counts


def backup(settings: ServiceSettings, target: Path, *, with_files: bool = True) -> dict[str, Any]:
    """Copy database and contents into a new directory while the service runs; raise StorageError or Conflict.

    A workspace of which not one attached file is found is an error, unless it is copied without files. Returns the
    count of missing contents: lost earlier, or deleted during the copy.
    """
    if target.exists():
        raise Conflict(f"{target} exists already; name a directory that does not.")
    unfinished = target.with_name(f"{target.name}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    make_private_folder(unfinished / FILES)
    path, moment, files = file_of(settings), Clock().now(), LocalContentStore(unfinished / FILES)
    if path is not None:
        _copy_sqlite(settings, path, unfinished / DATABASE)
    else:
        with private(unfinished / LINES) as output:
            export(settings, output, folder=None, with_contents=False, with_secrets=True)
    copied = missing = 0
    if with_files:
        with reading(_of_backup(unfinished) if path is not None else settings) as connection:
            copied = copy_contents(connection, open_content_store(settings.files), files, [])
            missing = sum(not files.has(digest) for digest, _ in records.contents_named(connection))
        if missing and not copied:
            shutil.rmtree(unfinished)
            raise StorageError(f"{_no_contents(settings)} Name their place with --files, or add --without-files.")
    note = {"format": "backlit backup", "madeAt": moment.isoformat(), "contents": copied, "missing": missing}
    with private(unfinished / NOTE) as output:
        output.write(orjson.dumps(note, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    _rename_durably(unfinished, target)
    return {**note, "directory": str(target)}


def _no_contents(settings: ServiceSettings) -> str:
    return f"No attached file of the workspace is in {settings.files}."


def restore(settings: ServiceSettings, source: Path) -> dict[str, Any]:
    """Create a workspace from a backup; raise Conflict for an existing one."""
    if not (source / NOTE).is_file():
        raise NotFound(f"There is no backup in {source}: it has no {NOTE}.")
    path = file_of(settings)
    if path is None:
        _fill(settings, source)
    else:
        for taken in (path, path.with_name(f"{path.name}-wal")):
            if taken.exists():
                raise Conflict(f"{taken} exists and is never overwritten. Move it away, or name another --database.")
        unfinished = path.with_name(f"{path.name}.part")
        remove_database(unfinished)
        try:
            _fill(replace(settings, database=f"{SQLITE}{unfinished}"), source)
        except BaseException:
            remove_database(unfinished)
            raise
        _rename_durably(unfinished, path)
    with writing(settings) as connection:
        remember_place(connection, settings.files)
        renew_cursors(connection)  # what came after the backup is lost, and its revisions will be given again
    return {"database": without_password(settings.database), "files": str(settings.files)}


def _fill(settings: ServiceSettings, source: Path) -> None:
    """Write a backup into an empty place: a file as a file, other databases row by row; then the contents."""
    folder, files = source / FILES, open_content_store(settings.files)
    if (source / LINES).is_file():
        with (source / LINES).open("rb") as lines:
            import_(settings, lines, folder=folder)
        return
    with _all_or_nothing(files) as kept, reading(_of_backup(source)) as connection:
        copy_contents(connection, LocalContentStore(folder), files, kept)
        path = file_of(settings)
        if path is not None:
            _copy_file(source / DATABASE, path)
            return
        with writing(settings, create=True) as empty:
            if not is_empty(empty):
                raise Conflict(
                    "The database has users or projects and is never overwritten. Restore into an empty one."
                )
            records.load(empty, files, chain([records.header(Clock().now())], records.rows(connection)), kept)


@contextmanager
def _deleted_on_failure(settings: ServiceSettings) -> Iterator[None]:
    path = file_of(settings)
    is_new = path is not None and not path.exists()
    try:
        yield
    except BaseException:
        if path is not None and is_new:
            remove_database(path)
        raise


@contextmanager
def _all_or_nothing(files: ContentStore) -> Iterator[list[str]]:
    """Yield a list for digests of new contents, and remove these contents if the block fails."""
    kept: list[str] = []
    try:
        yield kept
    except BaseException:
        for digest in kept:
            files.remove(digest)
        raise


def copy_contents(connection: Connection, source: ContentStore, target: ContentStore, kept: list[str]) -> int:
    """Copy contents of attachments that the target lacks; add them to `kept` and return their count."""
    copied = 0
    for digest, size in records.contents_named(connection):
        if target.has(digest) or not source.has(digest):
            continue
        incoming = target.begin()
        try:
            for piece in source.read(digest, 0, size):
                incoming.write(piece)
            incoming.finish()
            if (incoming.digest, incoming.size) != (digest, size):
                raise StorageError(f"The contents {digest} are damaged. To list all problems: backlit admin check")
            records.keep_new(target, incoming, kept)
        finally:
            target.forget(incoming)
        copied += 1
    return copied


@contextmanager
def private(path: Path) -> Iterator[BinaryIO]:
    """Open a new file readable by its owner only, on disk at the end; raise Conflict for an existing one."""
    try:
        output = os.fdopen(open_new_private(path), "wb")
    except FileExistsError:
        raise Conflict(f"{path} exists already; name a file that does not.") from None
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
    with output:
        yield output
        output.flush()
        os.fsync(output.fileno())


def _copy_sqlite(settings: ServiceSettings, source: Path, target: Path) -> None:
    with reading(settings):
        pass  # raises the error of a missing or damaged database
    _copy_file(source, target)


# SQLite's own backup, not a copy of the file: that would lack what is in the write-ahead log, and could hold pages of
# two states.
def _copy_file(source: Path, target: Path) -> None:
    """Copy a snapshot of an SQLite database while others write to it."""
    try:
        ensure_private_file(target)
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
            old.backup(new)
    except (sqlite3.Error, OSError) as error:
        raise StorageError(f"The database {source} cannot be copied to {target}: {error}.") from error


def _rename_durably(unfinished: Path, target: Path) -> None:
    unfinished.rename(target)
    for folder in (target, target.parent) if target.is_dir() else (target.parent,):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _of_backup(folder: Path) -> ServiceSettings:
    return ServiceSettings(f"{SQLITE}{folder / DATABASE}", folder / FILES)


def _parsed(lines: BinaryIO) -> Iterator[records.Record]:
    for number, line in enumerate(lines, 1):
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise BadRequest(f"Line {number} is not JSON: {error}.") from None
        if not isinstance(record, dict):
            raise BadRequest(f"Line {number} is not a JSON object.")
        yield record
