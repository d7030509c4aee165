"""The field table: every key of a work item as data, for all layers."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType

from msgspec import Struct


class ItemType(StrEnum):
    """The seven types of work item."""

    FEATURE = "Feature"
    STORY = "Story"
    BUG = "Bug"
    ISSUE = "Issue"
    RISK = "Risk"
    FEEDBACK = "Feedback"
    TASK = "Task"


class Kind(StrEnum):
    """The kind of a field, which decides its editor, checks, filters and display."""

    TEXT = "text"
    LONG_TEXT = "long text"
    CHOICE = "choice"
    STATUS = "status"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TAGS = "tags"
    AREA = "area"
    ITERATION = "iteration"
    TEAM = "team"
    USER = "user"
    ITEM = "item reference"
    COMPUTED = "computed"


class ValueType(StrEnum):
    """The type of a field's JSON value, which decides comparison and sorting."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    """A day as text, 2026-03-01, which compares and sorts as text does."""
    TAGS = "tags"
    DATETIME = "datetime"


class Settable(StrEnum):
    """The times at which a caller may set a field; the service ignores it at others."""

    ALWAYS = "always"
    ON_CREATE = "on create"
    NEVER = "never"


class Section(StrEnum):
    """Groups of fields in the editor and the documentation."""

    MAIN = "Item"
    PLANNING = "Planning"
    ASSESSMENT = "Assessment"
    PORTAL = "Portal"
    CUSTOM = "Custom fields"
    COMPUTED = "Computed"


_VALUE_TYPE_BY_KIND: Mapping[Kind, ValueType] = MappingProxyType(
    {
        Kind.TEXT: ValueType.TEXT,
        Kind.LONG_TEXT: ValueType.TEXT,
        Kind.CHOICE: ValueType.TEXT,
        Kind.STATUS: ValueType.TEXT,
        Kind.INTEGER: ValueType.INTEGER,
        Kind.NUMBER: ValueType.NUMBER,
        Kind.BOOLEAN: ValueType.BOOLEAN,
        Kind.DATE: ValueType.DATE,
        Kind.TAGS: ValueType.TAGS,
        Kind.AREA: ValueType.INTEGER,
        Kind.ITERATION: ValueType.INTEGER,
        Kind.TEAM: ValueType.INTEGER,
        Kind.USER: ValueType.INTEGER,
        Kind.ITEM: ValueType.INTEGER,
    }
)

CUSTOM_KINDS = (Kind.TEXT, Kind.LONG_TEXT, Kind.CHOICE, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN, Kind.DATE)
"""The kinds of a project's own fields."""

ALL_TYPES: tuple[ItemType, ...] = tuple(ItemType)
_NOT_FEEDBACK = tuple(t for t in ItemType if t is not ItemType.FEEDBACK)
_NOT_TASK = tuple(t for t in ItemType if t is not ItemType.TASK)
UNCOUNTED_TYPES = frozenset({ItemType.TASK, ItemType.FEEDBACK})
"""Types that count in no figure of an iteration."""
_ESTIMATED = tuple(t for t in ItemType if t not in UNCOUNTED_TYPES)

_STORY_STATUSES = ("Not Done", "In Progress", "Ready For Test", "Done", "Deferred", "Deleted")
_TASK_STATUSES = ("Not Done", "In Progress", "Done", "Deleted")
_ACTIVE_STATUSES = ("Active", "Closed")

STATUSES: Mapping[ItemType, tuple[str, ...]] = MappingProxyType(
    {
        ItemType.FEATURE: _STORY_STATUSES,
        ItemType.STORY: _STORY_STATUSES,
        ItemType.BUG: _STORY_STATUSES,
        ItemType.TASK: _TASK_STATUSES,
        ItemType.ISSUE: _ACTIVE_STATUSES,
        ItemType.RISK: _ACTIVE_STATUSES,
        ItemType.FEEDBACK: (),
    }
)

PRIORITY_CLASSES = ("1 - Must Have", "2 - Should Have", "3 - Could Have", "4 - Won't Have")
CERTAINTIES = ("1 - Uncertain", "2 - Somewhat Uncertain", "3 - Average", "4 - Somewhat Certain", "5 - Certain")
COMPLEXITIES = ("1 - Simple", "2 - Somewhat Simple", "3 - Standard", "4 - Somewhat Complex", "5 - Complex")
MATURITIES = ("1 - Undefined", "2 - Not Mature", "3 - Somewhat Not Mature", "4 - Somewhat Mature", "5 - Mature")
VALUE_CLASSES = ("1 - Cost Saver", "2 - Differentiator", "3 - Spoiler", "4 - Table Stakes")
SEVERITIES = ("1 - Critical", "2 - High", "3 - Medium", "4 - Low")
PROBABILITIES = ("1 - Unlikely", "2 - Somewhat Unlikely", "3 - Somewhat Likely", "4 - Likely")
FEEDBACK_TYPES = ("Idea", "Feedback", "Feature Request", "Problem")
SIZES = (
    "Extra Small (XS)",
    "Small (S)",
    "Medium Small (MS)",
    "Medium (M)",
    "Medium Large (ML)",
    "Large (L)",
    "Extra Large (XL)",
    "Extra, Extra Large (XXL)",
)


@cache
def _snake_case(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", key).lower()


class Field(Struct, frozen=True):
    """A key of a work item's `fields`, or a top-level property, with its rules.

    `choices` are the default valid values; a project may have others. `column` is the name of its
    typed column in the service's table and in the mirror.
    """

    key: str
    kind: Kind
    types: tuple[ItemType, ...]
    label: str
    section: Section
    help: str = ""
    required: bool = False
    settable: Settable = Settable.ALWAYS
    choices: tuple[str, ...] = ()
    default: str | None = None
    computed: ValueType | None = None
    is_due: bool = False
    """Whether the field is the due date of its project."""

    @property
    def value_type(self) -> ValueType:
        """Return the type of the field's JSON value."""
        return self.computed or _VALUE_TYPE_BY_KIND[self.kind]

    @property
    def column(self) -> str:
        """Return the key in snake case: AssignedToID becomes assigned_to_id."""
        return _snake_case(self.key)

    def applies_to(self, item_type: str) -> bool:
        return item_type in self.types

    def choices_for(self, item_type: str) -> tuple[str, ...]:
        """Return the default valid values for a type; empty for free values."""
        return STATUSES[ItemType(item_type)] if self.kind is Kind.STATUS else self.choices

    def default_for(self, item_type: str) -> str | None:
        """Return the preset of new items; areas and iterations get the project's root instead."""
        if self.kind is Kind.STATUS:
            return next(iter(self.choices_for(item_type)), None)
        return self.default


def _computed(key: str, value: ValueType, types: tuple[ItemType, ...], label: str, help_: str) -> Field:
    return Field(key, Kind.COMPUTED, types, label, Section.COMPUTED, help_, settable=Settable.NEVER, computed=value)


_F, _S, _B, _T = ItemType.FEATURE, ItemType.STORY, ItemType.BUG, ItemType.TASK
_I, _R, _FB = ItemType.ISSUE, ItemType.RISK, ItemType.FEEDBACK
_MAIN, _PLAN, _ASSESSMENT, _PORTAL = Section.MAIN, Section.PLANNING, Section.ASSESSMENT, Section.PORTAL

FIELDS: tuple[Field, ...] = (
    Field("Name", Kind.TEXT, ALL_TYPES, "Name", _MAIN, "One line, up to 500 characters.", required=True),
    Field("Status", Kind.STATUS, _NOT_FEEDBACK, "Status", _MAIN, "Default depends on the type."),
    Field("AssignedToID", Kind.USER, _NOT_FEEDBACK, "Owner", _MAIN, "The user who works on the item."),
    Field("TeamID", Kind.TEAM, _NOT_FEEDBACK, "Team", _MAIN, "The team that works on the item."),
    Field("Tags", Kind.TAGS, _NOT_TASK, "Tags", _MAIN, "Words separated by commas."),
    Field("Description", Kind.LONG_TEXT, ALL_TYPES, "Description", _MAIN, "Markdown or plain text."),
    Field(
        "ParentID",
        Kind.ITEM,
        (_T,),
        "Parent",
        _MAIN,
        "The item the task belongs to.",
        required=True,
        settable=Settable.ON_CREATE,
    ),
    Field("AreaID", Kind.AREA, ALL_TYPES, "Area", _PLAN, "Default: the project's root area."),
    Field("IterationID", Kind.ITERATION, ALL_TYPES, "Iteration", _PLAN, "Default: the project's root iteration."),
    Field("Estimate", Kind.TEXT, _ESTIMATED, "Estimate", _PLAN, "Story points, or a word such as XL."),
    Field("PriorityClass", Kind.CHOICE, (_F, _S), "Priority class", _PLAN, choices=PRIORITY_CLASSES),
    Field("Priority", Kind.INTEGER, (_S, _B, _I, _R), "Priority", _PLAN, "A whole number."),
    Field("Severity", Kind.CHOICE, (_B, _I, _R), "Severity", _PLAN, choices=SEVERITIES),
    Field("IsBlocking", Kind.BOOLEAN, (_B, _I, _R), "Blocking", _PLAN),
    Field("EstimateOptimistic", Kind.NUMBER, (_T,), "Optimistic", _PLAN, "Hours, if all goes well."),
    Field("EstimateProbable", Kind.NUMBER, (_T,), "Probable", _PLAN, "Hours, most likely."),
    Field("EstimatePessimistic", Kind.NUMBER, (_T,), "Pessimistic", _PLAN, "Hours, if it goes badly."),
    Field("WorkRemaining", Kind.NUMBER, (_T,), "Work remaining", _PLAN, "Hours."),
    Field("WorkCompleted", Kind.NUMBER, (_T,), "Work completed", _PLAN, "Hours."),
    Field("Certainty", Kind.CHOICE, (_S,), "Certainty", _ASSESSMENT, choices=CERTAINTIES),
    Field("Complexity", Kind.CHOICE, (_S,), "Complexity", _ASSESSMENT, choices=COMPLEXITIES),
    Field("Maturity", Kind.CHOICE, (_S,), "Maturity", _ASSESSMENT, choices=MATURITIES),
    Field("ValueClass", Kind.CHOICE, (_S,), "Value class", _ASSESSMENT, choices=VALUE_CLASSES),
    Field("IsTriaged", Kind.BOOLEAN, (_B,), "Triaged", _ASSESSMENT),
    Field("StepsToReproduce", Kind.LONG_TEXT, (_B,), "Steps to reproduce", _ASSESSMENT),
    Field("Assessed", Kind.BOOLEAN, (_I, _R), "Assessed", _ASSESSMENT),
    Field("Benefit", Kind.TEXT, (_I,), "Benefit", _ASSESSMENT),
    Field("Probability", Kind.CHOICE, (_R,), "Probability", _ASSESSMENT, choices=PROBABILITIES),
    Field("Resolution", Kind.LONG_TEXT, (_I, _R), "Resolution", _ASSESSMENT),
    Field("FeedbackType", Kind.CHOICE, (_FB,), "Feedback type", _ASSESSMENT, choices=FEEDBACK_TYPES),
    Field("Size", Kind.CHOICE, (_FB,), "Size", _ASSESSMENT, choices=SIZES),
    Field("Source", Kind.TEXT, (_FB,), "Source", _ASSESSMENT, "The person or event behind the item."),
    Field("IsPrivate", Kind.BOOLEAN, (_FB,), "Private", _PORTAL),
    Field(
        "IsVisibleInPortal",
        Kind.BOOLEAN,
        (_FB,),
        "Visible in portal",
        _PORTAL,
        "Visible to customers in the feedback portal.",
    ),
    Field(
        "PortalDescription",
        Kind.LONG_TEXT,
        (_FB,),
        "Portal description",
        _PORTAL,
        "The reply to customers in the portal.",
    ),
    _computed(
        "BacklogPriority",
        ValueType.NUMBER,
        ALL_TYPES,
        "Backlog priority",
        "Rank in the backlog; lists sort by this number.",
    ),
    _computed(
        "CalculatedEstimate",
        ValueType.NUMBER,
        _NOT_TASK,
        "Calculated estimate",
        "Roll-up of the estimates of the item's tasks.",
    ),
    _computed(
        "PertEstimate", ValueType.NUMBER, (_T,), "PERT estimate", "(optimistic + 4 × probable + pessimistic) / 6."
    ),
    _computed("Likes", ValueType.INTEGER, (_FB,), "Likes", "Number of likes."),
    _computed("Disliked", ValueType.INTEGER, (_FB,), "Dislikes", "Number of dislikes."),
    _computed("IsSyncable", ValueType.BOOLEAN, ALL_TYPES, "Syncable", "Synced with an external tracker."),
    _computed("SyncID", ValueType.INTEGER, _NOT_FEEDBACK, "Sync ID", "The item's id in the external tracker."),
)

TOP_LEVEL: tuple[Field, ...] = (
    _computed("id", ValueType.INTEGER, ALL_TYPES, "ID", "Set by the server."),
    _computed("type", ValueType.TEXT, ALL_TYPES, "Type", "Cannot be changed later."),
    _computed("projectId", ValueType.INTEGER, ALL_TYPES, "Project", "Cannot be changed later."),
    _computed("createdBy", ValueType.TEXT, ALL_TYPES, "Created by", "Name of the user."),
    _computed("createdAt", ValueType.DATETIME, ALL_TYPES, "Created", "Set by the server."),
    _computed("lastModifiedBy", ValueType.TEXT, ALL_TYPES, "Modified by", "Name of the user."),
    _computed("lastModifiedAt", ValueType.DATETIME, ALL_TYPES, "Modified", "Set by the server."),
)

FEATURE_ID, CRITERIA_COUNT = "FeatureID", "CriteriaCount"
"""The virtual properties of an item's Feature and of the number of its criteria."""
VIRTUAL: tuple[Field, ...] = (
    _computed(FEATURE_ID, ValueType.INTEGER, _NOT_TASK, "Feature", "The Feature that is the item's parent."),
    _computed("IsBlocked", ValueType.BOOLEAN, ALL_TYPES, "Blocked", "True while an item that blocks it is open."),
    _computed("RelationCount", ValueType.INTEGER, ALL_TYPES, "Relations", "Number of relations to other items."),
    _computed(CRITERIA_COUNT, ValueType.INTEGER, _NOT_TASK, "Criteria", "Number of acceptance criteria."),
    _computed("CriteriaPassed", ValueType.INTEGER, _NOT_TASK, "Criteria passed", "Number of criteria that passed."),
)
"""Properties that filters, orders and selections name, and that are no part of an item."""

FIELD_BY_KEY: Mapping[str, Field] = MappingProxyType({f.key: f for f in FIELDS})
VIRTUAL_BY_KEY: Mapping[str, Field] = MappingProxyType({f.key: f for f in VIRTUAL})
PROPERTY_BY_LOWER_NAME: Mapping[str, Field] = MappingProxyType({f.key.lower(): f for f in (*TOP_LEVEL, *FIELDS)})

SYNC_KEYS = frozenset({"IsSyncable", "SyncID"})
LARGEST_NUMBER = 1e300
"""A number field and a capacity hold no larger number, so that sums stay finite."""
NAME_LIMIT = 500


def fields_of(item_type: str, custom: Iterable[Field] = ()) -> tuple[Field, ...]:
    """Return the fields of a type in the table's order, custom fields last."""
    return tuple(f for f in (*FIELDS, *custom) if f.applies_to(item_type))


DUE_LABEL = "Due date"
"""What the due date of a project is called, whatever the key of its field."""


def custom_field(
    key: str,
    kind: Kind,
    types: tuple[ItemType, ...] = ALL_TYPES,
    choices: tuple[str, ...] = (),
    default: str | None = None,
) -> Field:
    """Make a project's own field; its key must end in `_cf`."""
    label = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key.removesuffix("_cf").replace("_", " "))
    return Field(key, kind, types, label, Section.CUSTOM, choices=choices, default=default)


def choice_word(choice: str) -> str:
    """Return a choice without the number that sorts it: `1 - Must Have` is Must have."""
    number, _, words = choice.partition(" - ")
    if not (words and number.isdecimal()):
        return choice
    first, *others = words.split(" ")
    return " ".join([first[:1].upper() + first[1:], *(each.lower() if each[1:].islower() else each for each in others)])
