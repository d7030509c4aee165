"""Documents of what this machine has: views, profiles and the state of the installation."""

from typing import Any, Literal

from pydantic import Field

from backlit.cli.documents.base import Document, Moment


class SavedViewDocument(Document):
    """A saved view of the user, the repository or the project."""

    name: str
    shared_by: str | None
    query: str | None
    done: bool | None = None
    fault: str | None = None


class ViewDocument(Document):
    """A saved view with all that it says."""

    name: str
    query: str | None
    sort: list[str] | None
    group: list[str] | None
    columns: list[str] | None
    done: bool | None


class ProfileDocument(Document):
    """A profile of this machine; `chosen` is the one that commands use, and `why` says what chose it."""

    name: str
    kind: Literal["remote", "local", "demo"]
    url: str | None
    user: str | None
    signed_in: bool | None
    unsent: int
    synced: Moment | None
    chosen: bool
    why: str | None


class ProfileFactsDocument(ProfileDocument):
    """A profile with its files; a server's profile has no workspace here."""

    journal: str
    copy_: str = Field(alias="copy")
    workspace: str | None


class SessionDocument(Document):
    """Who is signed in where."""

    user: str | None
    name: str | None
    url: str | None
    kind: Literal["remote", "local", "demo"]
    profile: str


class FindingDocument(Document):
    """A checked subject."""

    about: str
    health: Literal["ok", "note", "broken"]
    sentence: str


class DoctorDocument(Document):
    """What `backlit doctor` found."""

    profile: str
    is_broken: bool
    findings: list[FindingDocument]
    traits: dict[str, Any] | None


class SchemaDocument(Document):
    """A published document and the commands that write it."""

    name: str
    words: str
    commands: list[str]


class BindingDocument(Document):
    """A command of the screens: its keys or its word, what it does, and who decided on its keys."""

    keys: list[str]
    command: str
    effect: str
    origin: str
    context: str


class OwnCommandDocument(Document):
    """A command of one's own: what it is run on, and its keys."""

    id: str
    on: str
    keys: str
    name: str


class SettingDocument(Document):
    """A setting that holds: `origin` is a file with its line, a variable, an option, or `default`."""

    setting: str
    value: Any
    origin: str


class FailureFacts(Document):
    """What failed: `code` is the kind of the error, `exit` the exit code, `fields` sentences by the keys of fields."""

    code: str
    exit: int
    message: str
    fields: dict[str, str]


class FailureDocument(Document):
    """A failure of a command with --json, on standard error; standard output stays empty."""

    error: FailureFacts
