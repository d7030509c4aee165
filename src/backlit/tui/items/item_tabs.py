"""The tabs of an item: which ones its type and its service have, and what they count."""

from collections.abc import Mapping, Sequence

from backlit.model.fields import ItemType
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct
from backlit.tui.shell.target import ItemDestination

TABS: Mapping[ItemDestination, tuple[str, str]] = {
    ItemDestination.EDITOR: ("Details", "item.open"),
    ItemDestination.TASKS: ("Tasks", "item.tasks"),
    ItemDestination.LINKS: ("Links", "item.links"),
    ItemDestination.CRITERIA: ("Criteria", "item.criteria"),
    ItemDestination.COMMENTS: ("Comments", "item.comments"),
    ItemDestination.ATTACHMENTS: ("Files", "item.attachments"),
    ItemDestination.HISTORY: ("History", "item.history"),
}
"""The tabs: their names, and the commands of a click."""
BELOW = frozenset({ItemDestination.TASKS, ItemDestination.LINKS, ItemDestination.CRITERIA})
"""Tabs that are left out where it is tight, while they have nothing."""
BRIEF_NAMES: Mapping[str, str] = {
    "Details": "Det",
    "Tasks": "Tsk",
    "Items": "Itm",
    "Links": "Lnk",
    "Criteria": "Crt",
    "Comments": "Com",
    "Files": "Fil",
    "History": "His",
}
"""The names of tabs where not all of them have room."""
TABS_OF_ROWS: Mapping[ItemDestination, tuple[str, str]] = {
    ItemDestination.TASKS: ("tasks.screen", "TasksScreen"),
    ItemDestination.LINKS: ("links.screen", "LinksScreen"),
    ItemDestination.CRITERIA: ("criteria.screen", "CriteriaScreen"),
    ItemDestination.COMMENTS: ("comments.screen", "CommentsScreen"),
}
"""The modules and the classes of tabs that need no more than their item."""
NO_RELATIONS = "This server has no relations between items."


def why_no_tab(store: Store, item_type: str, place: ItemDestination) -> str:
    """Return why an item has not a tab, as a sentence; empty where it has."""
    announces = store.lookups.announces
    match place:
        case ItemDestination.TASKS:
            return "A task has no tasks." if item_type == ItemType.TASK else ""
        case ItemDestination.LINKS:
            return "" if announces("relations") or announces("links") else NO_RELATIONS
        case ItemDestination.CRITERIA if not announces("acceptanceCriteria"):
            return NO_RELATIONS
        case ItemDestination.CRITERIA:
            return "A task has no criteria." if item_type == ItemType.TASK else ""
        case _:
            return ""


def tabs_of(store: Store, item_type: str) -> Sequence[ItemDestination]:
    return [place for place in TABS if not why_no_tab(store, item_type, place)]


def need_tab(store: Store, item_type: str, place: ItemDestination) -> None:
    """Raise CannotAct where an item has not a tab."""
    if why := why_no_tab(store, item_type, place):
        raise CannotAct(why)


def tab_name(item_type: str, place: ItemDestination) -> str:
    """Return the name of a tab; below a Feature are other items beside tasks."""
    return "Items" if place is ItemDestination.TASKS and item_type == ItemType.FEATURE else TABS[place][0]


def counts_below(store: Store, item_id: int) -> Mapping[ItemDestination, str]:
    """Return what the tabs of items, links and criteria count, of those that have some."""
    relations = [each for each in store.relations.of_item(item_id) if each.word != "Child"]
    passed, criteria = store.criteria.counts([item_id]).get(item_id, (0, 0))
    found = {
        ItemDestination.TASKS: f"{len(store.relations.children(item_id)):,}",
        ItemDestination.LINKS: f"{len(relations) + len(store.links.of_item(item_id)):,}",
        ItemDestination.CRITERIA: f"{passed:,}/{criteria:,}" if criteria else "0",
    }
    return {place: words for place, words in found.items() if words != "0"}


def blocked_words(store: Store, item_id: int) -> str:
    """Return what an item waits for, in words; empty for nothing."""
    blockers = store.relations.open_blockers([item_id]).get(item_id, ())
    if not blockers:
        return ""
    names = ", ".join(f"#{each}" if each > 0 else "a new item" for each in blockers[:3])
    return f"Blocked by {names}{' …' if blockers[3:] else ''}"
