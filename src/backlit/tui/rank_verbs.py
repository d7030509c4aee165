"""The verbs that move items in the backlog's order: by some rows, to an end, to a place; and what becomes of it."""

from collections.abc import Awaitable, Callable

from backlit.model.errors import BacklitError, BadRequest
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.store.ranking import Ranked, refuse_other_orders
from backlit.store.rows import Item
from backlit.store.views import View
from backlit.tui.acting import CannotAct
from backlit.tui.acts import Act, Changes
from backlit.tui.bulk import MOST, Bulk, sentence_of
from backlit.tui.work import work

LOCAL = "This service cannot rank: the order is kept on this machine and is not sent; mw writes it to Priority."


class RankVerbs(Bulk):
    """Acts on the row, the marked rows or the range, as one block; a screen with a list says which view it shows."""

    def ranked_view(self) -> View:
        """The list whose order is changed; raises CannotAct where none is in sight."""
        raise CannotAct("The order is changed in the backlog, where it is seen; gb goes there.")

    def do_item_rank_down(self, count: int | None) -> None:
        """Move down by one row, or `count`."""
        self._rank(lambda view, ids: self.store.ranking.down(view, ids, count or 1), "It is at the bottom already.")

    def do_item_rank_up(self, count: int | None) -> None:
        """Move up by one row, or `count`."""
        self._rank(lambda view, ids: self.store.ranking.up(view, ids, count or 1), "It is at the top already.")

    def do_item_rank_top(self, _count: int | None) -> None:
        """Move above all that is shown."""
        self._rank(self.store.ranking.to_top, "It is at the top already.")

    def do_item_rank_bottom(self, _count: int | None) -> None:
        """Move below all that is shown."""
        self._rank(self.store.ranking.to_bottom, "It is at the bottom already.")

    def do_item_rank_position(self, count: int | None) -> None:
        """Move to the place `count`, which is asked for where it was not given."""
        from backlit.tui.dialogs.line import LineDialog

        self._need_its_order()
        if count is not None:
            self._rank_to(count)
            return

        def typed(text: str | None) -> None:
            if text is not None:
                self._rank_to(int(text))

        self.app.push_screen(LineDialog("To place", "", _check_place, note="Counted from 1 at the top."), typed)

    def told_item_rank_position(self, text: str) -> None:
        """Move to a place from the top. Raises BadRequest for what is no place."""
        fault = _check_place(text)
        if fault:
            raise BadRequest(fault)
        self._need_its_order()
        self._rank_to(int(text))

    def _rank_to(self, number: int) -> None:
        self._rank(lambda view, ids: self.store.ranking.to_position(view, ids, number), "It is there already.")

    def _need_its_order(self) -> View:
        view = self.ranked_view()
        try:
            refuse_other_orders(view)
        except BacklitError as refusal:
            raise CannotAct(f"{refusal} ts and tg change that.") from None
        return view

    def _rank(self, move: Callable[[View, list[int]], Awaitable[Ranked]], nothing: str) -> None:
        view, ids = self._need_its_order(), list(self.chosen_ids())
        if len(ids) > MOST:
            raise CannotAct(f"{len(ids):,} items are marked; one change takes {MOST:,} at most.")

        async def ranked() -> None:
            try:
                done = await move(view, ids)
            except BacklitError as error:
                self.say(sentence_of(error), is_bad=True)
                return
            if done.is_first:
                self.say(LOCAL)
            elif not done.count:
                self.say(nothing)
            elif done.count > 1:
                self.say(f"{done.count:,} items moved as one.")

        self.run_worker(work(ranked), group="writes")

    # An order that is this machine's only

    def do_item_rank_write(self, _count: int | None) -> None:
        """Write the order into Priority: 1, 2, 3 and so on, for the marked items or those that have moved."""
        ids = list(self.chosen_ids()) if self._has_marks() else self.store.ranking.local_ids()
        if not ids:
            raise CannotAct("There is no order of this machine's own to write; mark the items whose order is meant.")
        if len(ids) > MOST:
            raise CannotAct(f"{len(ids):,} items; one change takes {MOST:,} at most.")
        items = [each for each in self.store.batch.items(ids) if each.type != ItemType.TASK]
        able = [each.id for each in items if FIELD_BY_KEY["Priority"].applies_to(each.type)]
        places = {item_id: place for place, item_id in enumerate(able, 1)}

        def changes(item: Item) -> Changes:
            return {"Priority": places[item.id]}

        self.carry_out(Act("Priority by order", ("Priority",), changes, is_repeatable=False), items)

    def do_item_rank_forget(self, _count: int | None) -> None:
        """Show the service's order again."""
        if not self.store.ranking.count_local():
            raise CannotAct("There is no order of this machine's own: this is the service's.")

        async def forgotten() -> None:
            count = await self.store.ranking.forget()
            self.say(f"The service's order is shown again; {count:,} items had been moved here.")

        self.run_worker(work(forgotten), group="writes")

    def _has_marks(self) -> bool:
        return len(self.chosen_ids()) > 1


def _check_place(text: str) -> str | None:
    is_number = text.strip().isascii() and text.strip().isdigit() and 0 < int(text) < 10**9
    return None if is_number else "A place is a number from 1 on."
