"""The line that a list is filtered by while one types."""

from collections.abc import Sequence
from dataclasses import replace

from textual import on
from textual.widget import Widget

from backlit.model.errors import BadRequest
from backlit.model.query import Candidate, complete
from backlit.tui.commands.command import Context
from backlit.tui.lists.filtering import Filtering, FilterTarget, filter_list, narrowed
from backlit.tui.lists.query_text import joined
from backlit.tui.widgets.inputs import FILTER, QueryLine

HINT = "a part of the name, #id, or a query such as  status:open @me est>5"


class FilterLine(QueryLine):
    """Filters its target with every letter; the query that was there before holds together with what is typed."""

    CONTEXTS = (Context.FILTER_LINE,)

    def __init__(self, target: FilterTarget) -> None:
        super().__init__(self._candidates, target.store.typed.lines)
        self._target = target
        self._kept = self._typed = ""
        self._came_from: Widget | None = None
        self.steps = 0
        """Steps from hit to hit that were asked for and are not taken yet."""

    def begin(self) -> None:
        """Open the line with what was typed into it before."""
        now = self._target.shared.now
        if not self._holds_typed(now):
            self._kept, self._typed = now.query, ""
        self._came_from = self.screen.focused
        self.open(FILTER, self._typed or now.text, HINT)

    def before(self, now: Filtering) -> str:
        """Return the query that holds without what was typed last."""
        return self._kept if self._holds_typed(now) else now.view.spec.query

    def close(self) -> None:
        """Take the line off the screen, and go back to where the focus was."""
        super().close()
        if self._came_from is not None:
            self.screen.set_focus(self._came_from)
            self._came_from = None

    def leave(self) -> None:
        """Close the line and take back what was typed, after the keys that were typed before."""
        self.input.call_later(self._leave)

    def press(self, key: str) -> bool:
        """Take the line with enter; called before any key that was typed after it."""
        if key != "enter" or not self.is_open:
            return super().press(key)
        try:
            self._take()
        except BadRequest as error:
            self.blame(str(error), is_sure=True)
            return True
        if self.text:
            self._target.store.typed.remember(FILTER, self.text)
        self.close()
        return True

    @on(QueryLine.Typed)
    def _take_typed(self) -> None:
        if self.is_open:
            try:
                self._take()
            except BadRequest as error:
                self.blame(str(error))

    def _take(self) -> None:
        filtering = narrowed(self._target, self.text, self._kept)
        self._typed = "" if filtering.text else self.text
        filter_list(self._target, filtering)

    def _leave(self) -> None:
        self.close()
        filter_list(self._target, replace(self._target.shared.now, text="", query=self._kept))

    def _holds_typed(self, now: Filtering) -> bool:
        """Return whether the list is still filtered by the query that was typed last."""
        return bool(self._typed) and now.query == joined(self._kept, self._typed)

    def _candidates(self, _sign: str, text: str, cursor: int) -> Sequence[Candidate]:
        return complete(text, cursor, self._target.store.names.vocabulary()) if text.strip() else ()
