"""The grammar of `backlit items`."""

import argparse
from functools import partial

from backlit.cli.common_options import add_formats, add_query, add_reading, add_writing, names
from backlit.cli.late_parser import LateParser
from backlit.cli.option_values import PARTS, count, item_number, item_word, parts

IDS = "numbers of items; - reads them from standard input, one a line"
SETTING = "ID… FIELD=VALUE…: numbers of items, and values as in a query; += and -= add and take away, F=@FILE reads"


def add_verbs(items: LateParser) -> None:
    add = items.add_verbs().add_late
    add("list", "list work items in backlog order", "commands.items_list:list_items", _fill_list)
    add("show", "show work items", "commands.items:show_item", _fill_show)
    add("history", "list the changes of a work item", "commands.items_history:list_changes", _fill_history)
    words = "write work items as a file that items import reads (CSV, or a format)"
    add("export", words, "commands.items_export:export_items", _fill_export)
    add("new", "make an item, or one for each line of --stdin", "commands.items_new:create_items", _fill_new)
    add("set", "change fields of items", "commands.items_set:set_fields", _fill_set)
    words = "change items in your editor (VISUAL, EDITOR): one as a page, several as a table"
    add("edit", words, "commands.items_edit:edit_items", _fill_edit)
    selecting = partial(_add_selection, words=IDS)
    add("done", "mark items as done", "commands.items_set:mark_done", selecting)
    add("reopen", "mark items as not done", "commands.items_set:mark_reopen", selecting)
    add("assign", "give items to a person", "commands.items_set:assign_items", _fill_assign)
    words = "move items to an iteration, an area or another project"
    add("move", words, "commands.items_set:move_items", _fill_move)
    words = "give items another type; what is lost is listed first"
    add("convert", words, "commands.items_transform:convert_items", _fill_convert)
    add("split", "split an item into several", "commands.items_split:split_item", _fill_split)
    add("rank", "rank items in the backlog", "commands.items_rank:rank_items", _fill_rank)
    add("feature", "put items below a Feature, or below none", "commands.relations:change_feature", _fill_feature)
    words = "relate an item to others, as a sentence: backlit items relate 45 blocks 43"
    add("relate", words, "commands.relations:relate_items", partial(fill_relate, is_new=True))
    words = "take relations of an item away"
    add("unrelate", words, "commands.relations:unrelate_items", partial(fill_relate, is_new=False))
    words = "delete items: they get the status Deleted"
    add("delete", words, "commands.items_delete:delete_items", _fill_delete)
    add("log", "log hours on a task", "commands.items:log_work", fill_log)
    add("copy", "make copies of items", "commands.items_new:copy_items", selecting)
    words = "import work items from another tracker's file (docs/import.md)"
    add("import", words, "commands.items_import:import_items", _fill_import)


def _fill_list(listing: LateParser) -> None:
    listing.add_argument("--limit", type=count, metavar="N", help="maximum number of items; 0 for all (default)")
    add_query(listing)
    listing.add_argument("--sort", metavar="FIELDS", help="sort order, for example: est desc,name")
    listing.add_argument(
        "--done", choices=("yes", "no"), help="with done items, or without (default: with; a query says)"
    )
    listing.add_argument(
        "--group", type=names, default=(), metavar="FIELDS", help="group by one or two fields, for example: iter,status"
    )
    listing.add_argument("--mine", action="store_true", help="only your items")
    listing.add_argument(
        "--count", action="store_true", help="write only how many there are; with --group, of each group"
    )
    _add_parts(listing)
    add_formats(listing)
    add_reading(listing)


def _add_parts(command: LateParser) -> None:
    words = f"also write {', '.join(PARTS)}: as columns, or in documents"
    command.add_argument("--with", dest="parts", type=parts, default=(), metavar="PARTS", help=words)


def _fill_show(show: LateParser) -> None:
    show.add_argument("ids", nargs="+", type=item_word, metavar="ID", help="numbers of items")
    show.add_argument("--comments", action="store_true", help="with the comments in JSON too; the text has them anyway")
    show.add_argument("--files", action="store_true", help="with the files")
    show.add_argument("--history", action="store_true", help="with the changes, which are read from the server")
    show.add_argument("--web", action="store_true", help="write only the address of each item")
    _add_parts(show)
    add_formats(show, has_columns=False)
    add_reading(show)


def _fill_history(history: LateParser) -> None:
    history.add_argument("id", type=item_word, metavar="ID", help="number of the item")
    add_formats(history)
    add_reading(history)


def _fill_export(export: LateParser) -> None:
    add_query(export)
    export.add_argument("--sort", metavar="FIELDS", help="sort order, for example: est desc,name")
    export.add_argument(
        "--fields", metavar="FIELDS", help="fields, such as name,status,est (default: all that are used)"
    )
    export.add_argument(
        "--all", action="store_true", help="also comments, authors and dates of iterations, for another project"
    )
    _add_parts(export)
    export.add_argument("--comments", action="store_true", help="also the comments")
    export.add_argument("--files", metavar="DIRECTORY", help="also save the files, below this directory by item")
    export.add_argument(
        "--for",
        dest="tracker",
        choices=("jira", "github"),
        help="write the CSV of Jira's import, or the JSON of gh issue list",
    )
    export.add_argument("--excel", action="store_true", help="begin the CSV with a byte order mark, as Excel needs it")
    add_formats(export, has_columns=False)
    add_reading(export)


def _fill_new(new: LateParser) -> None:
    new.add_argument("words", nargs="*", metavar="WORD", help="NAME [FIELD=VALUE…]: its name, and values as in a query")
    new.rest = "words"
    new.add_argument("--type", metavar="TYPE", help="type of the item (default: Story, or that of the template)")
    new.add_argument("--template", metavar="NAME", help="fill in a template of config.toml; its tasks are made too")
    new.add_argument("--edit", action="store_true", help="fill in the fields in your editor first (VISUAL, EDITOR)")
    new.add_argument("--parent", metavar="ID", help="the item that a task belongs to")
    new.add_argument("--stdin", action="store_true", help="read names from standard input, one a line")
    place = new.add_mutually_exclusive_group()
    place.add_argument("--top", action="store_true", help="rank it at the top of the backlog")
    place.add_argument("--after", metavar="ID", help="rank it behind this item")
    add_formats(new)
    add_writing(new)


def _fill_set(setting: LateParser) -> None:
    _add_selection(setting, SETTING)
    setting.add_argument(
        "--if",
        dest="conditions",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="change only items that have this value; repeatable",
    )


def _fill_edit(edit: LateParser) -> None:
    _add_selection(edit, IDS)
    edit.add_argument("--fields", metavar="FIELDS", help="fields to edit, such as name,status,est (default: the usual)")


def _fill_assign(assign: LateParser) -> None:
    _add_selection(assign, "ID… WHO: numbers of items, and a person: me, none or a name")
    assign.add_argument("--team", action="store_true", help="WHO is a team")


def _fill_move(move: LateParser) -> None:
    _add_selection(move, "ID… [ITERATION]: numbers of items, and current, next, previous, backlog, a name or a path")
    move.add_argument("--area", metavar="AREA", help="move the items to this area")
    move.add_argument(
        "--to-project", metavar="NAME", help="move the items to this project; what stays behind is listed first"
    )
    move.add_argument(
        "--children", choices=("move", "leave"), help="with --to-project: what becomes of the items below a Feature"
    )


def _fill_convert(convert: LateParser) -> None:
    _add_selection(convert, "ID… TYPE [FIELD=VALUE…]: numbers of items, their new type, and values for it")
    convert.add_argument("--parent", metavar="ID", help="the item that a new task belongs to")


def _fill_split(split: LateParser) -> None:
    split.add_argument("id", type=item_word, metavar="ID", help="number of the item")
    split.add_argument("names", nargs="+", metavar="NAME", help="names of the new items")
    split.add_argument(
        "--points", metavar="P,P…", help="points of the new items, in their order; the item keeps the rest"
    )
    split.add_argument(
        "--tasks",
        action="append",
        default=[],
        metavar="ID,ID…",
        help="tasks of a new item; once for each, in their order",
    )
    add_formats(split)
    add_writing(split)


def _fill_rank(rank: LateParser) -> None:
    _add_selection(rank, IDS)
    place = rank.add_mutually_exclusive_group(required=True)
    place.add_argument("--top", action="store_true", help="at the top")
    place.add_argument("--bottom", action="store_true", help="at the bottom")
    place.add_argument("--before", metavar="ID", help="above this item")
    place.add_argument("--after", metavar="ID", help="below this item")


def fill_relate(relate: LateParser, *, is_new: bool) -> None:
    from backlit.model.relations import RELATION_OPTIONS

    relate.add_argument("id", type=item_word, metavar="ID", help="number of the item")
    relate.add_argument("type", choices=list(RELATION_OPTIONS), metavar="TYPE", help=", ".join(RELATION_OPTIONS))
    relate.add_argument("others", nargs="+", type=item_word, metavar="OTHER", help="numbers of the other items")
    add_formats(relate)
    add_writing(relate)
    relate.set_defaults(is_new=is_new)


def fill_log(log: LateParser) -> None:
    log.add_argument("id", type=item_number, metavar="ID", help="the task")
    log.add_argument("hours", metavar="HOURS", help="2, 1.5h, 1:30, 1h30m or 90m")
    log.add_argument("--type", default="", metavar="TYPE", help="time entry type of the project")
    log.add_argument("--note", default="", metavar="TEXT", help="note of the time entry, or of the comment")
    log.add_argument(
        "--date", metavar="DAY", help="day of the time entry: 2026-03-01, yesterday, fri, -2d (default: today)"
    )
    log.add_argument("--remaining", metavar="HOURS", help="remaining work (default: current value minus the hours)")
    add_writing(log, is_waiting=False, has_yes=False)


def _fill_feature(feature: LateParser) -> None:
    _add_selection(feature, "ID… FEATURE: numbers of items, and a Feature: its number, a part of its name, or none")


def _fill_delete(delete: LateParser) -> None:
    _add_selection(delete, IDS)
    delete.add_argument("--for-good", action="store_true", help="delete the items with their tasks, comments and files")


def _add_selection(command: LateParser, words: str) -> None:
    command.add_argument("words", nargs="*", metavar="WORD", help=words)
    command.rest = "words"
    add_query(command)
    add_formats(command)
    add_writing(command)


def _fill_import(bring: LateParser) -> None:
    from backlit.model.import_formats import FORMATS

    bring.add_argument("file", metavar="FILE", help="file to read; - for standard input")
    bring.add_argument(
        "--from",
        dest="format",
        choices=FORMATS,
        metavar="FORMAT",
        help=f"format of the file (default: detect): {', '.join(FORMATS)}",
    )
    bring.add_argument("--source", metavar="NAME", help="name of the other tracker's project, beside the keys")
    bring.add_argument("--map", metavar="FILE", help="mapping of columns and values (TOML)")
    bring.add_argument("--write-map", metavar="FILE", help="write the mapping as proposed, import nothing")
    bring.add_argument("--encoding", metavar="NAME", help="encoding of the file (default: detect)")
    bring.add_argument("--delimiter", metavar="C", help="delimiter of the columns (default: detect)")
    bring.add_argument("--overwrite", action="store_true", help="take the file's value where both sides changed")
    bring.add_argument("--skip-faulty", action="store_true", help="leave out rows with a fault")
    bring.add_argument("--report", metavar="FILE", help="file for all faults, or all warnings, a line each")
    bring.add_argument("--customers-see", action="store_true", help="allow changes that customers can see")
    add_keep_estimates(bring)
    add_writing(bring, is_waiting=False, has_yes=False)
    bring.add_argument("--yes", action="store_true", help="import without a question")


def add_keep_estimates(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--keep-estimates", action="store_true", help="keep estimates that are no number without a question"
    )
