"""The parts of a query that ask for one field's values."""

import pytest

from backlit.model.query.keys import values_of, with_values


@pytest.mark.parametrize(
    ("query", "key", "values", "expected"),
    [
        ("", "status", ["Done"], "status:Done"),
        ("Risk_cf:1 Channel_cf:web est>5", "channel_cf", ["shop"], "Risk_cf:1 channel_cf:shop est>5"),
        ("", "tag", ["two words", "x"], 'tag:"two words",x'),
        ("est>5 status:Done -tag:x", "status", ["In Progress"], 'est>5 status:"In Progress" -tag:x'),
        ("est>5 Status=Done", "status", [], "est>5"),
        ("status:Done", "status", [], ""),
        ("status:Done or est>5", "type", ["Bug"], "(status:Done or est>5) type:Bug"),
        ("@me", "owner", ["jon", "none"], "owner:jon,none"),
        ("a OWNER:maya b", "AssignedToID", ["jon"], "a AssignedToID:jon b"),
        ("-status:Done", "status", ["Active"], "-status:Done status:Active"),
        ("", "area", ['Aurora\\Pay "now"'], 'area:"Aurora\\\\Pay \\"now\\""'),
    ],
)
def test_a_fields_values_are_replaced_where_they_are_asked_for(
    query: str, key: str, values: list[str], expected: str
) -> None:
    replaced = with_values(query, key, values)

    assert replaced == expected
    assert list(values_of(replaced, key)) == values


def test_values_ignore_alternatives_and_other_operators() -> None:
    assert values_of("status:Done or est>5", "status") == ()
    assert values_of("-status:Done", "status") == ()
    assert values_of("est>5", "est") == ()
