"""The grammar of `backlit links`."""

from backlit.cli.common_options import add_formats, add_reading, add_writing
from backlit.cli.late_parser import LateParser
from backlit.cli.option_values import item_word


def add_verbs(links: LateParser) -> None:
    add = links.add_verbs().add_late
    add("list", "list the web links of an item", "commands.links:list_links", _fill_list)
    add("add", "add a web link to an item", "commands.links:add_link", _fill_add)
    add("delete", "delete a web link", "commands.links:delete_link", _fill_delete)


def _fill_list(listing: LateParser) -> None:
    _add_item(listing)
    add_formats(listing)
    add_reading(listing)


def _fill_add(add: LateParser) -> None:
    _add_item(add)
    add.add_argument("url", metavar="URL", help="web address")
    add.add_argument("text", nargs="?", default="", metavar="TEXT", help="its name (default: the address)")
    add.rest = "text"
    add_formats(add)
    add_writing(add, has_yes=False)


def _fill_delete(delete: LateParser) -> None:
    _add_item(delete)
    delete.add_argument("link", type=item_word, metavar="LINK", help="number of the link")
    add_formats(delete)
    add_writing(delete)


def _add_item(command: LateParser) -> None:
    command.add_argument("id", type=item_word, metavar="ID", help="number of the item")
