"""How many examples a property is tried on: few by default, and many in the slow run."""

import pytest


def few_and_many(few: int, many: int) -> pytest.MarkDecorator:
    """Run a test that tries a property with few `examples`, and with many where long tests run."""
    return pytest.mark.parametrize("examples", [few, pytest.param(many, marks=pytest.mark.long)])
