"""The grammar of `backlit comments`."""

from backlit.cli.common_options import add_formats, add_reading, add_writing
from backlit.cli.late_parser import LateParser
from backlit.cli.option_values import item_word, number


def add_verbs(comments: LateParser) -> None:
    verbs = comments.add_verbs()
    listing = verbs.add_parser("list", help="list the comments of an item, or of the project")
    listing.add_argument("id", nargs="?", type=item_word, metavar="ID", help="number of the item (default: all items)")
    listing.add_argument("--since", metavar="DAY", help="only those of this day and later: 2026-03-01, today, -1w")
    add_formats(listing)
    add_reading(listing)
    listing.set_defaults(handler="commands.comments:list_comments")
    add = verbs.add_parser("add", help="write a comment on an item")
    add.add_argument("id", type=item_word, metavar="ID", help="number of the item")
    add.add_argument("text", nargs="?", metavar="TEXT", help="the text; - reads standard input (default)")
    add.rest = "text"
    add.add_argument("--customers-see", action="store_true", help="customers see the comment")
    add.add_argument("--quote", type=number, metavar="COMMENT", help="quote this comment of the item first")
    add.add_argument("--edit", action="store_true", help="write it in your editor (VISUAL, EDITOR)")
    add_formats(add)
    add_writing(add, has_yes=False)
    add.set_defaults(handler="commands.comments:add_comment", yes=False)
    delete = verbs.add_parser("delete", help="delete a comment for good")
    delete.add_argument("id", type=item_word, metavar="ID", help="number of the item")
    delete.add_argument("comment", type=int, metavar="COMMENT", help="number of the comment")
    add_formats(delete)
    add_writing(delete)
    delete.set_defaults(handler="commands.comments:delete_comment")
