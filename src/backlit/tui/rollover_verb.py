"""gw: what is unfinished of an iteration that ended is carried over, item by item."""

from collections.abc import Mapping, Sequence

from backlit.model.errors import BacklitError
from backlit.model.planning import Load
from backlit.store.people import IterationEntry, TreeKind
from backlit.store.rollover import Decision, Way
from backlit.tui.acting import CannotAct
from backlit.tui.bulk import sentence_of
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.plan_writing import PlanWriting
from backlit.tui.spans import span
from backlit.tui.work import work


class RolloverVerb(PlanWriting):
    """A screen from which an iteration is rolled over; the answers are kept until they are written."""

    def do_plan_rollover(self, _count: int | None) -> None:
        """Roll over the iteration here, if it has begun, else one that is over: ask which where there are several."""
        ended = self._ended()
        if not ended:
            raise CannotAct("No iteration that is over has unfinished items.")
        if len(ended) == 1:
            self._roll_over(ended[0])
            return
        by_id = {each.id: each for each in ended}
        today, totals = self.store.today(), self.store.totals(TreeKind.ITERATIONS)
        choices = [
            Choice(each.id, each.name, f"{totals[each.id].count} unfinished, {span(each.start, each.end, today)}")
            for each in ended
        ]
        self.pick("Roll over", choices, None, lambda chosen: self._roll_over(by_id[int(str(chosen))]))

    def _ended(self) -> Sequence[IterationEntry]:
        today, totals = self.store.today(), self.store.totals(TreeKind.ITERATIONS)
        here = self.here()
        if here is not None and here.id in totals and here.start is not None and here.start <= today:
            return [here]
        every = [each for each in self.store.plan.targets() if each.id in totals]
        return [each for each in reversed(every) if each.end and each.end < today]

    def _roll_over(self, iteration: IterationEntry) -> None:
        from backlit.tui.dialogs.rollover import Ending, RolloverDialog

        store, rollover = self.store, self.store.rollover
        every = store.plan.targets()
        after = every[[each.id for each in every].index(iteration.id) + 1 :]
        target = next((each for each in after if each.end is None or each.end >= store.today()), None)
        items = store.batch.items(rollover.unfinished(iteration.id))
        tasks = {item.id: len(rollover.open_tasks(item.id)) for item in items}
        loads = store.plan.loads_now([target.id] if target else [])
        owners = {each.id: each.username for each in store.everybody.known().values()}
        key = f"rollover:{store.project_id}:{iteration.id}"
        ending = Ending(iteration, target, items, tasks, next(iter(loads.values()), Load()), owners)

        def keep(decisions: Mapping[int, Decision]) -> None:
            content = {
                str(item_id): [each.way.value, each.done, each.with_tasks] for item_id, each in decisions.items()
            }
            self.plan(store.save_draft(key, content))

        def answered(decisions: Mapping[int, Decision] | None) -> None:
            if decisions is not None:
                target_id = target.id if target else None
                self.run_worker(work(self._write_rollover, key, iteration, target_id, decisions), group="writes")

        self.app.push_screen(RolloverDialog(ending, _kept(store.draft(key)), keep), answered)

    async def _write_rollover(
        self, key: str, iteration: IterationEntry, target_id: int | None, decisions: Mapping[int, Decision]
    ) -> None:
        try:
            written = await self.store.rollover.write(iteration.id, target_id, decisions)
            await self.store.discard_draft(key)
        except BacklitError as error:
            self.say(sentence_of(error), is_bad=True)
            return
        self.say(f"{iteration.name}: {written} {'item' if written == 1 else 'items'} rolled over; u takes it back.")


def _kept(content: Mapping[str, object] | None) -> dict[int, Decision]:
    """The answers of an earlier time."""
    found = {}
    for item_id, kept in (content or {}).items():
        if isinstance(kept, list) and len(kept) in {2, 3} and kept[0] in set(Way):
            found[int(item_id)] = Decision(Way(kept[0]), float(kept[1]), with_tasks=kept[2:] == [True])
    return found
