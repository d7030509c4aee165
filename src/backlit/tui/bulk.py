"""How a change reaches items: one at once, several after their difference was seen; what fails is offered again."""

from collections.abc import Mapping, Sequence
from typing import cast

from backlit.model.errors import BacklitError
from backlit.store.rows import Item
from backlit.tui.acting import CannotAct
from backlit.tui.acts import Act, Plan, plan_of
from backlit.tui.chord_app import ChordApp
from backlit.tui.screens.base import StoreScreen
from backlit.tui.work import work

MOST = 2_000
"""Items that one change may touch; each is asked for and written on its own (FEATURES rule 11)."""


class Bulk(StoreScreen[None]):
    """A screen whose verbs act on items; subclasses say which item is the current one, and which are marked."""

    def current_item(self) -> Item:
        """The item the verbs act on; raises CannotAct where there is none."""
        raise NotImplementedError

    def chosen_ids(self) -> Sequence[int]:
        """The items the verbs act on: the marked ones, else the current one."""
        return (self.current_item().id,)

    def ids_from_here(self, count: int) -> Sequence[int]:  # noqa: ARG002 - for lists
        """The current item and those below it, `count` of them; without a list there is one."""
        return (self.current_item().id,)

    def chosen(self) -> list[Item]:
        """The same as whole items, in backlog order; raises CannotAct where there are none, or too many."""
        ids = self.chosen_ids()
        if len(ids) > MOST:
            raise CannotAct(f"{len(ids):,} items are marked; one change takes {MOST:,} at most.")
        items = self.store.batch.items(ids)
        if not items:
            raise CannotAct("The marked items are no longer there.")
        return items

    @property
    def chord_app(self) -> ChordApp:
        """The app as one that runs commands."""
        return cast("ChordApp", self.app)

    def carry_out(self, act: Act, items: Sequence[Item]) -> None:
        """Do it: to one item at once, unless customers see it; to several once their difference was agreed to."""
        from backlit.tui.dialogs.agree import AgreeDialog

        plan = plan_of(act, items, self.store)
        if not plan.changes:
            self.say(plan.why_nothing(), is_bad=not plan.already)
            return
        if len(items) == 1 and not plan.is_for_customers:
            self._write(plan)
            return

        def agreed(is_agreed: bool | None) -> None:
            if is_agreed:
                self._write(plan)

        self.app.push_screen(AgreeDialog(self.store, plan), agreed)

    def _write(self, plan: Plan) -> None:
        if plan.act.is_repeatable:
            self.chord_app.last_act = plan.act
        self.run_worker(work(self._write_all, plan), group="writes")

    async def _write_all(self, plan: Plan) -> None:
        """Journal all as one step, from what the user saw; where that is refused, each item for itself."""
        failed: dict[int, str] = {}
        try:
            await self.store.edit_each(plan.changes, plan.seen)
        except BacklitError as error:
            is_one = len(plan.changes) == 1
            failed = dict.fromkeys(plan.changes, sentence_of(error)) if is_one else await self._one_by_one(plan)
        if len(plan.changes) == 1 and failed:
            self.say(" ".join(failed.values()), is_bad=True)
        elif failed:
            self._offer_again(plan, failed)
        elif len(plan.changes) > 1:
            self.say(f"{plan.act.label}: {len(plan.changes):,} items changed.")

    async def _one_by_one(self, plan: Plan) -> dict[int, str]:
        failed = {}
        for item_id, changes in plan.changes.items():
            try:
                await self.store.edit([item_id], changes, plan.seen[item_id])
            except BacklitError as error:
                failed[item_id] = sentence_of(error)
        return failed

    def _offer_again(self, plan: Plan, failed: Mapping[int, str]) -> None:
        """Say what could not be changed, and try only that again."""
        from backlit.tui.dialogs.failed import FailedDialog

        def answered(is_wanted: bool | None) -> None:
            if is_wanted:
                self.carry_out(plan.act, self.store.batch.items(list(failed)))

        names = {item_id: str(plan.items[item_id].fields.get("Name") or "") for item_id in failed}
        self.app.push_screen(FailedDialog(len(plan.changes), failed, names), answered)


def sentence_of(error: BacklitError) -> str:
    """All that an error says."""
    return " ".join(dict.fromkeys([str(error), *error.errors.values()]))
