"""The dialogs that change what a person can do: in each sprint of the project, and in one of them."""

from collections.abc import Sequence
from datetime import date

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError
from backlit.model.field_values import number_text
from backlit.model.planning import PersonalCapacity, capacity_in_sprint
from backlit.store.records.people import IterationEntry, Person
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.line import FormDialog
from backlit.tui.dialogs.pick import Choice, PickDialog
from backlit.tui.fields.dates import typed_days, typed_number
from backlit.tui.plan.plan_commands import PlanCommandTarget
from backlit.tui.shell.drafts import StoredLines

LABELS = ("Points in each sprint", "Hours in each sprint", "Days off", "Points in this one", "Hours in this one")


async def change_capacity_of_person(target: PlanCommandTarget, iteration: IterationEntry) -> None:
    """Ask for a person and for what they can do, and save it for everybody; says why that is not possible."""
    store = target.store
    try:
        person = await _ask_for_person(target, iteration)
        if person is None:
            return
        usual, own = store.capacities.said(person.id), store.capacities.said(person.id, iteration.id)
        typed = await target.ask(_form(store, person, iteration, usual, own))
        if typed is None:
            return
        new_usual, new_own = read_capacities(typed, own, store.today())
        if new_usual != usual:
            await store.capacities.change(person.id, new_usual, usual)
        if new_own != own:
            await store.capacities.change(person.id, new_own, own, iteration.id)
    except BacklitError as error:
        # The workload stays open: a refused change is no reason to leave it.
        target.say(error.message, is_bad=True)
    else:
        target.say(f"Capacity of {person.username} saved for everybody in the project.")


async def _ask_for_person(target: PlanCommandTarget, iteration: IterationEntry) -> Person | None:
    """Return the person whose capacity is changed: of others only managers may."""
    store, me = target.store, target.store.lookups.me()
    if me is None:
        raise CannotAct(f"You are not signed in yet. Wait for the connection, or press {key_of('app.refresh')}.")
    if not store.project_settings.is_manager:
        return me
    known = store.capacities.of(iteration)
    people = {me.id: me, **store.lookups.people()}
    choices = [Choice(each.id, each.username, amounts_words(known.get(each.id))) for each in people.values()]
    choice = await target.ask(PickDialog(f"Capacity in {iteration.name}", choices))
    return people[choice.value] if choice is not None and isinstance(choice.value, int) else None


def _form(
    store: Store, person: Person, iteration: IterationEntry, usual: PersonalCapacity, own: PersonalCapacity
) -> FormDialog:
    values = (usual.points, usual.hours, own.points, own.hours)
    texts = ["" if value is None else number_text(value) for value in values]
    texts.insert(2, " ".join(day.isoformat() for day in sorted(usual.days_off)))
    days = working_days_of(store, iteration)

    def summarize(typed: Sequence[str]) -> str:
        found = read_capacities(typed, own, store.today())
        return capacity_sentence(iteration.name, capacity_in_sprint(*found, days), days, found)

    kept = StoredLines(store, f"personal capacity:{person.id}:{iteration.id}")
    title = f"Capacity of {person.username} · {iteration.name}"
    return FormDialog(title, list(zip(LABELS, texts, strict=True)), summarize, kept)


def working_days_of(store: Store, iteration: IterationEntry) -> tuple[date, ...]:
    """Return the project's working days of an iteration; none for one without dates."""
    if iteration.start is None or iteration.end is None:
        return ()
    return store.lookups.working_days().between(iteration.start, iteration.end)


def read_capacities(
    typed: Sequence[str], own: PersonalCapacity, today: date
) -> tuple[PersonalCapacity, PersonalCapacity]:
    """Return the usual capacity and that of one iteration; days off in it alone stay. Raises BadRequest."""
    points, hours, days, own_points, own_hours = typed
    usual = PersonalCapacity(
        typed_number(points, LABELS[0]), typed_number(hours, LABELS[1]), frozenset(typed_days(days, today, LABELS[2]))
    )
    return usual, PersonalCapacity(
        typed_number(own_points, LABELS[3]), typed_number(own_hours, LABELS[4]), own.days_off
    )


def capacity_sentence(
    name: str,
    capacity: PersonalCapacity,
    days: Sequence[date],
    said: tuple[PersonalCapacity, PersonalCapacity],
) -> str:
    """Return what capacities come to in an iteration, and how many of its working days are off."""
    amounts = amounts_words(capacity)
    if not amounts:
        return f"{name}: nothing said, so no limit."
    off = len(frozenset(days) & (said[0].days_off | said[1].days_off))
    return f"{name}: {amounts}" + (f", {counted(off, 'day')} of {len(days)} off" if off else "")


def amounts_words(capacity: PersonalCapacity | None) -> str:
    """Return points and hours, as in 8 pts, 60 h; nothing where nothing is said."""
    if capacity is None:
        return ""
    pairs = (capacity.points, "pts"), (capacity.hours, "h")
    return ", ".join(f"{number_text(round(amount, 1))} {unit}" for amount, unit in pairs if amount is not None)
