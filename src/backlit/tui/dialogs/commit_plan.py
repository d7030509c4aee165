"""The plan before it is written: how full iterations get, what changes, and what others changed meanwhile."""

from textual.content import Content

from backlit.store.store import Store
from backlit.tui.dialogs.agreement import Agreement
from backlit.tui.plan_difference import Stand, plan_lines, stand_lines
from backlit.tui.text import literal


class CommitPlanDialog(Agreement):
    """y agrees to what nobody else touched; m also to one's own over theirs, which `is_over_theirs` then says."""

    def __init__(self, store: Store, stand: Stand) -> None:
        noun = "item" if stand.written == 1 else "items"
        super().__init__("Write the plan", f"write {stand.written:,} {noun}" if stand.written else "")
        self._store = store
        self._stand = stand
        self.is_over_theirs = False
        if stand.contested:
            with_yes = f"y write {stand.written:,} {noun}  " if stand.written else ""
            self.frame.border_subtitle = literal(f"{with_yes}m mine over theirs too  n leave")

    def heading(self) -> list[Content]:
        """Iterations, over-commitment first of all to be seen."""
        return stand_lines(self._stand)

    def lines(self) -> list[Content]:
        """Item by item."""
        return plan_lines(self._store, self._stand)

    def type_early(self, character: str) -> None:
        """Write, leave, or scroll."""
        if character == "m" and self._stand.contested:
            self.is_over_theirs = True
            self.dismiss(True)
        elif character != "y" or self._stand.written or self._stand.gone:
            super().type_early(character)
