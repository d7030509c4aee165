"""Capacities of people in the service: what each usually does in a sprint of the project, and in single ones."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from backlit.model.errors import Conflict
from backlit.model.planning import PersonalCapacity, capacity_in_sprint
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.people import CAPACITIES, IterationEntry
from backlit.store.remote.capabilities import CAPACITIES_EXTENSION
from backlit.store.views.lookups import USUAL_CAPACITIES, Lookups

if TYPE_CHECKING:
    from backlit.client.client import DocumentEndpoint, FetchedResource

CapacityRequest = Callable[["DocumentEndpoint"], Awaitable["FetchedResource"]]
AskCapacities = Callable[[int, int | None, CapacityRequest], Awaitable["FetchedResource"]]
"""Lets a function read or change the capacities of a project, or those of its iteration; raises what prevents it."""


class SharedCapacities:
    """Reads and changes the capacities of the current project. The mirror keeps what was read last."""

    def __init__(self, files: LocalDatabase, lookups: Lookups, ask: AskCapacities) -> None:
        self._files = files
        self._lookups = lookups
        self._ask = ask

    @property
    def is_offered(self) -> bool:
        return self._lookups.announces(CAPACITIES_EXTENSION)

    async def read(self, iteration_ids: Iterable[int]) -> None:
        """Read the usual capacities, and those of iterations that the service knows. Raises what prevents it."""
        project_id = self._lookups.need_project()
        places = [USUAL_CAPACITIES, *(each for each in iteration_ids if each > 0)]
        requests = (self._ask(project_id, place or None, lambda found: found.fetch()) for place in places)
        for place, fetched in zip(places, await asyncio.gather(*requests), strict=True):
            await self._keep(project_id, place, fetched)

    def said(self, user_id: int, iteration_id: int | None = None) -> PersonalCapacity:
        """Return what was said of a person for an iteration; without one, for the sprints of the project."""
        return self._lookups.capacities().get(iteration_id or USUAL_CAPACITIES, {}).get(user_id, PersonalCapacity())

    def of(self, iteration: IterationEntry) -> Mapping[int, PersonalCapacity]:
        """Return what people can do in an iteration, by their ids: of those of whom something was said."""
        known = self._lookups.capacities()
        usual, own = known.get(USUAL_CAPACITIES, {}), known.get(iteration.id, {})
        work = self._lookups.working_days()
        has_days = iteration.start is not None and iteration.end is not None
        days = work.between(iteration.start, iteration.end) if has_days else ()  # type: ignore[arg-type] # it has
        found = {each: capacity_in_sprint(usual.get(each), own.get(each), days) for each in sorted({*usual, *own})}
        return {each: capacity for each, capacity in found.items() if capacity.is_said}

    async def change(
        self, user_id: int, capacity: PersonalCapacity, base: PersonalCapacity, iteration_id: int | None = None
    ) -> None:
        """Replace what was said of a person. Raises what the service answers, and Conflict where `base` is not said."""
        project_id, place = self._lookups.need_project(), iteration_id or USUAL_CAPACITIES
        fetched = await self._ask(project_id, iteration_id, lambda found: found.fetch())
        await self._keep(project_id, place, fetched)
        if self.said(user_id, iteration_id) not in (base, capacity):
            raise Conflict("Somebody else has changed this capacity meanwhile. Look at it, and then change it again.")
        days = [day.isoformat() for day in sorted(capacity.days_off)]
        row = {"userId": user_id, "points": capacity.points, "hours": capacity.hours, "daysOff": days}
        changes = {"capacities": [row]}
        answer = await self._ask(project_id, iteration_id, lambda found: found.update(changes, fetched.etag))
        await self._keep(project_id, place, answer)

    async def _keep(self, project_id: int, place: int, fetched: "FetchedResource") -> None:
        document = {"id": place, "capacities": fetched.document.get("capacities")}
        await self._files.write(lambda writer: _keep(writer, project_id, document))


def _keep(writer: WriteContext, project_id: int, document: dict[str, Any]) -> None:
    known = writer.mirror.resources(CAPACITIES, project_id)
    if document not in known:
        writer.mirror.put_resource(CAPACITIES, project_id, document)
        writer.signal.publish(StoreChange(Subject.TREES))
