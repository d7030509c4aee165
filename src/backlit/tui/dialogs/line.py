"""Dialogs that ask for lines of text: one line, a path, or several lines with labels."""

import asyncio
from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.widgets import Input, Static

from backlit.model.errors import BadRequest
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.text import literal, literal_block
from backlit.tui.shell.drafts import RESTORED_SENTENCE, StoredLines
from backlit.tui.shell.input_queue import AnswerRefused
from backlit.tui.shell.paths import common_completion, completions
from backlit.tui.shell.workers import work
from backlit.tui.widgets.inputs import LineInput

MAX_SHOWN_PATHS = 12
SummarizeLines = Callable[[Sequence[str]], str]
"""Reads the typed lines and says what they come to; a line after `! ` warns. Raises BadRequest for a fault."""


class LineDialog(Dialog[str | None]):
    """Asks for a line; `check` gives the sentence that says what is wrong with it, or None.

    The answer is the text as typed; None when it was left. With `is_replaced` the text is selected, so that
    what is typed takes its place. `note` stands above. What is typed is `kept` until the answer is written: the same
    dialog begins with it after it was left.
    """

    def __init__(
        self,
        title: str,
        text: str = "",
        check: Callable[[str], str | None] | None = None,
        *,
        is_replaced: bool = False,
        note: str = "",
        kept: StoredLines | None = None,
    ) -> None:
        super().__init__(title)
        self.name_keys(("enter", "accept"), ("esc", "cancel"))
        (begun,) = kept.lines((text,)) if kept is not None else (text,)
        self.input = LineInput(begun)
        if begun != text:
            note = f"{RESTORED_SENTENCE} {note}"
        if is_replaced:
            self.input.select_all()
        self.draft: StoredLines | None = kept
        if kept is not None:
            kept.keep(self, (text,), lambda: (self.input.value,))
        self._check = check
        self._about = Static(literal(note), classes="note") if note else None
        self._note = Static(literal(""), classes="fault")
        self._noted_text = ""
        """The text that the note below the line is about."""

    def content(self) -> ComposeResult:
        if self._about is not None:
            yield self._about
        yield self.input
        yield self._note

    def type_early(self, character: str) -> None:
        self.input.put(character)

    def press(self, key: str) -> bool:
        if key == "escape" and self.draft is not None:
            self.draft.close()
        if key != "enter":
            return super().press(key)
        fault = self._check(self.input.value) if self._check else None
        if fault is None:
            self.dismiss(self.input.value)
            if self.draft is not None:
                self.draft.answered()
        else:
            self._note_below(fault)
            self.post_message(AnswerRefused(fault))
        return True

    def _note_below(self, words: str) -> None:
        self._noted_text = self.input.value
        self._note.update(literal(words))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take away what was said of another text; never complain while somebody is typing."""
        event.stop()
        if self.draft is not None:
            self.draft.write_soon()
        if self._note.content and event.value != self._noted_text:
            self._note.update(literal(""))


class PathDialog(LineDialog):
    """Asks for a path; tab completes it and lists what there is, folders with a slash."""

    def __init__(
        self, title: str, text: str, check: Callable[[str], str | None], note: str = "", kept: StoredLines | None = None
    ) -> None:
        super().__init__(title, text, check, note=note, kept=kept)
        self.name_keys(("enter", "accept"), ("tab", "complete"), ("esc", "cancel"))
        self.frame.styles.width = 80

    def press(self, key: str) -> bool:
        if key != "tab":
            return super().press(key)
        self.run_worker(work(self._complete, self.input.value), exclusive=True, group="complete")
        return True

    async def _complete(self, text: str) -> None:
        found = await asyncio.to_thread(completions, text)
        if text == self.input.value:
            self._take(text, found)

    def _take(self, text: str, found: Sequence[str]) -> None:
        self.input.value = common_completion(text, found)
        self.input.cursor_position = len(self.input.value)
        if len(found) != 1:
            names = [each.rstrip("/").rpartition("/")[2] + "/" * each.endswith("/") for each in found]
            more = f" … {len(names) - MAX_SHOWN_PATHS:,} more" if len(names) > MAX_SHOWN_PATHS else ""
            self._note_below("  ".join(names[:MAX_SHOWN_PATHS]) + more or "Nothing begins like that.")


class FormDialog(Dialog[tuple[str, ...] | None]):
    """Asks for several lines and shows what they come to; tab and the arrows go from one to the next.

    A label may have a second line, which explains the field below it.

    Enter accepts all of them once they are right; the answer is what was typed, None when it was left. What is typed
    takes the place of the first line, unless that `is_continued`. With the class -beside the result stands beside them
    on a wide screen.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (80, "-wide")]
    draft: StoredLines

    def __init__(
        self,
        title: str,
        lines: Sequence[tuple[str, str]],
        read: SummarizeLines,
        kept: StoredLines,
        act: str = "save",
        *,
        is_continued: bool = False,
    ) -> None:
        super().__init__(title)
        begun = tuple(text for _, text in lines)
        self.inputs = [LineInput(text) for text in kept.lines(begun)]
        self.draft = kept
        kept.keep(self, begun, lambda: self.typed)
        self._labels = [label for label, _ in lines]
        self._read = read
        self._note = Static(literal(""), classes="note")
        self._fault = Static(literal(""), classes="fault")
        self._restored = self.typed if self.typed != begun else None
        self._is_continued = is_continued
        self.set_class(len(lines) == 1, "-single")
        self.name_keys(("enter", act), *[("tab", "next")][: len(lines) - 1], ("esc", "cancel"))

    def content(self) -> ComposeResult:
        labels = [label.partition("\n")[::2] for label in self._labels]
        width = max(len(label) for label, _ in labels) + 1
        with Container(classes="lines"):
            with Vertical(classes="form"):
                for (label, hint), line in zip(labels, self.inputs, strict=True):
                    row = Horizontal(Static(literal(f"{label:{width}}"), classes="label"), line, classes="labelled")
                    yield row.set_class(bool(hint), "-hinted")
                    if hint:
                        yield Static(literal(f"{'':{width}} {hint}"), classes="hint")
            yield self._note
        yield self._fault

    def on_mount(self) -> None:
        self.inputs[0].focus()
        if not self._is_continued:
            self.inputs[0].select_all()
        self._show(is_final=False)

    @property
    def typed(self) -> tuple[str, ...]:
        return tuple(line.value for line in self.inputs)

    def type_early(self, character: str) -> None:
        self.inputs[0].put(character)

    def press(self, key: str) -> bool:
        if key in {"tab", "down", "shift+tab", "up"}:
            self._step(1 if key in {"tab", "down"} else -1)
        elif key == "enter":
            if self._show(is_final=True):
                self.dismiss(self.typed)
                self.draft.answered()
        else:
            if key == "escape":
                self.draft.close()
            return super().press(key)
        return True

    def _step(self, lines: int) -> None:
        at = next((index for index, line in enumerate(self.inputs) if line.has_focus), 0)
        wanted = self.inputs[(at + lines) % len(self.inputs)]
        wanted.focus()
        wanted.select_all()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.draft.write_soon()
        self._show(is_final=False)

    def _show(self, *, is_final: bool) -> bool:
        try:
            words, fault = self._read(self.typed), ""
        except BadRequest as error:
            words, fault = "", str(error)
        result = literal_block(words).highlight_regex(r"\A.*", style="$foreground")
        self._note.update(result.highlight_regex(r"(?m)^! .*", style="$warn"))
        note = RESTORED_SENTENCE if self.typed == self._restored else ""
        self._fault.update(literal(fault if is_final else note))
        if fault and is_final:
            self.post_message(AnswerRefused(fault))
        return not fault
