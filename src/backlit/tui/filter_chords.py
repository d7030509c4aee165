"""The commands that filter a list by the values of one field; they write into the list's query."""

from dataclasses import replace

from backlit.model.errors import BacklitError
from backlit.model.query.keys import LINT_KEY
from backlit.model.query.parts import values_of, with_values
from backlit.tui.acting import CannotAct
from backlit.tui.dialogs.pick_values import PickValuesDialog
from backlit.tui.filter_choices import (
    AREA,
    ITERATION,
    OWNER,
    STATUS,
    TAG,
    TYPE,
    Filtered,
    choices_for,
    chosen_in,
    counted,
)
from backlit.tui.view_verbs import ViewVerbs
from backlit.tui.work import work


class FilterChords(ViewVerbs):
    """A list that is filtered by what its query asks for."""

    def do_filter_status(self, _count: int | None) -> None:
        """By status."""
        self._filter_by(STATUS)

    def do_filter_owner(self, _count: int | None) -> None:
        """By owner."""
        self._filter_by(OWNER)

    def do_filter_type(self, _count: int | None) -> None:
        """By type."""
        self._filter_by(TYPE)

    def do_filter_iteration(self, _count: int | None) -> None:
        """By iteration, with those below it."""
        self._filter_by(ITERATION)

    def do_filter_area(self, _count: int | None) -> None:
        """By area, with those below it."""
        self._filter_by(AREA)

    def do_filter_tag(self, _count: int | None) -> None:
        """By tag."""
        self._filter_by(TAG)

    def do_filter_mine(self, _count: int | None) -> None:
        """What is mine; again, everybody's."""
        if self.store.me() is None:
            raise CannotAct("It is not known yet who you are.")
        is_mine = [value.casefold() for value in values_of(self.spec.query, OWNER.key)] == ["me"]
        self._ask_for(OWNER, () if is_mine else ("me",))

    def do_filter_unready(self, _count: int | None) -> None:
        """What fails the ready-check; again, everything."""
        wanted = () if values_of(self.spec.query, LINT_KEY) else ("any",)
        self.show_spec(replace(self.spec, query=with_values(self.spec.query, LINT_KEY, wanted)))

    def _filter_by(self, by: Filtered) -> None:
        def picked(values: tuple[str, ...] | None) -> None:
            if values is not None:
                self._ask_for(by, values)

        choices = choices_for(self.store, by)
        chosen = chosen_in(choices, values_of(self.spec.query, by.key), self.store)
        dialog = PickValuesDialog(f"Filter by {by.label}", f"any {by.label}", choices, chosen)
        self.app.push_screen(dialog, picked)
        self.run_worker(work(self._count, by, dialog), exclusive=True, group="facets")

    def _ask_for(self, by: Filtered, values: tuple[str, ...]) -> None:
        self.show_spec(replace(self.spec, query=with_values(self.spec.query, by.key, values)))

    async def _count(self, by: Filtered, dialog: PickValuesDialog) -> None:
        """Count the values among what the other filters leave."""
        rest = replace(
            self.spec,
            query=with_values(self.spec.query, by.key, ()),
            with_done=self.spec.with_done or by is STATUS,
            sort=(),
            group=(),
        )
        try:
            facets = await self.store.view(rest).facets(by.field.key)
        except BacklitError:
            return  # the choices stay without counts
        if dialog.is_attached:
            dialog.count(counted(self.store, by, facets))
