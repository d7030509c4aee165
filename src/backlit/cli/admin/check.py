"""`backlit admin check`."""

import argparse

from backlit.cli.admin.output import some
from backlit.cli.admin.workspace import looked_at, settings_of
from backlit.cli.json_output import write_json
from backlit.model.plain import plain
from backlit.service.admin.check import Checker
from backlit.service.files.local import open_files

FOUND = 1
"""Exit status if the check finds problems."""


def run(arguments: argparse.Namespace) -> int:
    """Check the workspace and print one line for each problem."""
    files = open_files(settings_of(arguments).files)
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
    looked = ", ".join(some(number, _NOUNS[name]) for name, number in checker.checked.items())
    print(f"{some(count, 'problem')} in {looked}." if count else f"No problems: {looked}.")
    return FOUND if count else 0


_NOUNS = {
    "projects": "project",
    "workItems": "work item",
    "nodes": "area or iteration",
    "comments": "comment",
    "attachments": "attachment",
    "contents": "attached file",
}
