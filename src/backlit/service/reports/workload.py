"""Workload: the open work of each person or area, and the capacity of people."""

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from backlit.model.amounts import hours_text
from backlit.model.planning import PersonalCapacity, capacity_in_sprint
from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportName
from backlit.model.statuses import StatusGroup
from backlit.service.reports.burndown import open_tasks
from backlit.service.reports.context import ReportContext
from backlit.service.reports.events import ItemState

LOAD_COLUMNS = ("Pts", "Items", "Hours")
CAPACITY_COLUMNS = ("Capacity", "Hours capacity")
UNASSIGNED, NO_AREA = "unassigned", "no area"


class OpenWork(Struct, frozen=True):
    """Points and items of counted items by group of status, and hours of tasks.

    A task adds no points, an item no hours.
    """

    by_group: Mapping[StatusGroup, tuple[float, int]] = {}
    hours: float = 0.0

    @property
    def points(self) -> float:
        return sum((points for points, _ in self.by_group.values()), 0.0)

    @property
    def items(self) -> int:
        return sum(items for _, items in self.by_group.values())

    def __add__(self, other: "OpenWork") -> "OpenWork":
        found = dict(self.by_group)
        for group, (points, items) in other.by_group.items():
            before = found.get(group, (0.0, 0))
            found[group] = before[0] + points, before[1] + items
        return OpenWork(found, self.hours + other.hours)

    def details(self, title: str, name: str) -> Iterator[Mapping[str, CellValue]]:
        for group, (points, items) in self.by_group.items():
            yield {title: name, "group": group.value, "points": points, "items": items}


def open_work(context: ReportContext, key_of: Callable[[ItemState], int | None]) -> dict[int | None, OpenWork]:
    """Return the open work by the key of an item, and of a task by its own."""
    found: dict[int | None, OpenWork] = {}
    loads = [
        *(
            (item, OpenWork({item.group: (item.points, 1)}))
            for item in context.selection.counted(context.present)
            if item.is_open
        ),
        *((task, OpenWork(hours=task.hours)) for task in open_tasks(context.present, context.selection)),
    ]
    for item, load in loads:
        found[key_of(item)] = found.get(key_of(item), OpenWork()) + load
    return found


def people(context: ReportContext) -> ReportDocument:
    found = open_work(context, lambda item: item.owner_id)
    capacities = _capacities(context)
    loads = {person: found.get(person, OpenWork()) for person in (*found, *capacities)}
    named = [(context.person(person) or UNASSIGNED, person, load) for person, load in loads.items()]
    rows: list[tuple[CellValue, ...]] = []
    notes: list[str] = []
    details: list[Mapping[str, CellValue]] = []
    for name, person, load in sorted(named, key=lambda each: (each[1] is None, each[0].casefold(), each[1] or 0)):
        capacity = PersonalCapacity() if person is None else capacities.get(person, PersonalCapacity())
        rows.append(_row(name, load) + ((capacity.points, capacity.hours) if capacities else ()))
        details += load.details("person", name)
        notes += _over(name, load, capacity)
    columns = ("Person", *LOAD_COLUMNS, *(CAPACITY_COLUMNS if capacities else ()))
    return context.document(ReportName.PEOPLE, _summary(found), columns, rows, notes, details=details)


def _capacities(context: ReportContext) -> Mapping[int, PersonalCapacity]:
    """Return what people can do in the asked sprint; nothing for other coverages."""
    sprint = context.iteration
    if sprint is None or not context.tree.is_sprint(sprint):
        return {}
    working = context.calendar.working(sprint.start, sprint.end)
    usual, own = context.usual_capacities, context.iteration_capacities.get(sprint.id, {})
    found = {
        person: capacity_in_sprint(usual.get(person), own.get(person), working) for person in sorted({*usual, *own})
    }
    return {person: each for person, each in found.items() if each.is_said}


def _over(name: str, load: OpenWork, capacity: PersonalCapacity) -> Iterator[str]:
    # A capacity of 0 is one here: any work is too much for who can do none. `Capacity.over` takes it for none.
    for amount, most, unit in ((load.points, capacity.points, "pts"), (load.hours, capacity.hours, "h")):
        if most is not None and amount > most:
            yield f"{name} {hours_text(amount - most)} {unit} over."


def areas(context: ReportContext) -> ReportDocument:
    found = open_work(context, lambda item: item.area_id)
    named = [(context.names.areas.get(area or 0, NO_AREA), load) for area, load in found.items()]
    loads = sorted(named, key=lambda each: each[0].casefold())
    rows = [_row(name, load) for name, load in loads]
    details = [each for name, load in loads for each in load.details("area", name)]
    return context.document(ReportName.AREAS, _summary(found), ("Area", *LOAD_COLUMNS), rows, details=details)


def _row(name: str, load: OpenWork) -> tuple[CellValue, ...]:
    return name, load.points, load.items, load.hours


def _summary(loads: Mapping[int | None, OpenWork]) -> dict[str, CellValue]:
    total = sum(loads.values(), OpenWork())
    return {"points": total.points, "items": total.items, "hours": total.hours}
