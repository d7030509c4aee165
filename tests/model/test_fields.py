"""The field table against SPEC 2.1, whose tables are transcribed here row by row."""

import pytest

from backlit.model.fields import (
    FIELD_BY_KEY,
    FIELDS,
    PROPERTY_BY_LOWER_NAME,
    STATUSES,
    TOP_LEVEL,
    Field,
    ItemType,
    Kind,
    Settable,
    ValueType,
    choice_word,
    custom_field,
    fields_of,
)

SEVEN = ("Feature", "Story", "Bug", "Issue", "Risk", "Feedback", "Task")
NO_FEEDBACK = tuple(t for t in SEVEN if t != "Feedback")
NO_TASK = tuple(t for t in SEVEN if t != "Task")
NO_TASK_NOR_FEEDBACK = tuple(t for t in SEVEN if t not in {"Task", "Feedback"})

# Key, type of value in SPEC's words, the types that have it, remarks.
COMMON = (
    ("Name", "string", SEVEN, "Required"),
    ("Status", "string", NO_FEEDBACK, ""),
    ("AreaID", "integer", SEVEN, ""),
    ("IterationID", "integer", SEVEN, ""),
    ("BacklogPriority", "double", SEVEN, "Read-only"),
    ("Description", "string", SEVEN, ""),
    ("TeamID", "integer", NO_FEEDBACK, ""),
    ("AssignedToID", "integer", NO_FEEDBACK, ""),
    ("Estimate", "string", NO_TASK_NOR_FEEDBACK, ""),
    ("Tags", "array of string", NO_TASK, ""),
    ("IsSyncable", "boolean", SEVEN, "Read-only"),
    ("SyncID", "integer", NO_FEEDBACK, "Read-only"),
    # A roll-up of children, so nobody can set it; tasks have no children.
    ("CalculatedEstimate", "double", NO_TASK, "Read-only"),
)

PRIORITY_CLASS = ("1 - Must Have", "2 - Should Have", "3 - Could Have", "4 - Won't Have")
SEVERITY = ("1 - Critical", "2 - High", "3 - Medium", "4 - Low")

# Type, key, type of value, choices, remarks: SPEC's second table.
SPECIFIC = (
    ("Feature", "PriorityClass", "string", PRIORITY_CLASS, ""),
    (
        "Story",
        "Certainty",
        "string",
        ("1 - Uncertain", "2 - Somewhat Uncertain", "3 - Average", "4 - Somewhat Certain", "5 - Certain"),
        "",
    ),
    (
        "Story",
        "Complexity",
        "string",
        ("1 - Simple", "2 - Somewhat Simple", "3 - Standard", "4 - Somewhat Complex", "5 - Complex"),
        "",
    ),
    (
        "Story",
        "Maturity",
        "string",
        ("1 - Undefined", "2 - Not Mature", "3 - Somewhat Not Mature", "4 - Somewhat Mature", "5 - Mature"),
        "",
    ),
    ("Story", "Priority", "integer", (), ""),
    ("Story", "PriorityClass", "string", PRIORITY_CLASS, ""),
    ("Story", "ValueClass", "string", ("1 - Cost Saver", "2 - Differentiator", "3 - Spoiler", "4 - Table Stakes"), ""),
    ("Bug", "IsBlocking", "bool", (), ""),
    ("Bug", "IsTriaged", "bool", (), ""),
    ("Bug", "Priority", "integer", (), ""),
    ("Bug", "Severity", "string", SEVERITY, ""),
    ("Bug", "StepsToReproduce", "string", (), ""),
    ("Task", "ParentID", "integer", (), "Required, read-only"),
    ("Task", "EstimateOptimistic", "float", (), ""),
    ("Task", "EstimatePessimistic", "float", (), ""),
    ("Task", "EstimateProbable", "float", (), ""),
    ("Task", "PertEstimate", "float", (), "Read-only"),
    ("Task", "WorkRemaining", "double", (), ""),
    ("Task", "WorkCompleted", "double", (), ""),
    ("Issue", "Assessed", "boolean", (), ""),
    ("Issue", "Benefit", "string", (), ""),
    ("Issue", "IsBlocking", "boolean", (), ""),
    ("Issue", "Priority", "integer", (), ""),
    ("Issue", "Resolution", "string", (), ""),
    ("Issue", "Severity", "string", SEVERITY, ""),
    ("Risk", "Assessed", "boolean", (), ""),
    ("Risk", "IsBlocking", "boolean", (), ""),
    ("Risk", "Priority", "integer", (), ""),
    (
        "Risk",
        "Probability",
        "string",
        ("1 - Unlikely", "2 - Somewhat Unlikely", "3 - Somewhat Likely", "4 - Likely"),
        "",
    ),
    ("Risk", "Resolution", "string", (), ""),
    ("Risk", "Severity", "string", SEVERITY, ""),
    ("Feedback", "FeedbackType", "string", ("Idea", "Feedback", "Feature Request", "Problem"), ""),
    ("Feedback", "IsVisibleInPortal", "boolean", (), ""),
    ("Feedback", "IsPrivate", "boolean", (), ""),
    ("Feedback", "PortalDescription", "string", (), ""),
    (
        "Feedback",
        "Size",
        "string",
        (
            "Extra Small (XS)",
            "Small (S)",
            "Medium Small (MS)",
            "Medium (M)",
            "Medium Large (ML)",
            "Large (L)",
            "Extra Large (XL)",
            "Extra, Extra Large (XXL)",
        ),
        "",
    ),
    ("Feedback", "Source", "string", (), ""),
    ("Feedback", "Likes", "integer", (), "Read-only"),
    ("Feedback", "Disliked", "integer", (), "Read-only"),
)

STORY_STATUSES = ("Not Done", "In Progress", "Ready For Test", "Done", "Deferred", "Deleted")
STATUSES_IN_SPEC = {
    "Feature": STORY_STATUSES,  # not listed there; it has Story's
    "Story": STORY_STATUSES,
    "Bug": STORY_STATUSES,
    "Task": ("Not Done", "In Progress", "Done", "Deleted"),
    "Issue": ("Active", "Closed"),
    "Risk": ("Active", "Closed"),
    "Feedback": (),
}

PRESET_STATUSES = {
    "Feature": "Not Done",
    "Story": "Not Done",
    "Bug": "Not Done",
    "Task": "Not Done",
    "Issue": "Active",
    "Risk": "Active",
    "Feedback": None,
}

VALUE_TYPES = {
    "string": ValueType.TEXT,
    "integer": ValueType.INTEGER,
    "double": ValueType.NUMBER,
    "float": ValueType.NUMBER,
    "bool": ValueType.BOOLEAN,
    "boolean": ValueType.BOOLEAN,
    "array of string": ValueType.TAGS,
}

# What a row (type, key) says: type of value, choices, remarks.
ROWS = {(t, key): (kind, (), remarks) for key, kind, types, remarks in COMMON for t in types} | {
    (t, key): (kind, choices, remarks) for t, key, kind, choices, remarks in SPECIFIC
}


def test_the_types_are_those_of_the_specification() -> None:
    assert tuple(ItemType) == SEVEN


def test_every_type_has_exactly_the_keys_of_the_specification() -> None:
    in_table = {(str(t), field.key) for field in FIELDS for t in field.types}

    assert in_table == set(ROWS)


@pytest.mark.parametrize(("row", "said"), ROWS.items(), ids=lambda value: ".".join(value) if len(value) == 2 else "")
def test_a_field_is_what_its_row_says(row: tuple[str, str], said: tuple[str, tuple[str, ...], str]) -> None:
    item_type, key = row
    kind, choices, remarks = said
    field = FIELD_BY_KEY[key]

    assert field.value_type is VALUE_TYPES[kind]
    assert field.required == ("Required" in remarks)
    assert (field.settable is not Settable.ALWAYS) == ("read-only" in remarks.lower())
    if key != "Status":
        assert field.choices_for(item_type) == choices
        assert (field.kind is Kind.CHOICE) == bool(choices)
        assert field.default_for(item_type) is None


def test_a_tasks_parent_can_be_given_once() -> None:
    on_create = [field.key for field in FIELDS if field.settable is Settable.ON_CREATE]

    assert on_create == ["ParentID"]


@pytest.mark.parametrize("item_type", SEVEN)
def test_statuses_and_the_one_preset_are_those_of_the_type(item_type: str) -> None:
    status = FIELD_BY_KEY["Status"]

    assert STATUSES[ItemType(item_type)] == STATUSES_IN_SPEC[item_type]
    assert status.choices_for(item_type) == STATUSES_IN_SPEC[item_type]
    assert status.default_for(item_type) == PRESET_STATUSES[item_type]


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("AreaID", Kind.AREA),
        ("IterationID", Kind.ITERATION),
        ("TeamID", Kind.TEAM),
        ("AssignedToID", Kind.USER),
        ("ParentID", Kind.ITEM),
        ("Status", Kind.STATUS),
        ("Tags", Kind.TAGS),
    ],
)
def test_references_know_what_they_refer_to(key: str, kind: Kind) -> None:
    assert FIELD_BY_KEY[key].kind is kind


def test_top_level_properties_are_those_of_the_specification() -> None:
    assert {field.key: field.value_type for field in TOP_LEVEL} == {
        "id": ValueType.INTEGER,
        "type": ValueType.TEXT,
        "projectId": ValueType.INTEGER,
        "createdBy": ValueType.TEXT,
        "createdAt": ValueType.DATETIME,
        "lastModifiedBy": ValueType.TEXT,
        "lastModifiedAt": ValueType.DATETIME,
    }


def test_keys_columns_and_names_in_lower_case_are_unique() -> None:
    table = (*TOP_LEVEL, *FIELDS)

    assert len({field.key for field in table}) == len(table)
    assert len({field.column for field in table}) == len(table)
    assert len(PROPERTY_BY_LOWER_NAME) == len(table)


@pytest.mark.parametrize(
    ("key", "column"),
    [
        ("AssignedToID", "assigned_to_id"),
        ("SyncID", "sync_id"),
        ("IsVisibleInPortal", "is_visible_in_portal"),
        ("lastModifiedAt", "last_modified_at"),
        ("id", "id"),
    ],
)
def test_a_column_is_the_key_in_snake_case(key: str, column: str) -> None:
    assert PROPERTY_BY_LOWER_NAME[key.lower()].column == column


def test_every_field_can_be_shown() -> None:
    assert all(field.label for field in (*TOP_LEVEL, *FIELDS))


def test_custom_fields_come_after_the_tables_and_keep_their_types() -> None:
    channel = custom_field("Sales_Channel_cf", Kind.CHOICE, (ItemType.STORY,), ("Web", "Shop"), default="Web")

    story = fields_of("Story", [channel])
    bug = fields_of("Bug", [channel])

    assert story[-1] is channel
    assert channel not in bug
    assert channel.key.endswith("_cf")
    assert channel.label == "Sales Channel"
    assert channel.default_for("Story") == "Web"
    assert channel.value_type is ValueType.TEXT


def test_no_field_of_the_specification_is_custom() -> None:
    fields: tuple[Field, ...] = FIELDS

    assert not any(field.key.endswith("_cf") for field in fields)


@pytest.mark.parametrize(
    ("choice", "word"),
    [
        ("1 - Must Have", "Must have"),
        ("2 - SQL Server", "SQL server"),
        ("1 - UI bug", "UI bug"),
        ("3 - medium", "Medium"),
        ("High - Low", "High - Low"),
        ("Plan A", "Plan A"),
    ],
)
def test_a_choice_is_written_without_its_number_and_keeps_acronyms(choice: str, word: str) -> None:
    assert choice_word(choice) == word
