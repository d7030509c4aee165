"""What an item in a pane is read against, as the store has it now."""

from collections.abc import Sequence

from backlit.store.people import TreeKind
from backlit.store.rows import Item
from backlit.store.store import Store
from backlit.tui.widgets.preview import Surroundings


def surroundings_of(store: Store, item: Item | None, faults: Sequence[str] = (), found: str = "") -> Surroundings:
    """People, iterations, the area's path and the time; `faults` of the ready-check, `found` by a search."""
    area_id = item.fields.get("AreaID") if item else None
    areas = store.tree(TreeKind.AREAS)
    path = areas.path(area_id) if isinstance(area_id, int) and area_id in areas else ""
    return Surroundings(store.everybody.known(), store.iterations(), path, store.today(), store.now(), faults, found)
