"""The item verbs in the editor: they change the draft, which is saved as one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from backlit.store.rows import Item, RowSign
from backlit.tui.acting import CannotAct
from backlit.tui.acts import Act, field_named, plan_of
from backlit.tui.screens.editor_moves import EditorMoves


class EditorVerbs(EditorMoves):
    """The item that is open is the one they act on, as the form shows it."""

    _before_text: Mapping[str, object] = {}

    def current_item(self) -> Item:
        """The open item as the store has it; raises CannotAct for one that was not saved yet."""
        if self.item_id is None:
            raise CannotAct("This item does not exist yet; ctrl+s saves it.")
        item = self.store.item(self.item_id)
        if item is None:
            raise CannotAct("This item is no longer there.")
        return item

    def chosen(self) -> list[Item]:
        """The open item with what was changed in the form."""
        self.form.leave()
        nobody = Item(0, self.item_type, self.store.project_id or 0, {}, {}, "", None, "", None, RowSign.NONE)
        item = nobody if self.item_id is None else self.current_item()
        return [replace(item, fields={**item.fields, **self.draft.base, **self.draft.changes})]

    def ask(self, key: str, items: Sequence[Item] = ()) -> None:
        """Go to the field and open it."""
        self.having(key, items or self.chosen())
        self.form.grid.go_to(key)
        self.form.edit()

    def carry_out(self, act: Act, items: Sequence[Item]) -> None:
        """Change the draft; what customers see is asked about nowhere else, as saving says it."""
        plan = plan_of(act, items, self.store)
        if not plan.changes:
            self.say(plan.why_nothing(), is_bad=not plan.already)
            return
        if act.is_repeatable:
            self.chord_app.last_act = act
        for changes in plan.changes.values():
            for key, value in changes.items():
                self.form.put(field_named(key, self.store), value)
                if not act.is_repeatable:  # the text that was edited may be from a while ago
                    self.draft.made_from(self._before_text, key)
                self.form.grid.go_to(key)
        self.form.changed()

    def do_item_external(self, count: int | None) -> None:
        """Edit the whole item as text; what others save meanwhile is not passed over."""
        self._before_text = dict(self.draft.base)
        super().do_item_external(count)

    def do_item_open(self, _count: int | None) -> None:
        """It is open."""
        raise CannotAct("The editor is open already; enter edits the field.")
