"""`backlit admin check`."""

import argparse

from backlit.cli.admin.output import some, write_json
from backlit.cli.admin.place import looked_at, settings_of
from backlit.model.plain import plain
from backlit.service.admin.check import Checker
from backlit.service.files import open_files

FOUND = 1
"""The exit status where something is wrong."""


def run(arguments: argparse.Namespace) -> int:
    """Look for what does not fit together; each problem is a line."""
    files = open_files(settings_of(arguments).files)
    with looked_at(arguments) as connection:
        checker = Checker(connection, files, is_quick=arguments.quick)
        if arguments.json:
            problems = [problem.document() for problem in checker.problems()]
            write_json({"problems": problems, "checked": checker.checked})
            return FOUND if problems else 0
        count = 0
        for count, problem in enumerate(checker.problems(), 1):  # noqa: B007  the last count is wanted
            place = " ".join(str(part) for part in (problem.table, problem.id, problem.field) if part not in {None, ""})
            print(plain(f"{place}: {problem.sentence}" if place else problem.sentence))
    looked = ", ".join(some(number, _NOUNS[name]) for name, number in checker.checked.items())
    print(f"{some(count, 'problem')} in {looked}." if count else f"All is well: {looked}.")
    return FOUND if count else 0


_NOUNS = {
    "projects": "project",
    "workItems": "work item",
    "nodes": "area or iteration",
    "comments": "comment",
    "attachments": "attachment",
    "contents": "attached file",
}
