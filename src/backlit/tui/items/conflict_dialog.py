"""Settling what the service did not take: yours and theirs, field by field."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.model.errors import BacklitError
from backlit.store.edits.conflicts import Case, Contested, Keep
from backlit.store.records.entry import EntryState
from backlit.store.records.merge import has_marks, is_long
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.relative_times import moment
from backlit.tui.drawing.text import literal, wrapped
from backlit.tui.fields.labels import label_of, words_of
from backlit.tui.items.conflict_lines import SIDE_BY_SIDE, ShownField, column_heads, field_lines
from backlit.tui.items.conflict_values import Asking, draft_key
from backlit.tui.shell.workers import work

if TYPE_CHECKING:
    from backlit.store.store import Store

WIDEST = 112
FRAME_CELLS = 6
"""The frame, a blank at each side, and the scroll bar."""
FRAME_LINES = 2
HALF_MARKED = "It still holds both versions; take out the lines with <<<<<<<, ======= and >>>>>>>."


class ConflictDialog(Dialog[bool]):
    """Asks what becomes of each field of a case, and settles it; the answer says whether it was settled.

    A conflict begins undecided; of a refused change every field begins as the user wanted it.
    """

    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, store: "Store", case: Case) -> None:
        entry = case.entry
        item = store.item(entry.item_id)
        name = str(item.fields.get("Name") or "") if item else ""
        number = f"#{entry.item_id}" if entry.item_id > 0 else "new"
        super().__init__(f"{'Conflict' if entry.state is EntryState.CONFLICT else 'Refused'}  {number} {name}")
        self.frame.border_subtitle = literal("jk  m yours  t theirs  e edit  w apply  esc later")
        self._store = store
        self._case = case
        is_conflict = entry.state is EntryState.CONFLICT
        self._decided: dict[str, object] = {} if is_conflict else {each.key: Keep.MINE for each in case.fields}
        self._faults: dict[str, str] = {}
        self._at = 0
        self._scroll = VerticalScroll()
        self._shown, self._heads, self._note = Static(), Static(), Static()

    def content(self) -> ComposeResult:
        """Who did what, the fields, and how far the decisions are."""
        yield Static(literal(self.sentence()), classes="note")
        yield self._heads
        with self._scroll:
            yield self._shown
        yield self._note

    def sentence(self) -> str:
        """What happened."""
        case = self._case
        if case.entry.state is not EntryState.CONFLICT:
            return case.entry.reason
        when = f" on {moment(case.changed_at)}" if case.changed_at else ""
        return f"{case.changed_by or 'Somebody'} changed it{when}; yours waits."

    def on_mount(self) -> None:
        """Show the fields."""
        self._draw()

    def on_resize(self) -> None:
        """Break the lines anew."""
        self._draw()

    # Drawing

    def _draw(self, note: str = "") -> None:
        width = min(WIDEST, self.app.size.width) - FRAME_CELLS
        is_wide = width >= SIDE_BY_SIDE
        self._heads.display = is_wide
        self._heads.update(column_heads(width))
        taken = FRAME_LINES + len(wrapped(self.sentence(), width)) + is_wide + 1
        self._scroll.styles.max_height = max(3, self.app.size.height - taken)
        lines: list[Content] = []
        places: list[tuple[int, int]] = []
        for index, field in enumerate(self._case.fields):
            found = field_lines(self._in_words(field), width, is_current=index == self._at)
            places.append((len(lines), len(lines) + len(found)))
            lines += [*found, Content("")]
        self._shown.update(Content("\n").join(lines[:-1]))
        undecided = len(self._case.fields) - len(self._decided)
        words = f"{undecided} not decided" if undecided else "all decided: enter applies"
        self._note.update(Content.styled(note, "$error") if note else Content.styled(words, "$muted"))
        if places:
            self.call_after_refresh(self._keep_in_sight, *places[self._at])

    def _keep_in_sight(self, top: int, bottom: int) -> None:
        height, at = self._scroll.size.height, self._scroll.scroll_y
        if top < at or bottom > at + height:
            self._scroll.scroll_to(y=top if bottom - top >= height or top < at else bottom - height, animate=False)

    def _in_words(self, field: Contested) -> ShownField:
        decision = self._decided.get(field.key)
        is_text = is_long(field.key, field.mine, field.theirs)

        def words(value: object) -> str:
            return str(value or "") if is_text else " ".join(words_of(self._store, field.key, value).split())

        return ShownField(
            label=label_of(field.key),
            base=words(field.base),
            mine=words(field.mine),
            theirs=words(field.theirs),
            is_long=is_text,
            decision=decision,
            edited="" if decision is None or isinstance(decision, Keep) else words(decision),
            fault=self._faults.get(field.key, ""),
        )

    # Keys

    def type_early(self, character: str) -> None:
        """Move, decide, apply or leave."""
        match character:
            case "j":
                self._step(1)
            case "k":
                self._step(-1)
            case "m":
                self._decide(Keep.MINE)
            case "t":
                self._decide(Keep.THEIRS)
            case "e":
                self._edit()
            case "w":
                self._apply()
            case "q":
                self.dismiss(False)

    def press(self, key: str) -> bool:
        """Move, apply or leave."""
        match key:
            case "down" | "up":
                self._step(1 if key == "down" else -1)
            case "ctrl+d" | "pagedown":
                self._scroll.scroll_relative(y=max(1, self._scroll.size.height // 2), animate=False)
            case "ctrl+u" | "pageup":
                self._scroll.scroll_relative(y=-max(1, self._scroll.size.height // 2), animate=False)
            case "enter":
                self._apply()
            case "escape":
                self.dismiss(False)
            case _:
                return False
        return True

    def _step(self, by: int) -> None:
        self._at = max(0, min(self._at + by, len(self._case.fields) - 1))
        self._draw()

    def _decide(self, decision: object) -> None:
        """Decide the field under the cursor, and go on to the next one that is open."""
        if not self._case.fields:
            return
        key = self._case.fields[self._at].key
        self._decided[key] = decision
        self._faults.pop(key, None)
        if isinstance(decision, str) and is_long(key, decision, None) and has_marks(decision):
            self._faults[key] = HALF_MARKED
        else:
            self._go_to_open()
        self._draw()

    def _go_to_open(self) -> None:
        """Put the cursor on the next field without a decision, where there is one."""
        count = len(self._case.fields)
        for index in (*range(self._at + 1, count), *range(self._at)):
            if self._case.fields[index].key not in self._decided:
                self._at = index
                return

    def _edit(self) -> None:
        if not self._case.fields:
            return
        field = self._case.fields[self._at]
        Asking(self.app, self._store, self._case).ask(field, self._decided.get(field.key), self._decide)

    def _apply(self) -> None:
        if len(self._decided) < len(self._case.fields):
            if self._case.fields[self._at].key in self._decided:
                self._go_to_open()
            self._draw("Not all is decided: m yours, t theirs, e another.")
        elif self._faults:
            self._at = next(index for index, each in enumerate(self._case.fields) if each.key in self._faults)
            self._draw(f"{label_of(self._case.fields[self._at].key)} has to be put right: e edits it.")
        else:
            self.run_worker(work(self._settle, dict(self._decided)), exclusive=True, group="settle")

    async def _settle(self, decided: Mapping[str, object]) -> None:
        try:
            await self.settle(decided)
        except BacklitError as error:
            self._faults = dict(error.errors)
            self._draw("" if error.errors else str(error))
            return
        forget = [draft_key(self._case, each.key) for each in self._case.fields]
        self.app.run_worker(work(self._forget, forget), group="drafts")
        self.dismiss(True)

    async def settle(self, decided: Mapping[str, object]) -> None:
        """Carry the decisions out; raises BadRequest for values that cannot be."""
        await self._store.conflicts.resolve(self._case, decided)

    async def _forget(self, keys: list[str]) -> None:
        for key in keys:
            await self._store.drafts.discard(key)
