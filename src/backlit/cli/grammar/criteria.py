"""The grammar of `backlit criteria`."""

from backlit.cli.common_options import add_formats, add_reading, add_writing
from backlit.cli.late_parser import LateParser
from backlit.cli.option_values import item_word, number


def add_verbs(criteria: LateParser) -> None:
    add = criteria.add_verbs().add_late
    add("list", "list the acceptance criteria of an item", "commands.criteria:list_criteria", _fill_list)
    add("add", "add acceptance criteria to an item", "commands.criteria:add_criteria", _fill_add)
    add("check", "mark acceptance criteria as passed, or as failed", "commands.criteria:check_criteria", _fill_check)
    add("delete", "delete acceptance criteria", "commands.criteria:delete_criteria", _fill_delete)


def _fill_list(listing: LateParser) -> None:
    _add_item(listing)
    add_formats(listing)
    add_reading(listing)


def _fill_add(add: LateParser) -> None:
    _add_item(add)
    words = "a criterion each; - reads them from standard input, one a line (default)"
    add.add_argument("texts", nargs="*", metavar="TEXT", help=words)
    add.rest = "texts"
    add_formats(add)
    add_writing(add, has_yes=False)


def _fill_check(check: LateParser) -> None:
    _add_numbers(check, is_optional=True)
    check.add_argument("--all", action="store_true", help="all criteria of the item")
    outcome = check.add_mutually_exclusive_group()
    outcome.add_argument("--fail", action="store_true", help="mark them as failed")
    outcome.add_argument("--reset", action="store_true", help="mark them as not executed")
    add_formats(check)
    add_writing(check, has_yes=False)


def _fill_delete(delete: LateParser) -> None:
    _add_numbers(delete)
    add_formats(delete)
    add_writing(delete)


def _add_item(command: LateParser) -> None:
    command.add_argument("id", type=item_word, metavar="ID", help="number of the item")


def _add_numbers(command: LateParser, *, is_optional: bool = False) -> None:
    _add_item(command)
    words = "places in the list: 1 for the first criterion"
    command.add_argument("places", nargs="*" if is_optional else "+", type=number, metavar="N", help=words)
    command.rest = "places" if is_optional else ""
