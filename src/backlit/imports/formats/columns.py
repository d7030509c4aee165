"""Rows of a table to drafts, by what each column holds."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from backlit.imports.drafts.dates import DateReading
from backlit.imports.drafts.draft import (
    WHOLE_FILE,
    Draft,
    DraftComment,
    DraftFile,
    DraftIteration,
    DraftLink,
    Drafts,
    DraftWarning,
)
from backlit.imports.formats.markup import to_markdown
from backlit.imports.reading.tables import SourceTable, TableRow, heading_key
from backlit.imports.words.tables import role_of_heading, words_of
from backlit.model.errors import BadRequest

USED, LEFT_OUT, FIELD = "used", "-", "field:"
_CUSTOM = re.compile(r"custom field \((.*)\)$")
_DATES = ("created", "due", "done", "iteration_start", "iteration_end")
_EMPTY = frozenset({"", "[]", "{}", "null", "none", "0", "no", "false"})
_NO_VALUE = frozenset({"null", "---"})
"""What trackers write for a value that is not set."""
_PROJECT_IN_KEY = re.compile(r"([A-Z][A-Z0-9_]*)-\d+$")
_JIRA_COMMENT = re.compile(r"([^;\n]{6,40});([^;\n]*);(.*)", re.DOTALL)
_PIVOTAL_COMMENT = re.compile(r"(.*) \((.+) - ([^()]+)\)$", re.DOTALL)
_HOURS = re.compile(r"(?:(\d+(?:[.,]\d+)?) ?d\w*)? ?(?:(\d+(?:[.,]\d+)?) ?h?\w*)? ?(?:(\d+) ?m\w*)?$")


class TableFormat(Struct, frozen=True):
    """A format of tables, as words/formats.toml has it."""

    name: str
    label: str
    source: str
    required: Sequence[Sequence[str]]
    typical: Sequence[str]
    columns: Mapping[str, str]
    excluded: Sequence[str] = ()
    excluded_unless: Sequence[str] = ()
    markup: str = "markdown"
    tag_separator: str = ","
    priorities: str = ""
    story_types: Sequence[str] = ()
    usual_type: str = ""
    """The type of an item whose file has none."""
    has_small_statuses: bool = False
    """The export writes the names of statuses without their capitals."""

    def status(self, text: str) -> str:
        return text[:1].upper() + text[1:] if self.has_small_statuses else text

    def fits(self, keys: Sequence[str]) -> bool:
        known = set(keys)
        if not self.required or known & set(self.excluded):
            return False
        return all(known & set(each) for each in self.required)

    def score(self, keys: Sequence[str]) -> int:
        return len(set(keys) & set(self.typical))

    def role(self, key: str) -> str:
        """Return what a column holds, or an empty text."""
        custom = _CUSTOM.match(key)
        for each in (key, custom[1] if custom else ""):
            if found := self.columns.get(each) or role_of_heading(each):
                return found
        return ""


def table_formats() -> dict[str, TableFormat]:
    return {name: TableFormat(name, **values) for name, values in words_of("formats").items()}


def read_drafts(
    table: SourceTable, form: TableFormat, name: str, wanted: tuple[Mapping[str, str], Mapping[str, str]]
) -> Drafts:
    """Read all rows. Raises BadRequest without a title.

    `wanted` maps headings to what they hold, and wins over the format; then the labels of custom fields by key, which
    take the columns of their name that hold nothing else.
    """
    return _ColumnReading(table, form, name, wanted).run()


class _ColumnReading:
    def __init__(
        self, table: SourceTable, form: TableFormat, name: str, wanted: tuple[Mapping[str, str], Mapping[str, str]]
    ) -> None:
        self._table, self._form = table, form
        chosen, labels = wanted
        by_key = {heading_key(heading): role for heading, role in chosen.items()}
        custom = {heading_key(name): f"{FIELD}{key}" for key, label in labels.items() for name in (key, label)}
        custom |= {f"custom field ({name})": role for name, role in custom.items()}
        self._roles = [
            by_key.get(key) or form.role(key) or _structural(key) or custom.get(key, "") for key in table.keys
        ]
        unknown = [heading for heading in chosen if heading_key(heading) not in table.keys]
        if unknown:
            raise BadRequest(
                f"The mapping names columns that the file does not have: {', '.join(unknown)}."
                f" Found: {', '.join(table.headings)}."
            )
        self._is_tree = form.name == "azure" and "title 1" in table.keys
        if "title" not in self._roles and not self._is_tree:
            found = ", ".join(filter(None, table.headings))
            raise BadRequest(f"No column is a title. Found: {found[:400]}. Name one with --map.")
        self._positions: dict[str, list[int]] = {}
        for position, role in enumerate(self._roles):
            self._positions.setdefault(role, []).append(position)
        title = table.keys[self._positions["title"][0]] if "title" in self._positions else "title"
        is_english = title in {"title", "summary", "subject", "name", "task name"}
        texts = [row.cells[at] for role in _DATES for at in self._positions.get(role, ()) for row in table.rows]
        self._dates = DateReading(texts, is_english=is_english)
        self._drafts = Drafts(form.name, form.label, "", [])
        self._drafts.is_decimal_comma = table.delimiter == ";"
        self._name = name
        self._ancestors: list[Draft] = []

    def run(self) -> Drafts:
        drafts = self._drafts
        drafts.warnings += [DraftWarning(sentence, line) for line, sentence in self._table.warnings]
        for row in self._table.rows:
            self._note_people(row)
        for row in self._ordered():
            draft = self._draft(row)
            drafts.items.append(draft)
            drafts.items += self._tasks(row, draft)
        drafts.source = self._source()
        for heading, role in zip(self._table.headings, self._roles, strict=True):
            drafts.columns.setdefault(heading, role or LEFT_OUT)
            if role == "comment_count":
                drafts.comment_heading = heading
        self._count_left_out()
        return drafts

    def _ordered(self) -> Sequence[TableRow]:
        """Return the rows in the order of the column that holds the rank; without one, and in a tree, as they stand."""
        rows = self._table.rows
        if self._positions.get("rank") and not self._is_tree:
            return sorted(rows, key=lambda row: _rank(self._one(row, "rank")))
        for at, key in enumerate(self._table.keys if self._form.name == "jira" else ()):
            if key in {"rank", "custom field (rank)"}:
                ranks = [_rank(row.cells[at]) for row in rows]
                if ranks != sorted(ranks):
                    heading = self._table.headings[at]
                    sentence = f'The rows are not in the order of {heading}. To take it, map the column to "rank"'
                    self._drafts.warnings.append(DraftWarning(sentence, WHOLE_FILE))
        return rows

    def _source(self) -> str:
        names = [value for row in self._table.rows[:1] for value in self._all(row, "project")]
        if not names:
            names = [found[1] for draft in self._drafts.items[:1] if (found := _PROJECT_IN_KEY.match(draft.key))]
        if not names and self._form.name in {"azure", "backlit"}:
            paths = (
                value for row in self._table.rows for value in (*self._raw(row, "iteration"), *self._raw(row, "area"))
            )
            names = [path.split("\\")[0] for path in paths if path][:1]
        if not names and self._form.name == "gitlab":
            urls = (value for row in self._table.rows[:1] for value in self._all(row, "url"))
            names = [url.split("/-/")[0].split("/", 3)[-1] for url in urls]
        return " ".join(filter(None, (self._form.source, names[0] if names else self._name))).strip()

    def _count_left_out(self) -> None:
        for position, (heading, role) in enumerate(zip(self._table.headings, self._roles, strict=True)):
            if role in {"", LEFT_OUT} and heading:
                count = sum(row.cells[position].strip().casefold() not in _EMPTY for row in self._table.rows)
                if count:
                    self._drafts.left_out[heading] = self._drafts.left_out.get(heading, 0) + count

    # Cells

    def _raw(self, row: TableRow, role: str) -> list[str]:
        return [row.cells[at].strip() for at in self._positions.get(role, ())]

    def _all(self, row: TableRow, role: str) -> list[str]:
        return [value for value in self._raw(row, role) if value and value.casefold() not in _NO_VALUE]

    def _one(self, row: TableRow, role: str) -> str:
        return next(iter(self._all(row, role)), "")

    def _note_people(self, row: TableRow) -> None:
        people = self._drafts
        owner = self._one(row, "owner")
        if not owner.startswith("["):
            people.same_person(*names_of_person(owner), self._one(row, "owner_email"), self._one(row, "owner_id"))
        people.same_person(*names_of_person(self._one(row, "author")), self._one(row, "author_id"))
        for role in self._positions:
            if role.startswith("person:"):
                people.same_person(self._one(row, role), self._one(row, role.replace("person:", "person_id:")))

    def _draft(self, row: TableRow) -> Draft:
        form, one = self._form, self._one
        title, parents = one(row, "title"), self._all(row, "parent")
        depth = None
        if self._is_tree:
            title, depth = self._title_in_tree(row)
        links = [
            DraftLink(role.removeprefix("link:"), target)
            for role in self._positions
            if role.startswith("link:")
            for cell in self._all(row, role)
            for target in _split(cell)
        ]
        links += [each for at, key in enumerate(self._table.keys) for each in _jira_links(key, row.cells[at])]
        draft = Draft(
            row.line,
            key=one(row, "key").lstrip("#"),
            number=one(row, "number"),
            url=one(row, "url"),
            title=title,
            type=self._type(one(row, "type")),
            status=form.status(one(row, "status")),
            category=one(row, "category"),
            priority=one(row, "priority"),
            severity=one(row, "severity"),
            points=one(row, "points"),
            hours_left=self._hours(row, "left"),
            hours_done=self._hours(row, "done"),
            owners=self._owners(row),
            author=one(row, "author"),
            created=self._dates.read(one(row, "created")),
            due=self._dates.read(one(row, "due")),
            tags=[tag for cell in self._all(row, "tags") for tag in _split(cell, form.tag_separator)],
            iterations=self._iterations(row),
            parents=[each.lstrip("#") for each in parents],
            feature=one(row, "feature"),
            description=to_markdown(self._description(row), form.markup, self._drafts.people),
            steps=to_markdown(one(row, "steps"), form.markup, self._drafts.people),
            criteria=to_markdown(one(row, "criteria"), form.markup, self._drafts.people),
            comments=[comment for cell in self._all(row, "comment") for comment in self._comments(cell)],
            links=[link for link in links if link.target],
            files=[file for cell in self._all(row, "files") for file in _files(cell)],
            fields={
                role.removeprefix(FIELD): value
                for role in self._positions
                if role.startswith(FIELD) and (value := one(row, role))
            },
            is_done=bool(one(row, "done")) or one(row, "closed").casefold() in {"true", "yes", "1"},
            is_archived=one(row, "archived").casefold() not in {"", "false", "no"},
        )
        areas = self._all(row, "area")
        draft.area = areas[0] if areas else ""
        draft.tags = [*draft.tags, *(each for each in areas[1:] if form.name == "jira")]
        for cell in self._all(row, "comment_count"):
            self._drafts.counted_comments += int(cell) if cell.isdecimal() else 0
        if depth is not None:
            del self._ancestors[depth:]
            draft.parents = [self._ancestors[-1].key or self._ancestors[-1].title] if self._ancestors else []
            self._ancestors.append(draft)
        return draft

    def _type(self, text: str) -> str:
        return "Story" if text.casefold() in self._form.story_types else text or self._form.usual_type

    def _description(self, row: TableRow) -> str:
        parts = self._all(row, "description")
        parts += [f"Environment: {each}" for each in self._all(row, "environment")]
        return "\n\n".join(parts)

    def _title_in_tree(self, row: TableRow) -> tuple[str, int]:
        for depth, key in enumerate(key for key in self._table.keys if re.fullmatch(r"title \d+", key)):
            if title := row.cells[self._table.keys.index(key)].strip():
                return title, min(depth, len(self._ancestors))
        return "", len(self._ancestors)

    def _owners(self, row: TableRow) -> list[list[str]]:
        beside = [*self._all(row, "owner_email"), *self._all(row, "owner_id")]
        is_list = self._form.name == "shortcut"
        cells = [
            name
            for cell in self._all(row, "owner")
            for name in (_split(cell, self._form.tag_separator) if is_list or cell[0] == "[" else [cell])
        ]
        people = [names_of_person(cell) for cell in dict.fromkeys(cells)]
        if beside and len(people) < 2:
            return [[*(people[0] if people else ()), *beside]]
        return people

    def _iterations(self, row: TableRow) -> list[DraftIteration]:
        start, end = (self._dates.read(self._one(row, f"iteration_{each}")) for each in ("start", "end"))
        names = self._all(row, "iteration")
        if self._form.name == "pivotal":
            names = [f"Iteration {name}" if name.isdecimal() else name for name in names]
        dates = (start.day if start else None, end.day if end else None)
        return [DraftIteration(name, *(dates if name == names[-1] else (None, None))) for name in names]

    def _hours(self, row: TableRow, which: str) -> float | None:
        seconds = self._one(row, f"seconds_{which}")
        if seconds:
            return round(float(seconds) / 3600, 2) if seconds.replace(".", "", 1).isdecimal() else None
        found = _HOURS.match(self._one(row, f"hours_{which}").strip())
        if not found or not any(found.groups()):
            return None
        days, hours, minutes = (float((each or "0").replace(",", ".")) for each in found.groups())
        return round(days * 8 + hours + minutes / 60, 2)

    def _comments(self, cell: str) -> Iterator[DraftComment]:
        if cell.startswith("[") and self._form.name == "clickup":
            for each in _objects_in(cell):
                at = self._dates.read(each.get("date"))
                yield DraftComment(str(each.get("text") or ""), str(each.get("by") or ""), at)
            return
        if self._form.name == "pivotal" and (parts := _PIVOTAL_COMMENT.match(cell)):
            yield DraftComment(parts[1], parts[2], self._dates.read(parts[3]))
        elif (parts := _JIRA_COMMENT.match(cell)) and (at := self._dates.read(parts[1])) and at.moment:
            yield DraftComment(to_markdown(parts[3], self._form.markup, self._drafts.people), parts[2], at)
        else:
            yield DraftComment(to_markdown(cell, self._form.markup, self._drafts.people))

    def _tasks(self, row: TableRow, parent: Draft) -> Iterator[Draft]:
        """Yield the tasks of a story, which stand in columns beside it, or all in one."""
        for title in (title for cell in self._all(row, "tasks") for title in _split(cell, self._form.tag_separator)):
            yield Draft(row.line, title=title, type="Sub-task", parents=[parent.key])
        for at in self._positions.get("task", ()):
            if title := row.cells[at].strip():
                is_done = row.cells[at + 1].strip().casefold() == "completed" if at + 1 < len(row.cells) else False
                yield Draft(
                    row.line, title=title, type="Sub-task", status="Done" if is_done else "To Do", parents=[parent.key]
                )


def _rank(cell: str) -> tuple[bool, float, str]:
    """Return what ranks compare by: numbers as such, texts as texts, and items without a rank last."""
    try:
        return False, float(cell), ""
    except ValueError:
        return not cell.strip(), 0.0, cell.strip()


def _split(cell: str, separator: str = ",") -> list[str]:
    if cell.startswith("[") and cell.endswith("]"):
        try:
            found = json.loads(cell)
            return [str(each) for each in found]
        except ValueError:
            cell = cell[1:-1]
    return [part.strip().strip("\"'") for part in cell.split(separator) if part.strip()]


def names_of_person(text: str) -> list[str]:
    """Return the names of a person: `Maya Lind <maya@example.com>` has two."""
    found = re.match(r"(.*?)\s*<([^<>]+)>\s*$", text)
    return [part for part in ((found[1], found[2]) if found else (text,)) if part]


def _structural(key: str) -> str:
    """Return `used` for columns that are read by the form of their heading."""
    return USED if re.match(r"title \d+$|(inward|outward) issue link \(", key) else ""


def _jira_links(key: str, cell: str) -> Iterator[DraftLink]:
    found = re.match(r"(inward|outward) issue link \((.+)\)$", key)
    if found and cell.strip():
        kind = found[2].capitalize()
        inward = "Blocked by" if kind == "Blocks" else f"{kind} (inward)"
        yield DraftLink(inward if found[1] == "inward" else kind, cell.strip())


def _objects_in(cell: str) -> list[dict[str, Any]]:
    """Return the objects of a JSON list; none for a cell that is no JSON."""
    try:
        found = json.loads(cell)
    except ValueError:
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _files(cell: str) -> Iterator[DraftFile]:
    if cell.startswith("["):
        for each in _objects_in(cell):
            yield DraftFile(str(each.get("title") or each.get("name") or ""), str(each.get("url") or ""))
        return
    parts = cell.split(";")
    if len(parts) >= 4 and "://" in parts[-1]:
        yield DraftFile(parts[-2], parts[-1])
    elif not cell.isdecimal():
        for name in cell.split(","):
            yield DraftFile(name.strip())
