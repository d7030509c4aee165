"""The grammar of `backlit admin`."""

import argparse
from datetime import date

from backlit.cli.common_options import add_display, add_formats
from backlit.cli.grammar.serve import add_config
from backlit.cli.late_parser import LateParser, LateVerbs
from backlit.model.fields import CUSTOM_KINDS, ItemType
from backlit.model.statuses import CONFIGURABLE

_ROLES = ("reader", "contributor", "manager")
_KINDS = tuple(kind.replace(" ", "-") for kind in CUSTOM_KINDS)


class CommandParsers:
    """Commands of `backlit admin`: its nouns, the verbs of one noun, or the commands for the whole workspace."""

    def __init__(self, parsers: LateVerbs) -> None:
        self._parsers = parsers

    def noun(self, name: str, about: str) -> "CommandParsers":
        """Add a noun; return its verbs."""
        noun = self._parsers.add_parser(name, help=about, description=about)
        return CommandParsers(noun.add_verbs())

    def verb(self, name: str, handler: str, about: str, *words: str, dry: bool = False) -> LateParser:
        """Add a verb, run by the function `handler` of `cli.admin`; `words` are its positional arguments."""
        verb = self._parsers.add_parser(name, help=about, description=about)
        for word in words:
            verb.add_argument(word, metavar=word.upper())
        add_config(verb, "read database and files from this file of backlit serve")
        verb.add_argument("--database", metavar="URL", help="database (default: the one `backlit serve` uses)")
        verb.add_argument("--files", metavar="PLACE", help="attachments (default: where the last server had them)")
        if handler.startswith("list_"):
            add_formats(verb)
            add_display(verb)
        else:
            verb.add_argument("--json", action="store_true", help="write JSON")
        if dry:
            verb.add_argument("--dry-run", action="store_true", help="show what would change, change nothing")
        verb.set_defaults(handler=f"admin:{handler}")
        return verb


def add_nouns(admin: LateParser) -> None:
    nouns = CommandParsers(admin.add_verbs("nouns", "NOUN"))
    _add_users(nouns.noun("users", "users, their passwords and licences"))
    _add_projects(nouns.noun("projects", "projects with their roots and dates"))
    _add_grants(nouns.noun("grants", "roles of users in projects"))
    teams = nouns.noun("teams", "the teams of a project")
    _add_named(teams, "teams", "team", " and clear it on its items")
    _add_fields(nouns.noun("fields", "custom fields of a project"))
    _add_values(nouns.noun("values", "statuses and other lists of valid values"))
    types = nouns.noun("time-entry-types", "categories for logged time in a project")
    _add_named(types, "time_entry_types", "time entry type", "")
    keys = nouns.noun("keys", "the keys that sign access tokens")
    rotate = keys.verb("rotate", "rotate_key", "create a signing key; the previous one stays valid")
    rotate.add_argument("--forget", action="store_true", help="revoke the previous key too, for example after a leak")
    _add_whole(nouns)


def _add_users(users: CommandParsers) -> None:
    users.verb("list", "list_users", "list all users")
    add = users.verb("add", "add_user", "add a user; prompts for the password or reads it from standard input", "name")
    for option in ("first-name", "last-name", "display-name", "email"):
        add.add_argument(f"--{option}", metavar="TEXT", help=f"the user's {option.replace('-', ' ')}")
    add.add_argument(
        "--no-password", action="store_true", help="create the user without a password; sign-in is not possible yet"
    )
    add.add_argument("--unlicensed", action="store_true", help="create the user without a licence")
    users.verb("password", "change_password", "change a user's password and end all sessions", "name")
    license_ = users.verb("license", "change_licence", "turn a user's licence on or off", "name")
    license_.add_argument("state", choices=("on", "off"))
    users.verb("forget", "forget_user", "remove the names of a deactivated user from the history", "name", dry=True)
    users.verb(
        "deactivate", "deactivate_user", "disable a user: revoke password, sessions and access", "name", dry=True
    )


def _add_projects(projects: CommandParsers) -> None:
    projects.verb("list", "list_projects", "list all projects")
    create = projects.verb(
        "create", "create_project", "create a project with its root area, root iteration and time entry types", "name"
    )
    create.add_argument("--manager", metavar="USER", help="user who becomes the project's manager")
    change = projects.verb(
        "change", "change_project", "change a project; renaming it renames its root area and iteration", "project"
    )
    change.add_argument("--name", metavar="NAME", help="new name")
    change.add_argument(
        "--history-days",
        type=_kept_days,
        metavar="DAYS",
        help="days for which changes are kept, 30 or more, or `forever`, as at first",
    )
    for command in (create, change):
        command.add_argument("--description", metavar="TEXT", help="description of the project")
        command.add_argument("--template", metavar="TEXT", help="process template, for example Scrum")
        command.add_argument("--start", type=_date, metavar="DATE", help="first day, as YYYY-MM-DD")
        command.add_argument("--end", type=_date, metavar="DATE", help="last day, as YYYY-MM-DD")
        command.add_argument("--iteration-length", type=int, metavar="DAYS", help="default length of an iteration")
        command.add_argument("--sync", choices=("on", "off"), help="show IsSyncable and SyncID on items")
        command.add_argument(
            "--work-from-time", choices=("on", "off"), help="time entries change the work of their task (default: on)"
        )
        command.add_argument("--time-zone", metavar="ZONE", help="time zone of its days, for example Europe/Berlin")
        command.add_argument("--working-days", type=_words, metavar="DAY,…", help="for example mon,tue,wed,thu,fri")
        command.add_argument(
            "--days-off", type=_words, metavar="DATE,…", help="further days on which nobody works; none removes all"
        )


def _add_grants(grants: CommandParsers) -> None:
    listing = grants.verb("list", "list_grants", "list the roles of users in projects")
    listing.add_argument("--user", metavar="USER", help="filter by user")
    listing.add_argument("--project", metavar="PROJECT", help="filter by project")
    role = grants.verb("set", "set_grant", "give a user a role in a project", "user", "project")
    role.add_argument("role", choices=_ROLES)
    grants.verb("remove", "remove_grant", "remove a user from a project", "user", "project", dry=True)


def _add_named(noun: CommandParsers, named: str, word: str, effect: str) -> None:
    listing = noun.verb("list", "list_names", f"list every {word}")
    listing.add_argument("--project", metavar="PROJECT", help="filter by project")
    add = noun.verb("add", "add_name", f"add a {word}", "project", "name")
    rename = noun.verb("rename", "rename_name", f"rename a {word}", "project", "name")
    rename.add_argument("new_name", metavar="NEW_NAME")
    remove = noun.verb("remove", "remove_name", f"remove a {word}{effect}", "project", "name", dry=True)
    for command in (listing, add, rename, remove):
        command.set_defaults(named=named)


def _add_fields(fields: CommandParsers) -> None:
    fields.verb("list", "list_fields", "list custom fields").add_argument(
        "--project", metavar="PROJECT", help="filter by project"
    )
    add = fields.verb("add", "add_field", "add a custom field; its key ends in _cf", "project", "key")
    add.add_argument("--kind", choices=_KINDS, default="text", help="kind of value (%(default)s)")
    add.add_argument("--due", action="store_true", default=None, help="the date is the due date of items")
    change = fields.verb(
        "change", "change_field", "change a custom field's kind, types, values or default", "project", "key", dry=True
    )
    change.add_argument("--kind", choices=("date",), help="make a text a date, where all its values are days")
    change.add_argument("--due", choices=("on", "off"), help="the date is the due date of items")
    for command in (add, change):
        command.add_argument("--types", type=_types, metavar="TYPE,…", help="types of work item with this field")
        command.add_argument(
            "--choice",
            action="append",
            dest="choices",
            metavar="VALUE",
            help="valid value; repeat for each value, in order",
        )
        command.add_argument("--default", metavar="VALUE", help="value of new items; empty for none")
    _add_rename(change)
    fields.verb("remove", "remove_field", "remove a custom field with all its values", "project", "key", dry=True)


def _add_values(values: CommandParsers) -> None:
    values.verb("list", "list_values", "list the valid values of each type and field", "project")
    set_ = values.verb(
        "set", "set_values", "set the valid values of a field for one type, in order", "project", dry=True
    )
    reset = values.verb("reset", "reset_values", "reset to the default values", "project", dry=True)
    for command in (set_, reset):
        command.add_argument("type", choices=tuple(ItemType), metavar="TYPE")
        command.add_argument("key", metavar="KEY", help="Status, Severity, …")
        _add_rename(command)
    set_.add_argument("values", nargs="+", metavar="VALUE")
    set_.add_argument(
        "--group",
        action="append",
        dest="groups",
        default=[],
        metavar="STATUS=GROUP",
        help=f"meaning of a status: {', '.join(CONFIGURABLE)}; without it, its name decides",
    )
    groups = values.verb("groups", "set_groups", "set the meaning of a project's own statuses", "project")
    help_ = f"a status and its group: {', '.join(CONFIGURABLE)}; no group lets clients guess"
    groups.add_argument("meanings", nargs="+", metavar="STATUS=GROUP", help=help_)


def _add_rename(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--rename",
        action="append",
        dest="renames",
        default=[],
        metavar="OLD=NEW",
        help="replace OLD with NEW in existing items",
    )


def _add_whole(nouns: CommandParsers) -> None:
    nouns.verb("init", "create_workspace", "create an empty workspace; `backlit serve` does so too")
    export = nouns.verb(
        "export", "export_workspace", "write the whole workspace as JSON Lines; - for standard output", "file"
    )
    export.add_argument(
        "--contents",
        choices=("lines", "folder", "none"),
        default="lines",
        help="attachments: base64 lines, files in the folder FILE.files, or none (%(default)s)",
    )
    export.add_argument("--without-secrets", action="store_true", help="omit passwords, keys and sessions")
    export.add_argument("--without-history", action="store_true", help="omit who changed what and when")
    into = nouns.verb(
        "import", "import_workspace", "fill an empty workspace from an export; - for standard input", "file"
    )
    into.add_argument("--accept-problems", action="store_true", help="import even if `check` finds problems")
    backup = nouns.verb(
        "backup",
        "back_up_workspace",
        "back up database and files to a new directory; safe while the service runs",
        "directory",
    )
    backup.add_argument("--without-files", action="store_true", help="leave out the contents of attachments")
    nouns.verb(
        "restore",
        "restore_workspace",
        "create a workspace from a backup; never overwrites existing files",
        "directory",
    )
    check = nouns.verb("check", "check_workspace", "check rows, documents, totals and files for inconsistencies")
    check.add_argument("--quick", action="store_true", help="skip the contents of files")


def _kept_days(text: str) -> int:
    if text == "forever":
        return 0  # as a `ProjectChange` has it
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of days nor `forever`")
    return int(text)


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; use YYYY-MM-DD") from None


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _types(text: str) -> list[ItemType]:
    try:
        return [ItemType(part.strip()) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a list of types; choose from {', '.join(ItemType)}"
        ) from None
