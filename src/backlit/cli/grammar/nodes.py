"""The grammar of the verbs that areas and iterations share."""

from backlit.cli.common_options import add_formats, add_reading, add_writing
from backlit.cli.late_parser import LateParser, LateVerbs
from backlit.cli.option_values import number

_ONE = {"areas": "area", "iterations": "iteration"}


def add_node_verbs(verbs: LateVerbs, tree: str) -> None:
    """Add list, new, set, move and delete; `tree` is areas or iterations."""
    one = _ONE[tree]

    def verb(name: str, words: str) -> LateParser:
        command = verbs.add_parser(name, help=words, description=words)
        command.set_defaults(handler=f"commands.nodes:{name}_node", tree=tree)
        return command

    listing = verbs.add_parser("list", help=f"list the {tree} with their open items")
    listing.set_defaults(handler="commands.nodes:list_nodes", tree=tree)
    listing.add_argument("--flat", action="store_true", help="write whole paths on a terminal too, not a tree")
    listing.add_argument("--counts", action="store_true", help="also count the open items with all below")
    if tree == "iterations":
        which = listing.add_mutually_exclusive_group()
        which.add_argument("--current", action="store_true", help="only the current ones")
        which.add_argument("--ended", action="store_true", help="only those that have ended or are closed")
        which.add_argument("--releases", action="store_true", help="only releases")
    add_formats(listing)
    add_reading(listing)

    new = verb("new", f"make an {one}")
    new.add_argument("name", metavar="NAME")
    new.add_argument("--parent", metavar=one.upper(), help=f"the {one} that holds it (default: the root)")
    if tree == "iterations":
        new.add_argument("--start", metavar="DATE", help="its first day")
        new.add_argument("--end", metavar="DATE", help="its last day")
        new.add_argument("--min", metavar="POINTS", help="least capacity")
        new.add_argument("--max", metavar="POINTS", help="capacity")
        new.add_argument("--release", action="store_true", help="it is a release, which holds iterations")
        words = "make so many, one after another: NAME has {n} where their number goes, and --end is that of the first"
        new.add_argument("--series", type=number, metavar="N", help=words)
    _add_place(new)

    changing = verb("set", f"change an {one}")
    changing.add_argument("node", metavar=one.upper())
    fields = "name, start, end, min, max, release" if tree == "iterations" else "name"
    changing.add_argument("words", nargs="*", metavar="FIELD=VALUE", help=f"fields: {fields}")
    changing.rest = "words"
    move = verb("move", f"move an {one} in the tree")
    move.add_argument("node", metavar=one.upper())
    move.add_argument("--parent", metavar=one.upper(), help=f"the {one} to move it into (default: where it is)")
    _add_place(move)
    delete = verb("delete", f"delete an {one} with what is below it")
    delete.add_argument("node", metavar=one.upper())
    delete.add_argument("--to", required=True, metavar=one.upper(), help="where its items go")
    for command in (new, changing, move, delete):
        add_formats(command)
        add_writing(command)


def _add_place(command: LateParser) -> None:
    place = command.add_mutually_exclusive_group()
    place.add_argument("--first", action="store_true", help="before its siblings")
    place.add_argument("--last", action="store_true", help="behind its siblings")
    place.add_argument("--after", metavar="NAME", help="behind this sibling")
