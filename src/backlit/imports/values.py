"""The values of an item of a file as fields of backlit."""

import re
from collections.abc import Iterator, Mapping, Sequence

from backlit.imports.criteria import criteria_of_text, new_criterion
from backlit.imports.drafts.draft import Draft, Drafts
from backlit.imports.formats.columns import table_formats
from backlit.imports.hierarchy import PlacedDraft
from backlit.imports.people import PeopleMatching
from backlit.imports.plan import ImportPlan
from backlit.imports.words.tables import (
    DELETED,
    DONE,
    DROPPED,
    NOT_STARTED,
    PROGRESS,
    TEST,
    category_group,
    folded,
    priority_named,
    status_group,
)
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, NAME_LIMIT, SEVERITIES, ItemType
from backlit.model.import_mappings import ImportMapping
from backlit.store.edits.imports import ImportedObject
from backlit.store.field_words import FieldReading
from backlit.store.store import Store

WANTED_STATUSES: Mapping[str, Sequence[str]] = {
    NOT_STARTED: ("Not Done", "Active"),
    PROGRESS: ("In Progress", "Active"),
    TEST: ("Ready For Test", "In Progress", "Active"),
    DONE: ("Done", "Closed"),
    DROPPED: ("Deferred", "Done", "Closed"),
    DELETED: ("Deleted", "Deferred", "Done", "Closed"),
}
"""The statuses of a group, the best first; a type has the first one that is among its own."""
NO_PRIORITY = frozenset({"none", "no priority", "null", "not set", "-", "--", "0", "ohne", "keine"})
_ESTIMATED = FIELD_BY_KEY["Estimate"].types
PRIORITIZED_TYPES = FIELD_BY_KEY["Priority"].types
_SEVERITY = FIELD_BY_KEY["Severity"].types


class DraftValues:
    """Turns texts of another tracker into values; what is decided and what is missing is noted in the plan."""

    def __init__(
        self, store: Store, drafts: Drafts, mapping: ImportMapping, people: PeopleMatching, plan: ImportPlan
    ) -> None:
        self._store, self._drafts, self._people, self._plan = store, drafts, people, plan
        self._own_statuses = {(kind, folded(name)): status for (kind, name), status in mapping.statuses.items()}
        form = table_formats().get(drafts.format)
        self._priority_scale = form.priorities if form else ""
        self._custom = {each.key: each for each in store.lookups.custom_fields()}
        self._due = store.lookups.due_field()
        self._has_criteria = drafts.format == "backlit" and store.lookups.announces("acceptanceCriteria")
        self._reading = FieldReading(store)
        self._own_priorities = {folded(name): number for name, number in mapping.priorities.items()}

    def fields(self, each: PlacedDraft, title: str) -> dict[str, object]:
        """Return the fields of an item without its description and places."""
        draft, item_type = each.draft, each.type
        fields: dict[str, object] = {"Name": title}
        if status := self._status(draft, item_type):
            fields["Status"] = status
        if (owner := self._owner(draft)) is not None:
            fields["AssignedToID"] = owner
        if item_type != ItemType.TASK and draft.tags:
            tags = (" ".join(tag.replace(",", " ").split()) for tag in draft.tags)
            fields["Tags"] = [*dict.fromkeys(tag for tag in tags if tag)]
        if item_type in _ESTIMATED and draft.points:
            fields["Estimate"] = self._points(draft.points)
        if item_type in PRIORITIZED_TYPES and (priority := self._priority(draft)) is not None:
            fields["Priority"] = priority
        if item_type in _SEVERITY and (severity := _severity(draft.severity)):
            fields["Severity"] = severity
        if item_type == ItemType.TASK:
            hours = {"WorkRemaining": draft.hours_left, "WorkCompleted": draft.hours_done}
            fields |= {key: value for key, value in hours.items() if value is not None}
        if item_type == ItemType.BUG and draft.steps:
            fields["StepsToReproduce"] = draft.steps
        fields |= self.due_of(draft, item_type)
        for key, text in draft.fields.items():
            self._own_field(draft, item_type, fields, (key, text))
        return fields

    def due_of(self, draft: Draft, item_type: str) -> dict[str, object]:
        """Return the value of the project's due field, where it has one and the file a day."""
        day = draft.due.day if draft.due else None
        if day is None or self._due is None or not self._due.applies_to(item_type):
            return {}
        return {self._due.key: day.isoformat()}

    def body(self, draft: Draft, item_type: str, title: str) -> str:
        """Return the description above the origin block."""
        whole = " ".join(draft.title.splitlines()).strip()
        parts = [whole] if whole != title else []
        if parts:
            self._plan.warn(
                draft, f"A title has more than {NAME_LIMIT} characters: the whole one opens the description"
            )
        parts.append(draft.description)
        if draft.steps and item_type != ItemType.BUG:
            parts.append(f"## Steps to reproduce\n\n{draft.steps}")
        if draft.criteria and not self.criteria_of(draft, item_type):
            parts.append(f"## Acceptance criteria\n\n{draft.criteria}")
        return "\n\n".join(part for part in parts if part.strip())

    def criteria_of(self, draft: Draft, item_type: str) -> list[ImportedObject]:
        """Return the criteria of an export of backlit; other trackers have a text, which the description keeps."""
        if not self._has_criteria or item_type == ItemType.TASK:
            return []
        return [new_criterion(title, status) for title, status in criteria_of_text(draft.criteria)]

    def comments(self, draft: Draft) -> Iterator[str]:
        """Yield the comments as texts with author and time, the oldest first."""
        dated = sorted(
            draft.comments, key=lambda each: each.at.moment.isoformat() if each.at and each.at.moment else ""
        )
        for comment in dated:
            text = comment.text.strip()
            author = self._people.shown([comment.author]) if comment.author else ""
            at = comment.at.shown if comment.at else ""
            head = ", ".join(filter(None, (f"**{author}**" if author else "", at)))
            if text:
                yield f"{head} (imported)\n\n{text}" if head else text

    def _owner(self, draft: Draft) -> int | None:
        if not draft.owners:
            return None
        names, plan = draft.owners[0], self._plan
        shown, owner = self._people.shown(names), self._people.find(names)
        plan.people[self._people.name_in_file(names), self._people.user_name(owner)] += 1
        if owner is None and self._people.is_ambiguous(names):
            self._plan.warn(draft, f"{shown} may be several users: unassigned", "owner", shown)
        return owner

    def _own_field(self, draft: Draft, item_type: str, fields: dict[str, object], cell: tuple[str, str]) -> None:
        key, text = cell
        known = FIELD_BY_KEY.get(key) or self._custom.get(key)
        if known is None:
            self._plan.fault(draft, f"The mapping names the field {key}, which this project does not have", key, text)
        elif known.applies_to(item_type):
            try:
                fields[key] = self._reading.read(known, item_type, text)
            except BadRequest as error:
                # Another project of backlit has teams and choices of its own.
                note = self._plan.warn if self._drafts.format == "backlit" else self._plan.fault
                note(draft, error.message, key, text)

    def _points(self, text: str) -> str:
        number = text.strip()
        if self._drafts.is_decimal_comma or re.fullmatch(r"\d+,\d{1,2}", number):
            number = number.replace(",", ".")
        try:
            return f"{float(number):g}"
        except ValueError:
            return text.strip()

    def _priority(self, draft: Draft) -> int | None:
        text = draft.priority.strip()
        if not text:
            return None
        number = self._own_priorities.get(folded(text))
        if number is None:
            number = int(text) if text.isdecimal() else priority_named(text, self._priority_scale)
            if not number and folded(text) in NO_PRIORITY:
                return None
        if number is None and re.match(r"[1-5]\b", text):
            number = int(text[0])
        if number is None:
            self._plan.warn(draft, f"The priority {text!r} is unknown: none is set", "priority", text)
        self._plan.priorities[text, number] += 1
        return number

    def _status(self, draft: Draft, item_type: str) -> str:
        choices = self._store.lookups.statuses(item_type)
        text = draft.status.strip()
        own = self._own_statuses.get((item_type, folded(text))) or self._own_statuses.get(("", folded(text)))
        if own:
            if own not in choices:
                self._plan.fault(
                    draft, f"The mapping names the status {own!r}; a {item_type} has: {', '.join(choices)}"
                )
            self._plan.statuses[item_type, text, own] += 1
            return own
        by_name = {folded(each): each for each in choices}
        if draft.is_archived:
            return _first_of(WANTED_STATUSES[DROPPED], choices)
        status = by_name.get(folded(text), "")
        group = "" if status else status_group(text)
        if not status and not group and text:
            group = category_group(draft.category) or (DONE if draft.is_done else "")
            shown = _first_of(WANTED_STATUSES.get(group, ()), choices)
            number, _ = self._plan.unknown_statuses.get(text, (0, ""))
            self._plan.unknown_statuses[text] = (number + 1, f"{shown} (its category)" if group else shown)
        if not text:
            group = DONE if draft.is_done else category_group(draft.category)
        status = status or _first_of(WANTED_STATUSES.get(group, ()), choices)
        if text:
            self._plan.statuses[item_type, text, status] += 1
        return status


def _first_of(wanted: Sequence[str], choices: Sequence[str]) -> str:
    return next((each for each in wanted if each in choices), next(iter(choices), ""))


def _severity(text: str) -> str:
    word = text.strip().casefold()
    for each in SEVERITIES:
        number, _, name = each.partition(" - ")
        if word and (word[0] == number or word == name.casefold()):
            return each
    return ""
