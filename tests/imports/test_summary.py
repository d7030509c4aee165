"""The numbers of an import, before and after it."""

import pytest

from backlit.imports.plan import ImportPlan
from backlit.imports.summary import numbers
from backlit.model.fields import ItemType
from backlit.store.edits.imports import NewItem


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (None, "New 3 · changed 0"),
        ([61, 62, 63], "Imported 3: #61 to #63 · changed 0"),
        ([61, 62], "Imported 3, 2 of them sent: #61 to #62 · changed 0"),
        ([], "Imported 3, 0 of them sent · changed 0"),
    ],
)
def test_items_that_the_service_does_not_have_yet_are_told(made: list[int] | None, said: str) -> None:
    plan = ImportPlan(items=[NewItem(ItemType.STORY, {}) for _ in range(3)])

    assert numbers(plan, made) == said
