"""The draft of an item: the values that differ from the store's, and their autosave on disk."""

import time
from collections.abc import Callable, Mapping

from textual.screen import Screen

from backlit.store.records.merge import is_same, merge
from backlit.store.store import Store
from backlit.tui.commands.table import key_of
from backlit.tui.shell.drafts import StoredDraft

Fields = Mapping[str, object]


class ItemDraft:
    """The fields of one editor.

    `base` is what the store has. `changes` holds what differs from it, `unread` what was typed and cannot be read as a
    value, `faults` the sentences about single fields. `elsewhere` holds the keys that were touched here and changed in
    the store too, with the value before both; it is for the user to decide between them. `arrived` holds the keys
    whose value became another in the store without anything to decide, with the value before. `authors` has the names
    of who changed a key, where that is known.
    """

    def __init__(self, base: Fields) -> None:
        self.base = dict(base)
        self.changes: dict[str, object] = {}
        self.unread: dict[str, str] = {}
        self.faults: dict[str, str] = {}
        self.elsewhere: dict[str, object] = {}
        self.arrived: dict[str, object] = {}
        self.authors: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.changes or self.unread)

    @property
    def touched(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.changes, *self.unread)))

    def value(self, key: str) -> object:
        return self.changes.get(key, self.base.get(key))

    def set(self, key: str, value: object) -> None:
        """Take a value; the one that the store has is no change."""
        self.forget(key)
        if not is_same(self.base.get(key), value):
            self.changes[key] = value

    def set_unread(self, key: str, text: str) -> None:
        self.changes.pop(key, None)
        self.unread[key] = text

    def forget(self, key: str) -> None:
        """Drop what was entered; what the store came to have meanwhile is still remembered."""
        for entered in (self.changes, self.unread, self.faults):
            entered.pop(key, None)

    def revert(self, key: str) -> None:
        self.forget(key)
        self.elsewhere.pop(key, None)

    # The store goes on meanwhile

    def rebase(
        self, base: Fields, open_key: str = "", *, is_told: bool = True, author_of: Callable[[str], str] = lambda _: ""
    ) -> None:
        """Take other values of the store: follow them in untouched fields, else merge them, else note both.

        The field of `open_key` is being edited at this moment and counts as touched. Without `is_told` the values that
        are followed are not remembered as news.
        """
        before, self.base = self.base, dict(base)
        touched = {*self.touched, open_key}
        for key in dict.fromkeys((*before, *self.base)):
            if is_same(before.get(key), self.base.get(key)):
                continue
            self.authors[key] = author_of(key)
            if key in touched:
                self.elsewhere.setdefault(key, before.get(key))
            elif is_told:
                self._arrive(key, before.get(key))
            else:
                self.arrived.pop(key, None)
        self.tidy(open_key)

    def tidy(self, open_key: str = "") -> None:
        """Merge what was changed at both sides where that can be done without the user."""
        for key, before in list(self.elsewhere.items()):
            if key == open_key or key in self.unread:
                continue
            mine, theirs = self.value(key), self.base.get(key)
            merged = merge({key: before}, {key: mine}, {key: theirs})
            if not merged.conflicts:
                del self.elsewhere[key]
                self.set(key, merged.changes.get(key, theirs))
                if not is_same(before, theirs):
                    self._arrive(key, before)

    def _arrive(self, key: str, before: object) -> None:
        first = self.arrived.setdefault(key, before)
        if is_same(first, self.base.get(key)):
            del self.arrived[key]

    def made_from(self, seen: Fields, key: str) -> None:
        """Note that a change was made from older values: values that arrived since are merged or left to decide."""
        if not is_same(seen.get(key), self.base.get(key)):
            self.elsewhere.setdefault(key, seen.get(key))
            self.tidy()

    def decide(self, key: str, value: object) -> None:
        self.elsewhere.pop(key, None)
        self.set(key, value)

    # Saving and keeping

    @property
    def seen(self) -> Fields:
        return {key: self.base.get(key) for key in self.changes}

    def saved(self, changes: Fields) -> None:
        """Drop the changes that the store took; text typed since then is kept."""
        self.base.update(changes)
        for key, value in changes.items():
            self.arrived.pop(key, None)
            if key in self.changes and is_same(self.changes[key], value):
                self.revert(key)

    def content(self, at: float) -> dict[str, object]:
        """Return the content to keep on disk; `base` shows later whether the store has changed meanwhile."""
        base = {key: self.elsewhere[key] if key in self.elsewhere else self.base.get(key) for key in self.touched}
        return {"changes": dict(self.changes), "unread": dict(self.unread), "base": base, "at": at}

    def restore(self, content: Fields) -> None:
        base = _mapping(content.get("base"))
        for key, value in _mapping(content.get("changes")).items():
            self.set(key, value)
        for key, text in _mapping(content.get("unread")).items():
            self.set_unread(key, str(text))
        for key in self.touched:
            if not is_same(base.get(key), self.base.get(key)):
                self.elsewhere[key] = base.get(key)
        self.tidy()


class DraftAutosave(StoredDraft):
    """The draft of an editor on disk, written a moment after a change."""

    def __init__(self, screen: Screen[None], store: Store, key: str, draft: ItemDraft) -> None:
        super().__init__(store, key)
        self._draft = draft
        self.begin(screen, lambda: draft.content(time.time()) if draft else {})

    def restore(self) -> str:
        """Restore a draft from disk; return the sentence that says so, empty without one."""
        kept = self.found()
        if not kept:
            return ""
        self._draft.restore(kept)
        at = kept.get("at")
        when = time.strftime(" from %d %b %H:%M", time.localtime(at)) if isinstance(at, int | float) else ""
        return f"Kept changes{when} restored; {key_of('editor.revert')} reverts a field." if self._draft else ""


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
