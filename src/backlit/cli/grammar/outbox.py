"""The grammar of `backlit outbox`."""

from backlit.cli.common_options import add_formats, add_query, add_reading, add_writing
from backlit.cli.late_parser import LateParser
from backlit.cli.option_values import number


def add_verbs(outbox: LateParser) -> None:
    verbs = outbox.add_verbs()
    listing = verbs.add_parser("list", help="list the changes that the server does not have yet")
    which = listing.add_mutually_exclusive_group()
    which.add_argument("--refused", action="store_true", help="only those that the server refused")
    which.add_argument("--conflict", action="store_true", help="only those in conflict")
    add_query(listing)
    show = verbs.add_parser("show", help="show a change: each value before, yours and the server's")
    show.add_argument("entry", type=number, metavar="N", help="number of the change, as outbox list writes it")
    for command, handler in ((listing, "list_entries"), (show, "show_entry")):
        add_formats(command)
        add_reading(command)
        command.set_defaults(handler=f"commands.outbox:{handler}")
    send = verbs.add_parser("send", help="send the changes that wait")
    discard = verbs.add_parser("discard", help="discard changes; undo brings them back")
    discard.add_argument("entries", nargs="*", type=number, metavar="N", help="numbers of the changes")
    discard.add_argument("--all", action="store_true", help="all changes")
    resolve = verbs.add_parser("resolve", help="resolve a conflict")
    resolve.add_argument("entry", type=number, metavar="N", help="number of the change")
    side = resolve.add_mutually_exclusive_group()
    side.add_argument("--mine", action="store_true", help="keep your values")
    side.add_argument("--theirs", action="store_true", help="keep the server's values")
    resolve.add_argument(
        "--field",
        dest="fields",
        action="append",
        default=[],
        metavar="FIELD=SIDE",
        help="keep mine or theirs of one field; repeatable",
    )
    for command, handler in ((send, "send_entries"), (discard, "discard_entries"), (resolve, "resolve_entry")):
        add_formats(command)
        add_writing(command, is_waiting=command is send, has_yes=command is discard)
        command.set_defaults(handler=f"commands.outbox:{handler}")
