"""The editor's commands that only concern the form, or leave it for another place."""

from collections.abc import Callable

from backlit.tui.acting import CannotAct
from backlit.tui.commands import COMMAND_BY_ID, Context
from backlit.tui.field_lines import FieldLines
from backlit.tui.item_draft import ItemDraft
from backlit.tui.item_verbs import ItemVerbs
from backlit.tui.kept_draft import KeptDraft
from backlit.tui.widgets.field_form import FieldForm


class EditorMoves(ItemVerbs):
    """A screen with a form; its commands act on the form from the first key on, before anything is painted."""

    CONTEXTS = (Context.EDITOR, Context.ITEM)
    AUTO_FOCUS = "FieldGrid"
    form: FieldForm
    lines: FieldLines
    kept: KeptDraft
    item_id: int | None
    item_type: str

    @property
    def draft(self) -> ItemDraft:
        """What is being changed."""
        return self.form.draft

    def guarded(self, leave: Callable[[], object]) -> None:
        """Leave at once, or after asking what becomes of the changes."""
        raise NotImplementedError

    def tell(self, sentence: str) -> None:
        """Say something in the line of the help."""
        raise NotImplementedError

    def in_order(self, act: Callable[[], object]) -> None:
        """Act after the input has taken the keys that were typed before."""
        typing = self.focused
        if typing is None or not self.form.is_editing:
            act()
            return

        def after_keys() -> None:
            if self.focused is typing:
                act()
            else:  # enter or tab was among them, and what came behind it was sent to the app
                self.app.call_later(act)

        typing.call_later(after_keys)

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

    # Leaving for another place

    def do_app_unwind(self, _count: int | None) -> None:
        """Esc does the same while a text has the focus."""
        self.chord_app.run_command(COMMAND_BY_ID["editor.close"])

    def do_app_backlog(self, _count: int | None) -> None:
        """Close and go to the backlog."""
        self._go("app.backlog")

    def do_app_iterations(self, _count: int | None) -> None:
        """Close and go to the iterations."""
        self._go("app.iterations")

    def do_app_areas(self, _count: int | None) -> None:
        """Close and go to the areas."""
        self._go("app.areas")

    def do_app_project(self, _count: int | None) -> None:
        """Areas, people and iterations here are this project's."""
        raise CannotAct("The editor belongs to this project; q closes it first.")

    def _go(self, command_id: str) -> None:
        app = self.chord_app

        def leave() -> None:
            self.dismiss(None)
            app.call_later(app.run_command, COMMAND_BY_ID[command_id])

        self.guarded(leave)
