"""The verbs that take an item one step on: its estimate, its status, its iteration."""

from collections.abc import Sequence

from backlit.model.capacity import points_of
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.statuses import StatusGroup, group_of, is_open
from backlit.store.iterations_by_date import current, following, leaves, preceding
from backlit.store.people import IterationEntry
from backlit.store.rows import Item
from backlit.tui.acting import CannotAct
from backlit.tui.acts import Act, Changes, DoesNotApply, to_value
from backlit.tui.ages import days_until
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.field_asking import FieldAsking
from backlit.tui.field_text import number_text


class StateVerbs(FieldAsking):
    """Changes that need no question, as a rule."""

    # Estimate

    def do_item_estimate_up(self, count: int | None) -> None:
        """One step of the scale up, or `count`."""
        self._step(count or 1)

    def do_item_estimate_down(self, count: int | None) -> None:
        """One step of the scale down, or `count`."""
        self._step(-(count or 1))

    def _step(self, steps: int) -> None:
        scale = self.chord_app.estimate_scale
        items = self.chosen()
        self.having("Estimate", items)

        def changes(item: Item) -> Changes:
            return {"Estimate": stepped(item.fields.get("Estimate"), steps, scale)}

        self.carry_out(Act(f"Estimate {steps:+d}", ("Estimate",), changes), items)

    # Status

    def do_item_done(self, _count: int | None) -> None:
        """Done, or closed, as its type has it."""
        self._settle(StatusGroup.DONE, "Done")

    def do_item_reopen(self, _count: int | None) -> None:
        """Not done any more, or active again."""
        self._settle(StatusGroup.NOT_STARTED, "Reopen")

    def _settle(self, group: StatusGroup, label: str) -> None:
        items = self.chosen()
        self.having("Status", items)

        def changes(item: Item) -> Changes:
            status = str(item.fields.get("Status") or "")
            if (group is StatusGroup.DONE) == (group_of(status) is StatusGroup.DONE):
                return {}
            if group is StatusGroup.NOT_STARTED and is_open(status):
                return {}
            return {"Status": first_status(self.store.statuses(item.type), group)}

        self.carry_out(Act(label, ("Status",), changes), items)

    # Iteration

    def do_item_to_current(self, _count: int | None) -> None:
        """Move to the iteration of today."""
        self._move_to_one(current(self._iterations(), self.store.today()), "No iteration is under way")

    def do_item_to_next(self, _count: int | None) -> None:
        """Move to the iteration after today's."""
        self._move_to_one(following(self._iterations(), self.store.today()), "No iteration is to come")

    def do_item_to_previous(self, _count: int | None) -> None:
        """Move to the iteration before today's."""
        self._move_to_one(preceding(self._iterations(), self.store.today()), "No iteration is over yet")

    def do_item_to_backlog(self, _count: int | None) -> None:
        """Move out of every iteration: to the root."""
        roots = [each for each in self.store.iterations().values() if "\\" not in each.path]
        if not roots:
            raise CannotAct("The iterations are not known yet.")
        self._move(roots[0].id, "the backlog", self.chosen())

    def _iterations(self) -> Sequence[IterationEntry]:
        return leaves(self.store.iterations().values())

    def _move_to_one(self, found: Sequence[IterationEntry], nothing: str) -> None:
        """Move there; ask where there are several."""
        items = self.chosen()
        if not found:
            raise CannotAct(f"{nothing}; gi shows the iterations.")
        if len(found) == 1:
            self._move(found[0].id, found[0].name, items)
            return
        names = {each.id: each.name for each in found}
        today = self.store.today()
        choices = [Choice(each.id, each.name, days_until(each.end, today) if each.end else "") for each in found]
        self.pick("Which of them", choices, None, lambda chosen: self._move_to(chosen, names, items))

    def _move_to(self, chosen: object, names: dict[int, str], items: Sequence[Item]) -> None:
        if isinstance(chosen, int):
            self._move(chosen, names[chosen], items)

    def _move(self, iteration_id: int, name: str, items: Sequence[Item]) -> None:
        self.carry_out(to_value(FIELD_BY_KEY["IterationID"], iteration_id, name), items)


def stepped(estimate: object, steps: int, scale: Sequence[float]) -> str:
    """The estimate some steps up or down a rising scale, which ends where it ends; unset counts as nothing."""
    text = str(estimate) if estimate not in (None, "") else ""
    points = points_of(text) if text else 0.0
    if points is None:
        raise DoesNotApply(f"“{text[:20]}” is no number, so it has no next step; ce changes it.")
    if not text and steps < 0:
        raise DoesNotApply("It has no estimate yet.")
    if steps > 0:
        above = [step for step in scale if step > points]
        wanted = above[min(steps, len(above)) - 1] if above else points
    else:
        below = [step for step in reversed(scale) if step < points]
        wanted = below[min(-steps, len(below)) - 1] if below else points
    return text if wanted == points and text else number_text(wanted)


def first_status(statuses: Sequence[str], group: StatusGroup) -> str:
    """The first status of a group; of one that nothing begins with, the first that is open."""
    for status in statuses:
        if group_of(status) is group:
            return status
    for status in statuses:
        if group is StatusGroup.NOT_STARTED and is_open(status):
            return status
    raise DoesNotApply(f"It has no status that means {group.value}.")
