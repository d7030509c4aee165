"""Who edits which item now: what the service says of others, and what this program says of its user."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from backlit.store.engine.engine import Engine
from backlit.store.records.changes import Signal, StoreChange, Subject
from backlit.store.records.item import whole
from backlit.store.records.others import ItemEditing
from backlit.store.views.lookups import Lookups


class Presence:
    """The people at items. `is_told` is the setting: whether this program tells where its user is."""

    def __init__(self, lookups: Lookups, signal: Signal, engine: Engine) -> None:
        self.is_told = True
        self._lookups = lookups
        self._signal = signal
        self._engine = engine
        self._editing: Mapping[int, ItemEditing] = {}
        self._own: ItemEditing | None = None

    def begin(self, item_id: int, field: str = "") -> None:
        """Tell that the user edits an item, until `end`; a repeated call changes the field."""
        self._tell(ItemEditing(item_id, field) if item_id > 0 and self.is_told else None)

    def end(self, item_id: int) -> None:
        """Tell that the user does not edit an item any more."""
        if self._own is not None and self._own.item_id == item_id:
            self._tell(None)

    def _tell(self, own: ItemEditing | None) -> None:
        if own != self._own:
            self._own = own
            self._engine.tell(lambda session: session.tell_presence(own))

    @property
    def item_ids(self) -> AbstractSet[int]:
        """The items that somebody edits, the user included."""
        return {each.item_id for each in self._editing.values()}

    def initial(self, item_id: int) -> str:
        """Return the first letter of who edits an item; nothing for nobody."""
        return next((self._name(user_id)[:1].upper() for user_id in self._at(item_id)), "")

    def words(self, item_id: int) -> str:
        """Return who edits an item, and what of it; nothing for nobody."""
        people = self._at(item_id)
        names = [self._name(user_id) for user_id in people]
        if not names:
            return ""
        fields = sorted({self._editing[user_id].field for user_id in people} - {""})
        what = f" ({', '.join(fields)})" if fields else ""
        return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} editing this{what}"

    def take(self, told: list[object]) -> None:
        """Take what a stream says of people, on the engine's thread; one without an item has left."""
        before, now = self._editing, dict(self._editing)
        for each in told:
            user_id = whole(each.get("user")) if isinstance(each, dict) else None
            if user_id is None or not isinstance(each, dict):
                continue
            item_id, field = whole(each.get("item")), each.get("field")
            now.pop(user_id, None)
            if item_id is not None and each.get("mode") == "edit":
                now[user_id] = ItemEditing(item_id, field if isinstance(field, str) else "")
        self._replace(before, now)

    def forget(self) -> None:
        """Forget the others: the stream that told of them is over."""
        self._replace(self._editing, {})

    def _replace(self, before: Mapping[int, ItemEditing], now: Mapping[int, ItemEditing]) -> None:
        if now != before:
            self._editing = now
            ids = {each.item_id for each in (*before.values(), *now.values())}
            self._signal.publish(StoreChange(Subject.OTHERS, frozenset(ids)))

    def _at(self, item_id: int) -> list[int]:
        people = [user for user, each in self._editing.items() if each.item_id == item_id]
        if not people:  # as for nearly every row of a list: who the user is takes a query
            return []
        me = self._lookups.me()
        return [user for user in people if me is None or user != me.id]

    def _name(self, user_id: int) -> str:
        person = self._lookups.known_people().get(user_id)
        return person.username if person is not None else f"user {user_id}"
