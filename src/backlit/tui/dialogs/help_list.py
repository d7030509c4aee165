"""The rows of the help on keys: commands under headings, sentences and signs; and the contents beside them."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.strip import Strip

from backlit.tui.dialogs.finder import KEY_GAP, Offer, OfferList, fitted_clauses
from backlit.tui.drawing.text import fit
from backlit.tui.drawing.themes import CURRENT_PLACE, CURSOR_BAR
from backlit.tui.widgets.line_list import LineList, RowMessage

KEYS_WIDTH = 19
"""Cells of the cursor and the keys, with the blanks around them: room for `tab   shift+tab`."""
SIGNS_IN_ROW, SIGN_WIDTH = 3, 24
"""Signs side by side, and the cells of each at most."""

Sign = tuple[str, str, str]
"""A sign, its colour, and its words."""


class HelpOffer(Offer, frozen=True):
    """A row of the help; without a value a heading, or a sentence, or signs, or with none of these a blank line."""

    sentence: str = ""
    signs: Sequence[Sign] = ()


def shown_keys(offer: Offer) -> tuple[str, Sequence[str]]:
    """Return what the key column shows of an offer, its keys or else its words, and what it leaves out."""
    shown, *others = sorted(offer.keys.split(KEY_GAP), key=lambda part: part.startswith(":"))
    while others and not others[0].startswith(":") and cell_len(f"{shown}{KEY_GAP}{others[0]}") < KEYS_WIDTH - 3:
        shown += KEY_GAP + others.pop(0)
    return shown, others


class HelpList(OfferList):
    """One column of keys and what they do."""

    def step(self, rows: int) -> None:
        super().step(rows)
        if self.count and self.place == self.count:
            self._show_from(self.row_count())  # the signs stand below the last one

    def step_group(self, groups: int) -> None:
        """Go to the first row of the next group, or of this one and then of the previous one; at last to the signs."""
        starts = [at for at, (above, offer) in enumerate(zip(self.lines, self.lines[1:], strict=False), 1)
                  if above.is_heading and not offer.is_heading]  # fmt: skip
        ahead = [at for at in starts if at > self.cursor] if groups > 0 else [at for at in starts if at < self.cursor]
        if ahead:
            self.go_to_group(ahead[0] if groups > 0 else ahead[-1])
        elif groups > 0:
            self.step(self.row_count())

    def go_to_group(self, start: int) -> None:
        """Go to the first row of a group, with its heading on the first line where there is so much below it."""
        self._show_from(start - 1)
        self.move_to(start)

    def _show_from(self, top: int) -> None:
        top = max(0, min(top, self.row_count() - self.page))
        if top != self.top:
            self.show_from(top)

    def cuts_help(self) -> bool:
        return self.current is not None and cell_len(self.current.help) > self._row_width - KEYS_WIDTH

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        offer, theme, width = self.lines[index], self.theme_styles, self._row_width
        if offer.is_heading:
            return Strip(self._heading(offer))
        on = "cursor-background" if is_cursor else None
        keys, _ = shown_keys(offer)
        segments = [
            Segment("▌" if is_cursor else " ", theme.style(CURSOR_BAR, on=on)),
            *self._keys(fit(keys, KEYS_WIDTH - 3), offer, on),
            Segment(fitted_clauses(offer.help, width - KEYS_WIDTH), theme.style(on=on)),
        ]
        return Strip(segments).adjust_cell_length(width, theme.style(on=on))

    def _heading(self, offer: Offer) -> list[Segment]:
        theme = self.theme_styles
        if not isinstance(offer, HelpOffer):
            rule = f" {'─' * (self._row_width - cell_len(offer.label) - 3)}"
            return [
                Segment("  ", theme.style()),
                Segment(offer.label, theme.heading()),
                Segment(rule, theme.style("rule")),
            ]
        if not offer.signs:
            return [Segment(f"  {offer.sentence}", theme.style())]
        width = min(SIGN_WIDTH, (self._row_width - 2) // SIGNS_IN_ROW)
        parts = [Segment("  ", theme.style())]
        for sign, colour, words in offer.signs:
            parts += [Segment(f"{sign} ", theme.style(colour)), Segment(fit(words, width - 2), theme.style("muted"))]
        return parts


class HelpContents(LineList, can_focus=False):
    """The groups of the help with their numbers of keys, and blank rows; the group of the cursor is lit."""

    IS_IN_DIALOG = True

    class Picked(RowMessage):
        """A group was clicked."""

    def __init__(self, groups: Sequence[tuple[str, int]]) -> None:
        super().__init__()
        self._groups = groups

    def row_count(self) -> int:
        return len(self._groups)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        theme, (name, count) = self.theme_styles, self._groups[index]
        style = theme.style(CURRENT_PLACE, bold=True) if is_cursor else theme.style("muted")
        return Strip([Segment(f" {fit(name, self.size.width - 5)}{count or '':>3} ", style)])

    def moved(self, before: int) -> None:
        """Say nothing: it follows the cursor of the keys."""

    def clicked(self, index: int, event: events.Click) -> None:  # noqa: ARG002 - one click is enough
        if self._groups[index][0]:
            self.post_message(self.Picked(self, index))
