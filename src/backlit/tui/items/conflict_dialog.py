"""The dialog that resolves a conflict or a rejected change: yours and theirs, field by field."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.store.edits.conflicts import Contested, Keep
from backlit.store.records.merge import has_marks, is_long
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import literal, wrapped
from backlit.tui.fields.labels import label_of
from backlit.tui.items.conflict_lines import SIDE_BY_SIDE, ShownField, column_heads, field_lines
from backlit.tui.shell.workers import COMMANDS_GROUP, work

WIDEST = 112
FRAME_CELLS = 6
"""The frame, a blank at each side, and the scroll bar."""
FRAME_LINES = 2
HALF_MARKED = "The text still holds both versions. Delete the lines with <<<<<<<, ======= and >>>>>>>."


@dataclass(frozen=True, slots=True)
class NewValue:
    """A value that is neither yours nor theirs."""

    value: object


Edit = Callable[[Contested, object], Awaitable[NewValue | None]]
"""Asks for another value of a field, beginning with its decision; None when it was left."""
Decisions = Mapping[str, object]
"""A side or a value for each field."""


@dataclass(frozen=True, slots=True)
class ConflictQuestion:
    """The fields to decide; `words` turns a field's value into text."""

    title: str
    sentence: str
    fields: Sequence[Contested]
    words: Callable[[str, object], str]
    edit: Edit


class ConflictDialog(Dialog[Decisions | None]):
    """Asks for a decision on each field; the answer is None when it was left.

    `decided` and `faults` are the decisions to begin with and the reasons why some were rejected; `note` is a reason
    that concerns no single field.
    """

    AUTO_FOCUS = "VerticalScroll"

    def __init__(
        self, question: ConflictQuestion, decided: Decisions, faults: Mapping[str, str], note: str = ""
    ) -> None:
        super().__init__(question.title)
        self.frame.border_subtitle = literal("jk  m yours  t theirs  e edit  w apply  esc later")
        self._question = question
        self._fields = question.fields
        self._decided = dict(decided)
        self._faults = dict(faults)
        self._begun_with = note
        self._at = next((at for at, each in enumerate(self._fields) if each.key in faults), 0)
        self._scroll = VerticalScroll()
        self._shown, self._heads, self._note = Static(), Static(), Static()

    def content(self) -> ComposeResult:
        """Yield the reason, the fields and the number of open decisions."""
        yield Static(literal(self._question.sentence), classes="note")
        yield self._heads
        with self._scroll:
            yield self._shown
        yield self._note

    def on_mount(self) -> None:
        """Show the fields."""
        self._draw(self._begun_with)

    def on_resize(self) -> None:
        """Wrap the lines to the new width."""
        self._draw()

    # Drawing

    def _draw(self, note: str = "") -> None:
        width = min(WIDEST, self.app.size.width) - FRAME_CELLS
        is_wide = width >= SIDE_BY_SIDE
        self._heads.display = is_wide
        self._heads.update(column_heads(width))
        taken = FRAME_LINES + len(wrapped(self._question.sentence, width)) + is_wide + 1
        self._scroll.styles.max_height = max(3, self.app.size.height - taken)
        lines: list[Content] = []
        places: list[tuple[int, int]] = []
        for index, field in enumerate(self._fields):
            found = field_lines(self._in_words(field), width, is_current=index == self._at)
            places.append((len(lines), len(lines) + len(found)))
            lines += [*found, Content("")]
        self._shown.update(Content("\n").join(lines[:-1]))
        undecided = len(self._fields) - len(self._decided)
        fields = "1 field" if undecided == 1 else f"{undecided} fields"
        words = f"{fields} to resolve" if undecided else "enter to apply"
        self._note.update(Content.styled(note, "$error") if note else Content.styled(words, "$muted"))
        if places:
            self.call_after_refresh(self._keep_in_sight, *places[self._at])

    def _keep_in_sight(self, top: int, bottom: int) -> None:
        height, at = self._scroll.size.height, self._scroll.scroll_y
        if top < at or bottom > at + height:
            self._scroll.scroll_to(y=top if bottom - top >= height or top < at else bottom - height, animate=False)

    def _in_words(self, field: Contested) -> ShownField:
        decision = self._decided.get(field.key)
        side = decision if isinstance(decision, Keep) else None
        is_text = is_long(field.key, field.mine, field.theirs)

        def words(value: object) -> str:
            return str(value or "") if is_text else " ".join(self._question.words(field.key, value).split())

        return ShownField(
            label=label_of(field.key),
            base=words(field.base),
            mine=words(field.mine),
            theirs=words(field.theirs),
            is_long=is_text,
            side=side,
            edited=words(decision) if field.key in self._decided and side is None else None,
            fault=self._faults.get(field.key, ""),
        )

    # Keys

    def type_early(self, character: str) -> None:
        """Move, decide, apply or close."""
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
                self.dismiss(None)

    def press(self, key: str) -> bool:
        """Move, apply or close."""
        match key:
            case "down" | "up":
                self._step(1 if key == "down" else -1)
            case "ctrl+d" | "pagedown":
                self._scroll.scroll_relative(y=max(1, self._scroll.size.height // 2), animate=False)
            case "ctrl+u" | "pageup":
                self._scroll.scroll_relative(y=-max(1, self._scroll.size.height // 2), animate=False)
            case "enter":
                self._apply()
            case _:
                return super().press(key)
        return True

    def _step(self, by: int) -> None:
        self._at = max(0, min(self._at + by, len(self._fields) - 1))
        self._draw()

    def _decide(self, decision: object) -> None:
        """Decide the field under the cursor, and go on to the next one that is open."""
        if not self._fields:
            return
        key = self._fields[self._at].key
        self._decided[key] = decision
        self._faults.pop(key, None)
        if isinstance(decision, str) and is_long(key, decision, None) and has_marks(decision):
            self._faults[key] = HALF_MARKED
        else:
            self._go_to_open()
        self._draw()

    def _go_to_open(self) -> None:
        """Put the cursor on the next field without a decision, where there is one."""
        count = len(self._fields)
        for index in (*range(self._at + 1, count), *range(self._at)):
            if self._fields[index].key not in self._decided:
                self._at = index
                return

    def _edit(self) -> None:
        if self._fields:
            self.run_worker(work(self._ask_value, self._fields[self._at]), group=COMMANDS_GROUP)

    async def _ask_value(self, field: Contested) -> None:
        answer = await self._question.edit(field, self._decided.get(field.key))
        if answer is not None:
            self._decide(answer.value)

    def _apply(self) -> None:
        if len(self._decided) < len(self._fields):
            if self._fields[self._at].key in self._decided:
                self._go_to_open()
            self._draw("Not all fields are resolved. m yours, t theirs, e edit.")
        elif self._faults:
            self._at = next(index for index, each in enumerate(self._fields) if each.key in self._faults)
            self._draw(f"{label_of(self._fields[self._at].key)} is not valid. e to edit it.")
        else:
            self.dismiss(dict(self._decided))
