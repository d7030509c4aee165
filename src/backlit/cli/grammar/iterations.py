"""The grammar of `backlit iterations`."""

from backlit.cli.common_options import add_formats, add_writing
from backlit.cli.grammar.nodes import add_node_verbs
from backlit.cli.late_parser import LateParser
from backlit.cli.option_values import item_number, points_of_item


def add_verbs(iterations: LateParser) -> None:
    verbs = iterations.add_verbs()
    add_node_verbs(verbs, "iterations")
    words = "list or change what people can do in an iteration"
    verbs.add_late("capacity", words, "commands.capacities:change_capacities", _fill_capacity)
    helps = {
        "start": "start a sprint: what is in it becomes its commitment",
        "close": "close a sprint: what is done in it later is late",
    }
    for name, words in helps.items():
        command = verbs.add_parser(name, help=words)
        command.add_argument("iteration", metavar="ITERATION", help="by name, path or number (current, previous)")
        command.add_argument("--withdraw", action="store_true", help=f"withdraw the {name}")
        add_writing(command, is_waiting=False, has_yes=False)
        command.set_defaults(handler="commands.iterations:record_event", event=name)
    close = verbs.choices["close"]
    close.add_argument(
        "--move", metavar="PLACE", help="where unfinished items go: next, backlog, an iteration; stay leaves them"
    )
    close.add_argument(
        "--split",
        metavar="ID=POINTS",
        nargs="+",
        action="extend",
        type=points_of_item,
        default=[],
        help="keep the done points of these items here; the rest goes on, to the next iteration or that of --move",
    )
    close.add_argument(
        "--mark-done",
        metavar="ID",
        nargs="+",
        action="extend",
        type=item_number,
        default=[],
        help="mark these items as done, with their open tasks",
    )
    close.add_argument("--keep-tasks", action="store_true", help="leave the open tasks of --mark-done open")


def _fill_capacity(capacity: LateParser) -> None:
    capacity.add_argument("iteration", metavar="ITERATION", help="by name, path or number (current), or: usual")
    words = "USER=POINTS, USER=HOURSh, USER=POINTS/HOURSh or USER=none, such as maya=10 jon=8p/60h (default: list)"
    capacity.add_argument("words", nargs="*", metavar="USER=CAPACITY", help=words)
    capacity.rest = "words"
    add_formats(capacity)
    add_writing(capacity, is_waiting=False)
