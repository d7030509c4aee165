"""The editor's commands that only concern the form."""

from typing import cast

from backlit.tui.chord_app import ChordApp
from backlit.tui.commands import Context
from backlit.tui.screens.base import StoreScreen
from backlit.tui.widgets.field_form import FieldForm


class EditorMoves(StoreScreen[None]):
    """A screen with a form; its commands act on the form from the first key on, before anything is painted."""

    CONTEXTS = (Context.EDITOR,)
    AUTO_FOCUS = "FieldGrid"
    form: FieldForm

    @property
    def chord_app(self) -> ChordApp:
        """The app as one that runs commands."""
        return cast("ChordApp", self.app)

    def do_editor_down(self, count: int | None) -> None:
        """Go down."""
        self.form.grid.step(count or 1)

    def do_editor_up(self, count: int | None) -> None:
        """Go up."""
        self.form.grid.step(-(count or 1))

    def do_editor_first(self, _count: int | None) -> None:
        """Go to the first field."""
        self.form.grid.move_to(0)

    def do_editor_last(self, _count: int | None) -> None:
        """Go to the last field."""
        self.form.grid.move_to(self.form.grid.row_count())

    def do_editor_half_down(self, _count: int | None) -> None:
        """Go down half a page."""
        self.form.grid.step(max(1, self.form.grid.page // 2))

    def do_editor_half_up(self, _count: int | None) -> None:
        """Go up half a page."""
        self.form.grid.step(-max(1, self.form.grid.page // 2))

    def do_editor_edit(self, _count: int | None) -> None:
        """Edit the field."""
        self.form.edit()

    def do_editor_clear(self, _count: int | None) -> None:
        """Empty the field."""
        self.form.clear()

    def do_editor_revert(self, _count: int | None) -> None:
        """Put the field back."""
        self.form.revert()
