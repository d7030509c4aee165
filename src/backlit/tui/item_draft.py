"""What is being changed of an item: only what differs from what the store has."""

from collections.abc import Mapping

from backlit.store.values import is_same

Fields = Mapping[str, object]


class ItemDraft:
    """The fields of one editor.

    `base` is what the store has. `changes` holds what differs from it, `unread` what was typed and cannot be read as a
    value, `faults` the sentences about single fields, `elsewhere` the keys that were touched here and then changed in
    the store too.
    """

    def __init__(self, base: Fields) -> None:
        self.base = dict(base)
        self.changes: dict[str, object] = {}
        self.unread: dict[str, str] = {}
        self.faults: dict[str, str] = {}
        self.elsewhere: set[str] = set()

    def __bool__(self) -> bool:
        """Whether anything would be lost."""
        return bool(self.changes or self.unread)

    @property
    def touched(self) -> tuple[str, ...]:
        """The keys that are not as the store has them."""
        return tuple(dict.fromkeys((*self.changes, *self.unread)))

    def value(self, key: str) -> object:
        """The value as it would be saved."""
        return self.changes.get(key, self.base.get(key))

    def set(self, key: str, value: object) -> None:
        """Take a value; the one that the store has is no change."""
        self.unread.pop(key, None)
        self.faults.pop(key, None)
        if is_same(self.base.get(key), value):
            self.changes.pop(key, None)
            self.elsewhere.discard(key)
        else:
            self.changes[key] = value

    def set_unread(self, key: str, text: str) -> None:
        """Take a text that is no value of the field."""
        self.changes.pop(key, None)
        self.unread[key] = text

    def revert(self, key: str) -> None:
        """Go back to what the store has."""
        self.set(key, self.base.get(key))

    def rebase(self, base: Fields) -> None:
        """The store has other values now: follow where nothing was touched, else note that it did."""
        before, self.base = self.base, dict(base)
        for key in self.touched:
            if key in self.changes and is_same(self.base.get(key), self.changes[key]):
                self.revert(key)
            elif not is_same(before.get(key), self.base.get(key)):
                self.elsewhere.add(key)

    def saved(self, changes: Fields) -> None:
        """The store took some changes; what was typed since stays."""
        self.base.update(changes)
        for key, value in changes.items():
            if key in self.changes and is_same(self.changes[key], value):
                self.revert(key)

    def content(self, at: float) -> dict[str, object]:
        """What to keep of it; `base` tells later whether the store went on meanwhile."""
        base = {key: self.base.get(key) for key in self.touched}
        return {"changes": dict(self.changes), "unread": dict(self.unread), "base": base, "at": at}

    def restore(self, content: Fields) -> None:
        """Take up what was kept."""
        base = _mapping(content.get("base"))
        for key, value in _mapping(content.get("changes")).items():
            self.set(key, value)
        for key, text in _mapping(content.get("unread")).items():
            self.set_unread(key, str(text))
        self.elsewhere = {key for key in self.touched if not is_same(base.get(key), self.base.get(key))}


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
