"""Items as a file has them: texts of another tracker, before anything is compared with backlit."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from msgspec import Struct, field


class WrittenDate(Struct, frozen=True):
    """A date of a file: the moment in UTC or without a zone, or the text alone where it cannot be read."""

    text: str
    moment: datetime | None = None
    has_time: bool = False

    @property
    def shown(self) -> str:
        if self.moment is None:
            return self.text
        return f"{self.moment:%Y-%m-%d %H:%M}" if self.has_time else f"{self.moment:%Y-%m-%d}"

    @property
    def day(self) -> date | None:
        return self.moment.date() if self.moment else None


class DraftComment(Struct, frozen=True):
    """A comment with its author as the file names them."""

    text: str
    author: str = ""
    at: WrittenDate | None = None


class DraftIteration(Struct, frozen=True):
    """An iteration by its path, whose parts are separated by a backslash."""

    path: str
    start: date | None = None
    end: date | None = None
    is_active: bool = False


class DraftLink(Struct, frozen=True):
    """A link of a kind to another item, by its key, number or title."""

    kind: str
    target: str


class DraftFile(Struct, frozen=True):
    """An attached file by its name and address."""

    name: str
    url: str = ""


class Draft(Struct):
    """An item of a file. `parents` are keys, numbers or titles of the same parent, the best first.

    `owners` hold the names of each person, the best first. `hours_left` and `hours_done` are hours. `fields` has
    values for fields of backlit that a mapping names, by key.
    """

    line: int
    key: str = ""
    number: str = ""
    url: str = ""
    title: str = ""
    type: str = ""
    status: str = ""
    category: str = ""
    priority: str = ""
    severity: str = ""
    points: str = ""
    hours_left: float | None = None
    hours_done: float | None = None
    owners: Sequence[Sequence[str]] = ()
    author: str = ""
    created: WrittenDate | None = None
    due: WrittenDate | None = None
    tags: Sequence[str] = ()
    iterations: Sequence[DraftIteration] = ()
    area: str = ""
    parents: Sequence[str] = ()
    feature: str = ""
    description: str = ""
    steps: str = ""
    criteria: str = ""
    comments: Sequence[DraftComment] = ()
    links: Sequence[DraftLink] = ()
    files: Sequence[DraftFile] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    is_done: bool = False
    """Whether a date of completion or a flag says so; a status without a known name follows it."""
    is_archived: bool = False

    @property
    def place(self) -> str:
        return f"Line {self.line}" + (f" ({self.key})" if self.key else "")


WHOLE_FILE = 0
"""The line of a warning about all of a file."""


class DraftWarning(Struct, frozen=True):
    """A decision about a cell, as a group of equal ones: the sentence, and the lines."""

    sentence: str
    line: int


class Drafts(Struct):
    """The items of a file and what was read beside them.

    `people` maps each name, login, address or account id to the other names of the same person. `left_out` counts the
    values without a place by heading, `counted_comments` the comments that the file only counts.
    """

    format: str
    label: str
    source: str
    items: list[Draft]
    people: dict[str, set[str]] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    counted_comments: int = 0
    comment_heading: str = ""
    """What counts the comments."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Objects that are no items, by what they are: pull requests."""
    warnings: list[DraftWarning] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    """What each heading became: the name of a value, or `-`."""
    is_decimal_comma: bool = False

    def same_person(self, *names: str) -> None:
        """Note that the names are those of one person."""
        known = {name.strip() for name in names if name and name.strip()}
        for name in tuple(known):
            known |= self.people.get(name.casefold(), set())
        if len(known) > 1:
            for name in known:
                self.people[name.casefold()] = known
