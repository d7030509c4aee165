"""What can be written after `backlit admin`."""

import argparse
from datetime import date

from backlit.cli.arguments import LateParser
from backlit.model.fields import ItemType

_ROLES = ("reader", "contributor", "manager")
_KINDS = ("text", "long-text", "choice", "integer", "number", "boolean")
_PACKAGE = "backlit.cli.admin"


class Noun:
    """One thing that is administered, and its verbs."""

    def __init__(
        self, nouns: "argparse._SubParsersAction[LateParser]", name: str, about: str, module: str = ""
    ) -> None:
        self._module = f"{_PACKAGE}.{module or name.replace('-', '_')}"
        self._verbs = nouns.add_parser(name, help=about, description=about).add_subparsers(
            title="commands", metavar="COMMAND", required=True
        )

    def verb(self, name: str, function: str, about: str, *words: str, dry: bool = False) -> LateParser:
        """Add a verb, which the module's function of that name runs; `words` are what it is about."""
        verb = self._verbs.add_parser(name, help=about, description=about)
        for word in words:
            verb.add_argument(word, metavar=word.upper())
        add_common(verb, self._module, function, dry=dry)
        return verb


def add_common(command: argparse.ArgumentParser, module: str, function: str, *, dry: bool = False) -> None:
    """Add what all commands take: where the workspace is, and how to answer."""
    command.add_argument("--database", metavar="URL", help="the database, if it is not the one `backlit serve` uses")
    command.add_argument(
        "--files", metavar="PLACE", help="the attachments, if they are not where `backlit serve` has them"
    )
    command.add_argument("--json", action="store_true", help="write JSON")
    if dry:
        command.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    command.set_defaults(module=f"{_PACKAGE}.run", admin_module=module, function=function)


def add_nouns(admin: argparse.ArgumentParser) -> None:
    """Fill the parser of `backlit admin`."""
    nouns = admin.add_subparsers(title="what there is", metavar="NOUN", required=True, parser_class=LateParser)
    _add_users(Noun(nouns, "users", "users, their passwords and licences"))
    _add_projects(Noun(nouns, "projects", "projects with their roots and dates"))
    _add_grants(Noun(nouns, "grants", "who may do what in which project"))
    _add_named(Noun(nouns, "teams", "the teams of a project"), "team", "; its items then have none")
    _add_fields(Noun(nouns, "fields", "custom fields of a project"))
    _add_values(Noun(nouns, "values", "statuses and other lists of valid values"))
    _add_named(Noun(nouns, "time-entry-types", "what time is booked on in a project"), "time entry type", "")
    keys = Noun(nouns, "keys", "the keys that sign access tokens")
    rotate = keys.verb("rotate", "rotate", "make a new key; the one before it is still accepted")
    rotate.add_argument(
        "--forget", action="store_true", help="no longer accept the one before it, which may have leaked"
    )
    _add_whole(nouns)


def _add_users(users: Noun) -> None:
    users.verb("list", "listed", "list all users")
    add = users.verb("add", "add", "add a user; the password is asked for, or the first line of the input", "name")
    for option in ("first-name", "last-name", "display-name", "email"):
        add.add_argument(f"--{option}", metavar="TEXT", help=f"the user's {option.replace('-', ' ')}")
    add.add_argument("--no-password", action="store_true", help="the user cannot sign in until it is given one")
    add.add_argument("--unlicensed", action="store_true", help="without a licence to sign in")
    users.verb("password", "password", "give a user another password, which ends all its sign-ins", "name")
    license_ = users.verb("license", "license_", "let a user sign in, or not", "name")
    license_.add_argument("state", choices=("on", "off"))
    users.verb("deactivate", "deactivate", "take licence, password, sign-ins and grants away", "name", dry=True)


def _add_projects(projects: Noun) -> None:
    projects.verb("list", "listed", "list all projects")
    create = projects.verb("create", "create", "make a project with its root area and root iteration", "name")
    create.add_argument("--manager", metavar="USER", help="the first user to be let in, as manager")
    change = projects.verb("change", "change", "change a project; a new name is also that of its roots", "project")
    change.add_argument("--name", metavar="NAME", help="another name")
    for command in (create, change):
        command.add_argument("--description", metavar="TEXT", help="what it is about")
        command.add_argument("--template", metavar="TEXT", help="the way of working, for example Scrum")
        command.add_argument("--start", type=_date, metavar="DATE", help="first day, as YYYY-MM-DD")
        command.add_argument("--end", type=_date, metavar="DATE", help="last day, as YYYY-MM-DD")
        command.add_argument("--iteration-length", type=int, metavar="DAYS", help="usual length of an iteration")
        command.add_argument("--sync", choices=("on", "off"), help="whether items show IsSyncable and SyncID")


def _add_grants(grants: Noun) -> None:
    listing = grants.verb("list", "listed", "list who may do what where")
    listing.add_argument("--user", metavar="USER", help="of this user only")
    listing.add_argument("--project", metavar="PROJECT", help="in this project only")
    role = grants.verb("set", "set_role", "let a user into a project, or change its role there", "user", "project")
    role.add_argument("role", choices=_ROLES)
    grants.verb("remove", "remove", "shut a user out of a project", "user", "project", dry=True)


def _add_named(noun: Noun, word: str, effect: str) -> None:
    noun.verb("list", "listed", f"list every {word}").add_argument(
        "--project", metavar="PROJECT", help="of this project only"
    )
    noun.verb("add", "add", f"add a {word}", "project", "name")
    rename = noun.verb("rename", "rename", f"give a {word} another name", "project", "name")
    rename.add_argument("new_name", metavar="NEW_NAME")
    noun.verb("remove", "remove", f"remove a {word}{effect}", "project", "name", dry=True)


def _add_fields(fields: Noun) -> None:
    fields.verb("list", "listed", "list custom fields").add_argument(
        "--project", metavar="PROJECT", help="of this project only"
    )
    add = fields.verb("add", "add", "add a custom field; its key ends in _cf", "project", "key")
    add.add_argument("--kind", choices=_KINDS, default="text", help="what it holds (%(default)s)")
    change = fields.verb("change", "change", "change types, values or default", "project", "key", dry=True)
    for command in (add, change):
        command.add_argument("--types", type=_types, metavar="TYPE,…", help="the types of item that have it")
        command.add_argument(
            "--choice", action="append", dest="choices", metavar="VALUE", help="a valid value; once for each, in order"
        )
        command.add_argument("--default", metavar="VALUE", help="what new items get; empty for nothing")
    _add_rename(change)
    fields.verb("remove", "remove", "remove a custom field with all its values", "project", "key", dry=True)


def _add_values(values: Noun) -> None:
    values.verb("list", "listed", "list the valid values of every type and key", "project")
    set_ = values.verb("set", "set_values", "give a type of item its own values, in order", "project", dry=True)
    reset = values.verb("reset", "reset", "go back to the usual values", "project", dry=True)
    for command in (set_, reset):
        command.add_argument("type", choices=tuple(ItemType), metavar="TYPE")
        command.add_argument("key", metavar="KEY", help="Status, Severity, …")
        _add_rename(command)
    set_.add_argument("values", nargs="+", metavar="VALUE")


def _add_rename(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--rename", action="append", dest="renames", default=[], metavar="OLD=NEW", help="items with OLD get NEW"
    )


def _add_whole(nouns: "argparse._SubParsersAction[LateParser]") -> None:
    export = _whole(nouns, "export", "write the whole workspace as JSON Lines; - is the output", "file")
    export.add_argument(
        "--contents",
        choices=("lines", "folder", "none"),
        default="lines",
        help="attachments as lines of base64, as files beside it in FILE.files, or not at all (%(default)s)",
    )
    export.add_argument("--without-secrets", action="store_true", help="leave passwords, keys and sign-ins out")
    into = _whole(nouns, "import", "fill an empty workspace from an export; - is the input", "file", "import_")
    into.add_argument("--accept-problems", action="store_true", help="keep it although `check` would find problems")
    _whole(nouns, "backup", "copy database and files into a new directory, while the service runs", "directory")
    _whole(nouns, "restore", "make a workspace from a backup; what exists is never overwritten", "directory")
    check = _whole(nouns, "check", "look for rows, documents, totals and files that do not fit together")
    check.add_argument("--quick", action="store_true", help="do not read the contents of files")


def _whole(
    nouns: "argparse._SubParsersAction[LateParser]",
    name: str,
    about: str,
    word: str = "",
    module: str = "",
) -> LateParser:
    command = nouns.add_parser(name, help=about, description=about)
    if word:
        command.add_argument(word, metavar=word.upper())
    add_common(command, f"{_PACKAGE}.{module or name}", "run")
    return command


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day; write it as YYYY-MM-DD") from None


def _types(text: str) -> list[ItemType]:
    try:
        return [ItemType(part.strip()) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of types; they are {', '.join(ItemType)}") from None
