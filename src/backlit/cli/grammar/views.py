"""The grammar of `backlit views`."""

from backlit.cli.common_options import add_display, add_formats, add_reading, add_target
from backlit.cli.late_parser import LateParser


def add_verbs(views: LateParser) -> None:
    verbs = views.add_verbs()
    listing = verbs.add_parser("list", help="list the views")
    show = verbs.add_parser("show", help="show a view")
    show.add_argument("name", metavar="NAME", help="name of the view")
    for command, function in ((listing, "lists:list_views"), (show, "views:show_view")):
        add_formats(command)
        add_reading(command)
        command.set_defaults(handler=f"commands.{function}")
    save = verbs.add_parser("save", help="save a view in views.toml, or replace the view of its name")
    save.add_argument("name", metavar="NAME", help="name of the view")
    save.add_argument("--query", metavar="QUERY", default="", help="filter as a query (docs/query.md)")
    save.add_argument("--sort", metavar="FIELDS", default="", help="sort order, for example: est desc,name")
    save.add_argument("--group", metavar="FIELDS", default="", help="fields to group by, for example: iter")
    save.add_argument("--columns", metavar="COLUMNS", default="", help="columns, for example: status,tags 14+")
    save.add_argument("--done", action="store_true", help="with done items")
    words = "keep it at the server, for all members of the project, instead of in views.toml"
    save.add_argument("--shared", action="store_true", help=words)
    add_target(save)
    rename = verbs.add_parser("rename", help="rename a view of views.toml")
    rename.add_argument("name", metavar="NAME", help="name of the view")
    rename.add_argument("new_name", metavar="NEW-NAME", help="its new name")
    delete = verbs.add_parser("delete", help="delete a view from views.toml")
    delete.add_argument("name", metavar="NAME", help="name of the view")
    for command, function in ((save, "save_view"), (rename, "rename_view"), (delete, "delete_view")):
        add_display(command)
        command.set_defaults(handler=f"commands.views:{function}")
