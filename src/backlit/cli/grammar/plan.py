"""The grammar of `backlit plan`."""

from backlit.cli.common_options import add_formats, add_reading, add_writing
from backlit.cli.grammar.items import add_keep_estimates
from backlit.cli.late_parser import LateParser
from backlit.cli.option_values import count


def add_verbs(plan: LateParser) -> None:
    verbs = plan.add_verbs()
    show = verbs.add_parser("show", help="show the upcoming iterations with the planning draft: load against capacity")
    show.add_argument("iteration", nargs="*", metavar="ITERATION", help="by name, path or number (current)")
    add_formats(show)
    add_reading(show)
    show.set_defaults(handler="commands.plan_show:show_plan")
    export = verbs.add_parser("export", help="export the upcoming iterations, including the planning draft")
    export.add_argument(
        "iteration", nargs="*", metavar="ITERATION", help="iterations to export, by name, path or number (current)"
    )
    export.add_argument("--backlog", type=count, default=0, metavar="N", help="add the first N unplanned items")
    export.add_argument("--json", action="store_true", help="write JSON, which plan apply reads too")
    add_reading(export)
    export.set_defaults(handler="commands.plan:export_plan")
    apply = verbs.add_parser("apply", help="apply an edited plan as one step")
    apply.add_argument("file", metavar="FILE", help="plan to read; - for standard input")
    apply.add_argument("--mine", action="store_true", help="overwrite changes that others made since the export")
    add_keep_estimates(apply)
    apply.add_argument("--json", action="store_true", help="write what was changed as JSON")
    add_writing(apply, is_waiting=False, has_yes=False)
    apply.set_defaults(handler="commands.plan:apply_plan")
    discard = verbs.add_parser("discard", help="discard the planning draft of this machine")
    add_reading(discard)
    discard.add_argument("--dry-run", action="store_true", help="show what would be discarded, discard nothing")
    discard.add_argument("--yes", action="store_true", help="discard without a question")
    discard.set_defaults(handler="commands.plan_show:discard_plan")
