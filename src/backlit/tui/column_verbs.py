"""Which columns a list has: picked, or written with their widths; a saved view keeps them."""

from collections.abc import Sequence

from backlit.model.filters import SortKey
from backlit.model.query.keys import field_named
from backlit.store.view_columns import NEVER, ColumnWish, column_wish, without_repeats
from backlit.store.views_saved import field_key
from backlit.tui.acting import CannotAct
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.view_verbs import SORTED, USUAL, ViewVerbs, key_choices
from backlit.tui.widgets.columns import LACKING, column_of
from backlit.tui.widgets.columns import USUAL as USUAL_COLUMNS
from backlit.tui.widgets.list_columns import ListColumns

MOST_COLUMNS = 20


class ColumnVerbs(ViewVerbs):
    """A list whose columns are chosen; without a choice it has the usual ones."""

    column_wishes: Sequence[ColumnWish] = ()

    def use_columns(self, wishes: Sequence[ColumnWish]) -> None:
        """Show some columns, or the usual ones."""
        if not isinstance(self.items, ListColumns):
            return
        self.column_wishes = tuple(wishes)
        custom = self.store.custom_fields() if wishes else ()
        columns = [column_of(wish, field_named(wish.key, custom)) for wish in wishes]
        self.items.use_columns(columns or self.items.COLUMNS)

    def choose_columns(self, wishes: Sequence[ColumnWish]) -> None:
        """Show some columns because the user wants them; says which of them do not fit."""
        self.use_columns(wishes)
        if isinstance(self.items, ListColumns) and (hidden := self.items.hidden_columns()):
            names = ", ".join(each.title for each in hidden)
            self.say(f"There is no room for {names}; zl scrolls there.")

    def do_list_columns(self, _count: int | None) -> None:
        """Pick the columns, one after another."""
        self._need_columns()
        from backlit.tui.dialogs.pick_keys import PickKeysDialog

        before = {wish.key: wish for wish in self.column_wishes}

        def picked(keys: tuple[SortKey, ...] | None) -> None:
            if keys is not None:
                self.choose_columns([before.get(each.name) or ColumnWish(each.name) for each in keys])

        choices = [Choice(None, "the usual columns"), *key_choices(self.store, (*USUAL, *SORTED[2:4]), tuple(NEVER))]
        choices = [each for each in choices if each.value not in NEVER]
        choices.insert(1 + len(USUAL_COLUMNS), Choice(LACKING.key, LACKING.title))
        shown = [SortKey(wish.key) for wish in self.column_wishes] or [SortKey(each.key) for each in USUAL_COLUMNS]
        self.app.push_screen(PickKeysDialog("Columns", choices, shown, most=MOST_COLUMNS, adds=True), picked)

    def told_list_columns(self, text: str) -> None:
        """Show the columns that are written, with their widths. Raises BadRequest naming what is none."""
        self._need_columns()
        parts = [] if text == "usual" else [part for part in text.split(",") if part.strip()]
        self.choose_columns(without_repeats([column_wish(part, self.key_named) for part in parts]))

    def _need_columns(self) -> None:
        if not isinstance(self.items, ListColumns):
            raise CannotAct("Columns of fields are the list's; gb goes there.")

    def key_named(self, name: str) -> str:
        """The field that a name means, a project's own too. Raises BadRequest where there is none."""
        field = field_named(name, self.store.custom_fields())
        return field.key if field else field_key(name)
