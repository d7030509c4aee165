"""`backlit admin export`, `import`, `backup`, `restore` and `check`: the whole workspace."""

import argparse
import sys
from pathlib import Path

from backlit.cli.output import say, some, write_json
from backlit.cli.served import looked_at, settings_of, settings_with_files
from backlit.model.errors import BadRequest, StorageError
from backlit.model.plain import plain
from backlit.service.admin.check import Checker
from backlit.service.admin.transfer import backup, export, import_, private, restore
from backlit.service.files.local import open_files

PIPE = "-"


def export_workspace(arguments: argparse.Namespace) -> None:
    """Write the workspace to a new file that only its owner may read, or to the output."""
    settings, as_folder = settings_with_files(arguments), arguments.contents == "folder"
    options = {"with_contents": arguments.contents == "lines", "with_secrets": not arguments.without_secrets}
    if arguments.file == PIPE:
        if as_folder or arguments.json:
            raise BadRequest("Standard output cannot hold a folder or a report. Name a file.")
        export(settings, sys.stdout.buffer, folder=None, **options)
        return
    path = Path(arguments.file)
    folder = path.with_name(f"{path.name}.files") if as_folder else None
    with private(path) as output:
        try:
            counts = export(settings, output, folder=folder, **options)
        except BaseException:
            path.unlink()
            raise
    contents = counts.pop("contents", 0)
    sentence = f"Wrote {some(sum(counts.values()), 'row')} and {some(contents, 'attached file')} to {path}."
    say(arguments, sentence, {"file": str(path), "rows": counts, "contents": contents})


def import_workspace(arguments: argparse.Namespace) -> None:
    """Fill an empty workspace; file contents come from the lines or from the folder beside the file."""
    settings, accepts = settings_of(arguments), arguments.accept_problems
    if arguments.file == PIPE:
        counts = import_(settings, sys.stdin.buffer, accepts_problems=accepts)
    else:
        path = Path(arguments.file)
        folder = path.with_name(f"{path.name}.files")
        try:
            lines = path.open("rb")
        except OSError as error:
            raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
        with lines:
            beside = folder if folder.is_dir() else None
            counts = import_(settings, lines, folder=beside, accepts_problems=accepts)
    contents = counts.pop("contents", 0)
    sentence = f"Imported {some(sum(counts.values()), 'row')} and {some(contents, 'attached file')}."
    say(arguments, sentence, {"rows": counts, "contents": contents})


def back_up_workspace(arguments: argparse.Namespace) -> None:
    """Copy the workspace into a new directory."""
    made = backup(settings_with_files(arguments), Path(arguments.directory), with_files=not arguments.without_files)
    lost = f" {some(made['missing'], 'attached file')} could not be found." if made["missing"] else ""
    say(arguments, f"The backup is in {made['directory']}, with {some(made['contents'], 'attached file')}.{lost}", made)


def restore_workspace(arguments: argparse.Namespace) -> None:
    """Create a workspace from a backup."""
    made = restore(settings_of(arguments), Path(arguments.directory))
    say(arguments, f"Restored to {made['database']}. To verify it: backlit admin check", made)


FOUND = 1
"""Exit status if the check finds problems."""


def check_workspace(arguments: argparse.Namespace) -> int:
    """Check the workspace and print one line for each problem."""
    files = open_files(settings_with_files(arguments).files)
    with looked_at(arguments) as connection:
        checker = Checker(connection, files, is_quick=arguments.quick)
        if arguments.json:
            problems = [problem.document() for problem in checker.problems()]
            write_json({"problems": problems, "checked": checker.checked})
            return FOUND if problems else 0
        count = 0
        for count, problem in enumerate(checker.problems(), 1):  # noqa: B007  the last count is used below
            place = " ".join(str(part) for part in (problem.table, problem.id, problem.field) if part not in {None, ""})
            print(plain(f"{place}: {problem.sentence}" if place else problem.sentence))
    looked = ", ".join(some(number, _NOUN_BY_COUNT[name]) for name, number in checker.checked.items())
    print(f"{some(count, 'problem')} in {looked}." if count else f"No problems: {looked}.")
    return FOUND if count else 0


_NOUN_BY_COUNT = {
    "projects": "project",
    "workItems": "work item",
    "nodes": "area or iteration",
    "comments": "comment",
    "attachments": "attachment",
    "contents": "attached file",
}
