"""A plan as a JSON document: its export, and the reading of an edited one."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from msgspec import Struct

from backlit.model.errors import BadRequest
from backlit.model.field_values import number_text
from backlit.store.planning.text import BACKLOG, ExportedItem, PlanLine, cell
from backlit.store.records.people import IterationEntry


class ExportedPlan(Struct, frozen=True):
    """Some iterations and the backlog with their items; `was` has the service's values of each item."""

    project: str
    iterations: Sequence[IterationEntry]
    backlog_id: int
    labels: Mapping[int, str]
    sections: Mapping[int, Sequence[PlanLine]]
    notes: Mapping[int, str]
    was: Mapping[int, ExportedItem]


def plan_document(plan: ExportedPlan) -> dict[str, Any]:
    iterations = {each.id: each for each in plan.iterations}
    return {
        "project": plan.project,
        "iterations": [
            {
                **_iteration(iterations.get(place), plan.labels.get(place, BACKLOG)),
                "items": [_item(line, plan.was.get(line.id)) for line in lines],
            }
            for place, lines in plan.sections.items()
        ],
    }


def _iteration(entry: IterationEntry | None, label: str) -> dict[str, Any]:
    return {
        "id": entry.id if entry else None,
        "name": label,
        "start": entry.start.isoformat() if entry and entry.start else None,
        "end": entry.end.isoformat() if entry and entry.end else None,
        "min": entry.min_capacity if entry else None,
        "max": entry.max_capacity if entry else None,
    }


def _item(line: PlanLine, was: ExportedItem | None) -> dict[str, Any]:
    before = {"was": {"iteration": was.place, "points": was.estimate, "owner": was.owner}} if was else {}
    return {"id": line.id, "points": cell(line.estimate), "owner": cell(line.owner), "name": line.name, **before}


def read_plan_document(
    text: str, labels: Mapping[int, str], backlog_id: int, iteration_id: Callable[[str], int]
) -> tuple[dict[int, list[PlanLine]], dict[int, ExportedItem]]:
    """Return the items by iteration, and the values that the plan starts from; raise BadRequest for a faulty one."""
    lines: dict[int, list[PlanLine]] = {}
    base: dict[int, ExportedItem] = {}
    listed: set[int] = set()
    for iteration in _checked(text).iterations:
        if iteration.id is None:
            place = backlog_id if iteration.name == BACKLOG else iteration_id(iteration.name)
        elif iteration.id in labels:
            place = iteration.id
        else:
            raise BadRequest(f"There is no iteration {iteration.id} that items can be planned in.")
        for item in iteration.items:
            if item.id in listed:
                raise BadRequest(f"Item {item.id} is in the plan twice.")
            listed.add(item.id)
            points = item.points if item.points is None or isinstance(item.points, str) else number_text(item.points)
            lines.setdefault(place, []).append(PlanLine(item.id, cell(points), cell(item.owner)))
            if item.was is not None:
                base[item.id] = ExportedItem(item.was.iteration, cell(item.was.points), cell(item.was.owner))
        lines.setdefault(place, [])
    return lines, base


def _checked(text: str) -> Any:
    # By its name: the module loads pydantic, which the plan as a text does without.
    document = import_module("backlit.cli.documents.plan").PlanDocument
    try:
        return document.model_validate_json(text)
    except ValueError as error:
        first = error.errors()[0]  # type: ignore[attr-defined] # of pydantic
        place = ".".join(map(str, first["loc"])) or "the document"
        raise BadRequest(f"The plan is no document of plan export --json: {place}: {first['msg']}.") from None
