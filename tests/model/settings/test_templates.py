"""Templates of new items, as they are written in the settings."""

import pytest

from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.model.settings.user_settings import Template, templates_in


def test_a_template_names_fields_by_their_short_keys_too() -> None:
    written = {
        "name": "Incident",
        "type": "bug",
        "est": 3,
        "tags": ["support"],
        "Name": "Incident: ",
        "Priority": 0.5,
        "IsTriaged": True,
        "tasks": [" Look "],
    }

    assert templates_in([written]) == (
        Template(
            "Incident",
            ItemType.BUG,
            {"Estimate": 3, "Tags": ["support"], "Name": "Incident: ", "Priority": 0.5, "IsTriaged": True},
            ("Look",),
        ),
    )


def test_a_templates_name_has_no_blanks_around_it_and_its_own_keys_stay_as_written() -> None:
    own = {"Impact_cf": "high", "Colour_CF_cf": True}

    assert templates_in([{"name": " A ", "type": "STORY", **own}]) == (Template("A", ItemType.STORY, own, ()),)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("Bug", r"\[\[template\]\]"),
        ({}, r"\[\[template\]\]"),
        ([{"type": "Bug"}], "no name"),
        ([{"name": "A"}], "no type"),
        ([{"name": "A", "type": "Task"}], "no type"),
        ([{"name": "A", "type": 3}], "no type"),
        ([{"name": " ", "type": "Bug"}], "no name"),
        ([{"name": 3, "type": "Bug"}], "no name"),
        ([{"name": "A", "type": "Bug", "tags": [3]}], "tags must be a text|Tags must be a text"),
        ([{"name": "A", "type": "Bug", "tasks": ["Look", " "]}], '"tasks" must be a list of names'),
        ([{"name": "A", "type": "Bug", "tasks": "Look"}], '"tasks" must be a list of names'),
        ([{"name": "A", "type": "Bug", "points": 3}], "no writable field 'points'"),
        ([{"name": "A", "type": "Bug", "type_cf": {}}], "type_cf must be a text"),
        ([{"name": "A", "type": "Bug", "colour": "red"}], "the field 'colour' is unknown"),
        ([{"name": "A", "type": "Feedback", "est": 3}], "no writable field 'est'"),
        ([{"name": "A", "type": "Bug", "BacklogPriority": 3}], "no writable field 'BacklogPriority'"),
        ([{"name": "A", "type": "Bug", "Priority": {"a": 1}}], "Priority must be a text"),
        ([{"name": "A", "type": "Bug", "tasks": [1]}], '"tasks" must be a list of names'),
        ([{"name": "A", "type": "Bug"}, 3], r"\[\[template\]\]"),
        ([{"name": "A", "type": "Bug", "SyncID": "x"}], "a bug has no writable field 'SyncID'"),
        ([{"name": "A", "type": "Feature", "Severity": "x"}], "a feature has no writable field 'Severity'"),
    ],
)
def test_template_errors_name_the_fault(written: object, reason: str) -> None:
    with pytest.raises(BadRequest, match=reason):
        templates_in(written)
