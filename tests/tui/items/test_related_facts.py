"""What a preview says of an item's relations."""

from pathlib import Path

from tests.store.store_items import shown
from tests.store.views.forest import forest, put_relations

from backlit.tui.items.related_facts import related_facts


def test_the_duplicates_of_an_original_are_counted(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        put_relations(store, [(4, "Duplicates", 2), (5, "Duplicates", 2)])

        assert related_facts(store, shown(store, 2)).duplicates == "2 duplicates"
        assert related_facts(store, shown(store, 4)).duplicates == ""
