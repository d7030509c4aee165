"""Planning a sprint line by line, on the draft that the planning screen has too."""

from collections.abc import Sequence

from backlit.cli.linear.console import LineKind
from backlit.cli.linear.session import Changed, Left, LinearSession, WentBack
from backlit.cli.linear.words import dates_of, load_of, number_of
from backlit.cli.selection import number_in
from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, sentence_of
from backlit.store.planning.plan import PlanChange
from backlit.store.records.item import ItemRow
from backlit.store.records.people import IterationEntry, current, following
from backlit.store.views.query import ViewSpec

PAGE_ITEMS = 8
_MENU = {
    "1": "add",
    "2": "remove",
    "3": "items",
    "4": "other sprint",
    "5": "review",
    "6": "save",
    "7": "discard",
}


class LinearPlanning:
    """One sprint at a time."""

    def __init__(self, session: LinearSession) -> None:
        self._session = session

    def run(self) -> None:
        target = self._first()
        if target is None:
            self._session.error("There is no sprint that has not ended. Make one: iterations new NAME")
            return
        if not self._session.is_offline:
            self._session.run(self._session.store.reports.ask_velocity())
        while True:
            try:
                target = self._round(target)
            except Changed:
                target = self._session.store.lookups.iterations().get(target.id) or target
            except WentBack:
                continue
            except Left:
                planned = len(self._session.store.plan.difference())
                if planned:
                    self._session.console.say(
                        LineKind.DRAFT, f"{counted(planned, 'change')} not saved, kept for later."
                    )
                return

    def _targets(self) -> list[IterationEntry]:
        store = self._session.store
        targets, today = store.plan.iterations.targets(), store.today()
        return [each for each in targets if not each.is_over(today)]

    def _first(self) -> IterationEntry | None:
        """Return the sprint that was planned last, else the next one, else the current one."""
        targets, today = self._targets(), self._session.store.today()
        aimed = [each for each in targets if each.id == self._session.store.plan.draft.target]
        return next(iter([*aimed, *following(targets, today), *current(targets, today), *targets]), None)

    def _round(self, target: IterationEntry) -> IterationEntry:
        """Say how full a sprint is, and carry out one choice; return the sprint to go on with."""
        session = self._session
        load = session.store.plan_preview.loads_now([target.id])[target.id]
        velocity = session.run(session.store.reports.velocity()).median
        pace = f" Velocity {velocity:g}." if velocity is not None else ""
        session.console.say(
            LineKind.PLAN, f"{target.name}, {dates_of(target)}. {load_of(load, target.capacity)}.{pace}"
        )
        people = [f"{session.words.person(who)} {counted(share.points, 'point')}" for who, share in load.people.items()]
        told = f"{', '.join(people) or 'nobody has anything'}. {counted(load.count, 'item')}."
        choice = session.chosen(LineKind.PLAN, told, _MENU)
        try:
            match choice:
                case "1":
                    self._add(target)
                case "2":
                    self._remove(target)
                case "3":
                    self._list(target)
                case "4":
                    return self._other()
                case "5":
                    self._review()
                case "6":
                    self._save()
                case "7":
                    self._discard()
        except WentBack:
            pass
        except BacklitError as error:
            session.error(sentence_of(error))
        return target

    # Items

    def _rows(self, places: frozenset[int], query: str = "") -> list[ItemRow]:
        store = self._session.store
        view = store.view(store.plan_preview.spec(ViewSpec(query=query), places), store.plan_preview.laid_over)
        if view.query.has_words:
            self._session.run(store.search.read_all())
        self._session.run(view.load())
        return view.rows(0, view.count or 0)

    def _backlog(self) -> frozenset[int]:
        store = self._session.store
        return frozenset(store.lookups.iterations()) - {each.id for each in store.plan.iterations.targets()}

    def _picked(self, rows: Sequence[ItemRow], what: str, *, has_query: bool) -> list[int]:
        """Offer rows page by page and return the chosen ids."""
        session, at = self._session, 0
        query = ", / and a query" if has_query else ""
        while True:
            page = rows[at : at + PAGE_ITEMS]
            if not page:
                session.console.say(LineKind.LIST, f"{what}: no items.")
                raise WentBack
            for number, row in enumerate(page, at + 1):
                session.console.say(LineKind.LIST, f"{number}. {session.words.row(row)}")
            more = f"m {counted(len(rows) - at - len(page), 'more item')}, " if len(rows) > at + len(page) else ""
            text = session.answer(
                LineKind.BACKLOG if has_query else LineKind.PLAN,
                f"{what}, {len(rows)} items. Numbers of the list, {more}b back{query}.",
            )
            if text == "m" and more:
                at += PAGE_ITEMS
                continue
            if has_query and text.startswith("/"):
                rows, at = self._rows(self._backlog(), text[1:].strip()), 0
                continue
            chosen = self._ids(rows, text.replace(",", " ").split())
            if chosen:
                return chosen

    def _ids(self, rows: Sequence[ItemRow], words: Sequence[str]) -> list[int]:
        """Return the items of numbers in the list, or of `#12`; say what is neither."""
        found = []
        for word in words:
            item_id = number_in(word) if word.startswith("#") else None
            if item_id is not None and any(row.id == item_id for row in rows):
                found.append(item_id)
            elif word.isascii() and word.isdigit() and 1 <= int(word) <= len(rows):
                found.append(rows[int(word) - 1].id)
            else:
                self._session.error(f"“{word}” is no number of the list.")
                return []
        return found

    def _add(self, target: IterationEntry) -> None:
        chosen = self._picked(self._rows(self._backlog()), "Backlog", has_query=True)
        self._session.run(self._session.store.plan.move(chosen, target.id))
        self._session.console.say(LineKind.DRAFT, f"{', '.join(map(number_of, chosen))} added to {target.name}.")

    def _remove(self, target: IterationEntry) -> None:
        chosen = self._picked(self._rows(frozenset({target.id})), target.name, has_query=False)
        self._session.run(self._session.store.plan.unplan(chosen))
        self._session.console.say(LineKind.DRAFT, f"{', '.join(map(number_of, chosen))} removed from {target.name}.")

    def _list(self, target: IterationEntry) -> None:
        rows = self._rows(frozenset({target.id}))
        self._session.read_out(LineKind.LIST, "\n".join(map(self._session.words.row, rows)) or "No items.")

    def _other(self) -> IterationEntry:
        targets = self._targets()
        options = {str(at): self._session.words.iteration(each) for at, each in enumerate(targets, 1)}
        chosen = targets[int(self._session.chosen(LineKind.QUESTION, "Which sprint?", options)) - 1]
        self._session.run(self._session.store.plan.aim(chosen.id))
        return chosen

    # The draft

    def _review(self) -> None:
        session = self._session
        changes = session.store.plan.difference()
        session.console.say(LineKind.REVIEW, f"{counted(len(changes), 'change')}.")
        for change in changes:
            for words in self._told(change):
                session.console.say(LineKind.REVIEW, f"{number_of(change.id)}, {change.name}, {words}.")
        for target in self._targets():
            load = session.store.plan_preview.loads_now([target.id])[target.id]
            if target.capacity.over(load.points):
                session.console.say(LineKind.REVIEW, f"{target.name}, {load_of(load, target.capacity)}.")

    def _told(self, change: PlanChange) -> list[str]:
        words = self._session.words
        fields = {key: self._session.field(key, change.type) for key in (*change.fields, *change.contests)}
        return [
            *(
                f"{fields[key].label} {words.value(fields[key], each.base)} to {words.value(fields[key], each.mine)}"
                for key, each in change.fields.items()
            ),
            *(
                f"{fields[key].label} was changed to {words.value(fields[key], each.theirs)} by somebody else;"
                f" yours {words.value(fields[key], each.touch.mine)} is not saved"
                for key, each in change.contests.items()
            ),
        ]

    def _save(self) -> None:
        session = self._session
        changes = [each for each in session.store.plan.difference() if each.fields]
        if not changes:
            session.error("There is nothing to save.")
            return
        what = counted(len(changes), "change")
        if not session.confirmed(f"Save {what} of the plan?"):
            session.error("Nothing was saved.")
            return
        written = session.run(session.store.plan.commit(changes))
        session.console.say(
            LineKind.SAVED, f"the plan, {counted(len(written), 'item')}. u undoes it. {session.waiting}"
        )
        session.sync()

    def _discard(self) -> None:
        planned = len(self._session.store.plan.draft.items)
        if not planned:
            self._session.error("There is no draft.")
        elif self._session.confirmed(f"Discard the plan of {counted(planned, 'item')}?"):
            self._session.run(self._session.store.plan.discard())
            self._session.console.say(LineKind.DRAFT, "discarded.")
