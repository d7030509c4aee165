"""Four sprints of two teams, worked on by clients in several time zones, while the clocks go on."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Self
from zoneinfo import ZoneInfo

import httpx
from tests.service.people import hash_cheaply
from tests.service.reports.comparisons import Expected, differences, expected_of, figures, velocity_of
from tests.service.reports.sprint_by_sprint import SprintBySprint
from tests.store.reports.simulated_person import Person
from tests.store.reports.simulated_project import (
    CLOSED,
    FIRST_DAY,
    OWN_MEANINGS,
    SPRINTS_OF_TEAM,
    STATUSES,
    STORY_STATUSES,
    SimulatedProject,
    dates_of,
    with_zone,
)
from tests.store.world import World, settings_in

from backlit.model.reports.names import ReportUnit
from backlit.model.wrap import TOKEN_PATH, authorization_header, parse_grant
from backlit.service.admin import projects, users, value_lists
from backlit.service.admin.projects import ProjectChange
from backlit.service.admin.workspace import writing
from backlit.service.reports.calendar import ProjectCalendar
from backlit.service.reports.iterations import ReportedIteration
from backlit.service.sample.workspace import PASSWORD, write_sample
from backlit.service.storage.access import Role
from backlit.service.storage.schema import teams
from backlit.store import Store, ViewSpec
from backlit.store.edits.nodes import NewNode
from backlit.store.edits.rollover import SUFFIX, RolloverDecision, RolloverOutcome
from backlit.store.records.people import TreeKind
from backlit.store.reports.coverages import Coverage

PROJECT = "Simulated"
ZONES = {"maya": "Europe/Berlin", "jon": "Pacific/Honolulu", "ada": "Pacific/Auckland", "priya": "Europe/Berlin"}
"""The zone of each client; the last one begins in the third sprint."""
LATE = "priya"
USERS = ("maya", "jon", "ada", "rex", "uma", "priya")
"""The users of the sample, whose numbers they have in this order."""
PROJECT_ZONES = ("Europe/Berlin", "Pacific/Auckland", "Pacific/Honolulu")
ESTIMATES = ("1", "2", "3", "5", "8", "2,5", "5 pts", "XL", None)
RESTS = {"5": "2", "8": "5"}
"""What is left of an estimate after a part of 3 points."""
HOURS = (None, 0.5, 2.0, 4.0, 6.25)
BACKLOG_DAYS = 20
TOLERANCE = 0.003
"""Days (four minutes) between the moments that the simulation keeps and the stamps that the service gives."""


class Simulation:
    """The service, the clients, and the events that they caused."""

    def __init__(self, folder: Path, seed: int, visits_a_day: int) -> None:
        self.folder, self._visits = folder, visits_a_day
        self.random = random.Random(seed)
        days_off = frozenset(FIRST_DAY + timedelta(self.random.randint(0, 55)) for _ in range(4))
        working = self.random.choice((frozenset(range(5)), frozenset({6, 0, 1, 2, 3})))
        zone = PROJECT_ZONES[seed % len(PROJECT_ZONES)]
        self.project = SimulatedProject(ProjectCalendar(zone, working, days_off))
        self.project_id = 0
        self.team_ids: list[int] = []
        self.sprints_of_team: list[list[int]] = []
        self.people: list[Person] = []
        self.compared, self.wrong = 0, list[str]()
        self.counts: dict[str, int] = {}

    # The workspace

    async def __aenter__(self) -> Self:
        settings = settings_in(self.folder)
        write_sample(settings, items=1, today=date(2031, 1, 6))
        hash_cheaply(settings)
        names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
        calendar = self.project.calendar
        with writing(settings) as connection:
            made = projects.create(
                connection,
                ProjectChange(
                    name=PROJECT,
                    start=FIRST_DAY,
                    end=FIRST_DAY + timedelta(100),
                    time_zone=calendar.zone,
                    working_days=[names[day] for day in sorted(calendar.working_days)],
                    days_off=[day.isoformat() for day in sorted(calendar.days_off)],
                ),
                "maya",
            )
            for name in ZONES:
                role = Role.MANAGER if name == "maya" else Role.CONTRIBUTOR
                users.set_grant(connection, name, PROJECT, role)
            self.team_ids = [projects.add_name(connection, teams, PROJECT, name)["id"] for name in ("Red", "Blue")]
            for item_type in ("Story", "Bug"):
                value_lists.set_values(
                    connection, PROJECT, item_type, "Status", STORY_STATUSES, groups=OWN_MEANINGS * (item_type == "Bug")
                )
        self.project_id, self._root = made["id"], made["rootIterationId"]
        self.world = World(self.folder, clock=lambda: with_zone(self.project.now, ZoneInfo("UTC")))
        await self.world.start()
        self._http = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.world.asgi), base_url="http://backlit.local/api/v1/"
        )
        self._signed_in = datetime(2032, 1, 1)
        self.move_to(self.project.now)
        for name in ZONES:
            if name != LATE:
                await self._join(name)
        await self._add_iterations()
        return self

    async def __aexit__(self, *_: object) -> None:
        for person in self.people:
            await asyncio.to_thread(person.store.close)
        await self._http.aclose()
        await self.world.stop()

    async def _join(self, name: str) -> None:
        user_id = USERS.index(name) + 1
        person = Person(self.world, name, ZoneInfo(ZONES[name]), self.project, self.project_id)
        self.people.append(person)
        self.project.people[user_id] = name
        await person.start()

    async def _add_iterations(self) -> None:
        """Add the sprints of both teams, the first two of one in a release."""
        store = self.people[0].store
        project = self.project
        first = [dates_of(FIRST_DAY, number) for number in range(SPRINTS_OF_TEAM)]
        other = [dates_of(FIRST_DAY + timedelta(3), number) for number in range(SPRINTS_OF_TEAM)]
        root = self._root
        (release,) = await store.nodes.add_all(
            TreeKind.ITERATIONS, root, [NewNode("R1", first[0][0], first[1][1], is_release=True)]
        )
        red_names = [NewNode(f"Red {number}", *dates) for number, dates in enumerate(first, 1)]
        below = await store.nodes.add_all(TreeKind.ITERATIONS, release, red_names[:2])
        red = [*below, *await store.nodes.add_all(TreeKind.ITERATIONS, root, red_names[2:])]
        maxima = [None, 20.0, 30.0, 12.0]
        blue = await store.nodes.add_all(
            TreeKind.ITERATIONS,
            root,
            [
                NewNode(f"Blue {number}", *dates, max_capacity=maximum)
                for number, (dates, maximum) in enumerate(zip(other, maxima, strict=True), 1)
            ],
        )
        await self.people[0].send()
        release, *sprints = (store.nodes.real_id(each) for each in (release, *red, *blue))
        names = [*(each.name for each in red_names), *(f"Blue {number}" for number in range(1, 5))]
        project.iterations[root] = ReportedIteration(root, -1, PROJECT, FIRST_DAY, FIRST_DAY + timedelta(100))
        project.iterations[release] = ReportedIteration(release, root, "R1", first[0][0], first[1][1], is_release=True)
        limits = [*[None] * 4, *maxima]
        for sprint, name, dates, maximum in zip(sprints, names, [*first, *other], limits, strict=True):
            parent = release if sprint in sprints[:2] else root
            project.sprints[sprint] = dates
            project.iterations[sprint] = ReportedIteration(sprint, parent, name, *dates, max_capacity=maximum)
        project.releases[release] = tuple(sprints[:2])
        self.sprints_of_team = [sprints[:4], sprints[4:]]

    # Time

    def move_to(self, at: datetime) -> None:
        """Move all clocks on."""
        self.project.now = at
        self.world.service.shared.clock.follow(at)

    def wait(self, minutes: float) -> None:
        self.move_to(self.project.now + timedelta(minutes=minutes))

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the service as a program of maya's would."""
        if (self.project.now - self._signed_in) > timedelta(minutes=30):
            code = await asyncio.to_thread(self.world.service.invite, "maya")
            form = {"wrap_client_id": "uri:backlit", "wrap_verification_code": code}
            text = (await self._http.post(f"http://backlit.local{TOKEN_PATH}", data=form)).raise_for_status().text
            self._http.headers["authorization"] = authorization_header(parse_grant(text, "backlit.local").access_token)
            self._signed_in = self.project.now
        answer = await self._http.request(method, path, json=body)
        return answer.raise_for_status().json()

    # What happens

    async def run(self, moments: Sequence[int], questions: int | None = None) -> None:
        """Work until after the last sprint; compare figures at the end and after some days before.

        `questions` is the number of coverages with a team and a unit that are compared, None for all.
        """
        planning = FIRST_DAY - timedelta(3)
        self.move_to(self.project.local(planning, 9))
        for _ in range(12):
            await self._create(self.people[0])
            self.wait(1)
        last = max(end for _, end in self.project.sprints.values()) + timedelta(2)
        for number in range((last - planning).days + 1):
            day = planning + timedelta(number)
            await self._live_a_day(day)
            if number in moments:
                await self.compare(questions)
        await self.compare(questions)

    async def _live_a_day(self, day: date) -> None:
        if day == self.project.sprints[self.sprints_of_team[0][2]][0]:
            await self._join(LATE)
        if day.weekday() == 0:  # the service forgets who did not come back for 30 days
            for person in self.people:
                await person.store.engine.sign_in(person.name, PASSWORD)
        for hour in sorted(self.random.uniform(0.1, 23.2) for _ in range(self._visits)):
            self.move_to(max(self.project.local(day, hour), self.project.now + timedelta(minutes=1)))
            await self._visit(self.random.choice(self.people))
        self.wait(1)
        for sprint, (start, end) in self.project.sprints.items():
            iteration = self.project.iterations[sprint]
            if day == start and sprint % 3 == 0:
                await self.ask("POST", f"iterations/{sprint}/start", {})
                self.project.start(sprint)
                self.wait(1)
            elif iteration.closed is None and day >= end and self.random.random() < 0.6:
                await self._roll_over(self.random.choice(self.people[:2]), sprint)

    async def _visit(self, person: Person) -> None:
        """Let a person do some things one after the other, now and then without a connection."""
        await person.store.refresh()
        if self.random.random() < 0.15:
            await self._work_offline(person)
            return
        for _ in range(self.random.randint(1, 3)):
            act = self.random.choice(self._acts)
            self._count(act.__name__)
            await act(person)
            self.wait(self.random.randint(1, 15))

    def _count(self, name: str) -> None:
        self.counts[name.strip("_")] = self.counts.get(name.strip("_"), 0) + 1

    @property
    def _acts(self) -> tuple[Callable[[Person], Awaitable[None]], ...]:
        return (
            *(self._create, self._create, self._create_task, self._set_status, self._set_status, self._set_status),
            *(self._set_status, self._estimate, self._move, self._change_several, self._set_hours, self._rank),
            *(self._undo, self._remove, self._split, self._comment),
        )

    def _one(self, *types: str) -> int | None:
        known = self.project.of_types(*(types or tuple(STATUSES)))
        return self.random.choice(known) if known else None

    def _iteration(self) -> int:
        """Return a place to plan for: mostly a sprint that is not over, else any, or the backlog."""
        today = self.project.today
        soon = [sprint for sprint, (_, end) in self.project.sprints.items() if today <= end <= today + timedelta(30)]
        return self.random.choice([*soon, *soon, *self.project.iterations])

    def _status(self, item_type: str) -> str:
        return self.random.choice(STATUSES[item_type])

    async def _create(self, person: Person) -> None:
        item_type = self.random.choice(("Story", "Story", "Bug", "Issue"))
        fields: dict[str, Any] = {
            "Name": f"{item_type} {len(self.project.events)}",
            "IterationID": self._iteration(),
            "Status": self.random.choice((STATUSES[item_type][0], self._status(item_type))),
            "Estimate": self.random.choice(ESTIMATES),
            "TeamID": self.random.choice((*self.team_ids, None)),
            "AssignedToID": self.random.choice((1, 2, None)),
        }
        await self._add(person, item_type, fields)

    async def _create_task(self, person: Person) -> None:
        parent = self._one("Story", "Bug")
        if parent is None:
            return
        fields = {
            "Name": f"Task {len(self.project.events)}",
            "ParentID": parent,
            "IterationID": self.project.values[parent]["IterationID"],
            "Status": self._status("Task"),
            "TeamID": self.random.choice((*self.team_ids, None)),
            "AssignedToID": self.random.choice((1, 2, None)),
            "WorkRemaining": self.random.choice(HOURS),
            "WorkCompleted": self.random.choice(HOURS),
        }
        await self._add(person, "Task", fields)

    async def _add(self, person: Person, item_type: str, fields: dict[str, Any]) -> None:
        temporary_id = await person.store.items.add(item_type, {k: v for k, v in fields.items() if v is not None})
        await person.send()
        self.project.create(person.store.files.journal.real_id(temporary_id), item_type, fields)

    async def _edit(self, person: Person, item_id: int | None, changes: dict[str, Any]) -> None:
        if item_id is not None:
            await person.store.items.edit([item_id], changes)
            await person.send()
            self.project.change(item_id, changes)

    async def _set_status(self, person: Person) -> None:
        item_id = self._one()
        if item_id is not None:
            await self._edit(person, item_id, {"Status": self._status(self.project.values[item_id]["type"])})

    async def _estimate(self, person: Person) -> None:
        await self._edit(person, self._one("Story", "Bug", "Issue"), {"Estimate": self.random.choice(ESTIMATES)})

    async def _move(self, person: Person) -> None:
        await self._edit(person, self._one(), {"IterationID": self._iteration()})

    async def _change_several(self, person: Person) -> None:
        """Change two or three fields at once, which the service gets as one change."""
        values = {
            "IterationID": self._iteration(),
            "TeamID": self.random.choice((*self.team_ids, None)),
            "Estimate": self.random.choice(ESTIMATES),
            "Status": self._status("Story"),
            "AssignedToID": self.random.choice((1, 2, None)),
        }
        keys = self.random.sample(sorted(values), self.random.randint(2, 3))
        await self._edit(person, self._one("Story", "Bug"), {key: values[key] for key in keys})

    async def _set_hours(self, person: Person) -> None:
        changes = {"WorkRemaining": self.random.choice(HOURS), "WorkCompleted": self.random.choice(HOURS)}
        await self._edit(person, self._one("Task"), changes)

    async def _comment(self, person: Person) -> None:
        item_id = self._one()
        if item_id is not None:
            await person.store.items.comment(item_id, "Nothing that counts.")
            await person.send()

    async def _rank(self, person: Person) -> None:
        item_id = self._one("Story", "Bug")
        if item_id is not None:
            view = person.store.view(ViewSpec(with_done=True))
            await view.load()
            await person.store.ranking.to_top(view, [item_id])
            await person.send()

    async def _undo(self, person: Person) -> None:
        """Change a status and take that back, as two events."""
        item_id = self._one("Story", "Bug")
        if item_id is None:
            return
        before = self.project.values[item_id]["Status"]
        after = self.random.choice([each for each in STORY_STATUSES if each != before])
        await self._edit(person, item_id, {"Status": after})
        self.wait(self.random.choice((1, 200)))
        await person.store.history.undo()
        await person.send()
        self.project.change(item_id, {"Status": before})

    async def _remove(self, person: Person) -> None:
        item_id = self._one()
        if item_id is not None and self.random.random() < 0.4:
            await person.store.deletions.delete_items([item_id])
            await person.send()
            self.project.remove(item_id)

    async def _split(self, person: Person) -> None:
        """Split an item as a program does: a done part stays, the rest goes on."""
        known = [
            item_id
            for item_id in self.project.of_types("Story", "Bug")
            if self.project.values[item_id]["Estimate"] in RESTS
            and self.project.values[item_id]["Status"] not in CLOSED
            and self.project.values[item_id]["IterationID"] in self.project.sprints
        ]
        if not known:
            return
        item_id = self.random.choice(known)
        old = self.project.values[item_id]
        kept = {key: old[key] for key in ("IterationID", "TeamID", "AssignedToID")}
        fields = {**kept, "Name": f"{old['Name']}{SUFFIX}", "Status": "Done", "Estimate": "3"}
        body = {"type": old["type"], "projectId": self.project_id, "fields": fields, "splitFrom": item_id}
        self._count("program split")
        part = (await self.ask("POST", "workitems", body))["id"]
        self.project.create(part, old["type"], fields, item_id)
        rest = {"IterationID": self._iteration(), "Estimate": RESTS[old["Estimate"]]}
        await self.ask("PUT", f"workitems/{item_id}", rest)
        self.project.change(item_id, rest)
        await person.store.refresh()

    async def _work_offline(self, person: Person) -> None:
        """Edit without a connection; the changes count when they arrive."""
        self._count("work offline")
        person.faults.is_down = True
        changes: dict[int, dict[str, Any]] = {}
        for _ in range(3):
            item_id = self._one("Story", "Bug")
            if item_id is not None and item_id not in changes:
                changes[item_id] = {"Status": self._status("Story"), "Estimate": self.random.choice(ESTIMATES)}
                await person.store.items.edit([item_id], changes[item_id])
            self.wait(self.random.randint(1, 300))
        person.faults.is_down = False
        await person.send()
        for item_id, each in changes.items():
            self.project.change(item_id, each)

    async def _roll_over(self, person: Person, sprint: int) -> None:
        """Mark some items done, close the sprint, and split and move the rest, in this order."""
        self._count("rollover")
        await person.store.refresh()
        rollover, project = person.store.rollover, self.project
        team = next(sprints for sprints in self.sprints_of_team if sprint in sprints)
        later = team[team.index(sprint) + 1 :]
        open_ids = rollover.unfinished(sprint)
        assert sorted(open_ids) == sorted(project.unfinished(sprint))
        ways = [RolloverOutcome.DONE, RolloverOutcome.BACKLOG, RolloverOutcome.STAY]
        ways += [RolloverOutcome.NEXT] * 3 * bool(later)
        decisions = {item_id: RolloverDecision(self.random.choice(ways)) for item_id in open_ids}
        if later:
            large = [each for each in open_ids if project.values[each]["Estimate"] in RESTS]
            decisions |= {each: RolloverDecision(RolloverOutcome.SPLIT, 3.0) for each in large[::2]}
        known, target = set(project.values), later[0] if later else None
        await rollover.write(sprint, target, decisions, closes=True)
        await person.send()
        for item_id in (each for each, decision in decisions.items() if decision.way is RolloverOutcome.DONE):
            project.change(item_id, {"Status": _done_status(project.values[item_id])})
        project.close(sprint)
        places = {RolloverOutcome.NEXT: target, RolloverOutcome.SPLIT: target, RolloverOutcome.BACKLOG: self._root}
        parts = await self._new_parts(known)
        for item_id, decision in decisions.items():
            old = dict(project.values[item_id])
            if (place := places.get(decision.way)) is None:
                continue
            rest = {}
            if decision.way is RolloverOutcome.SPLIT:
                self._count("split in a rollover")
                kept = {key: old[key] for key in ("IterationID", "TeamID", "AssignedToID")}
                part = {**kept, "Name": f"{old['Name']}{SUFFIX}", "Status": _done_status(old), "Estimate": "3"}
                project.create(parts[old["Name"]], old["type"], part, item_id)
                rest = {"Estimate": RESTS[old["Estimate"]]}
            project.change(item_id, {"IterationID": place, **rest})
            for task_id, task in project.tasks_of(item_id):
                if task["IterationID"] == sprint and task["Status"] not in CLOSED:
                    project.change(task_id, {"IterationID": place})
        self.wait(1)

    async def _new_parts(self, known: set[int]) -> dict[str, int]:
        """Return the ids of parts that a rollover has just made, by the names of their items."""
        query = f"workitems?$top=1000&$orderby=id desc&$filter=projectId eq {self.project_id}"
        found = (await self.ask("GET", query))["results"]
        return {each["fields"]["Name"].removesuffix(SUFFIX): each["id"] for each in found if each["id"] not in known}

    # What is compared

    async def compare(self, questions: int | None = None) -> None:
        """Compare the figures of every report of every client with those of the list of events."""
        self.wait(1)
        began = time.monotonic()
        asked = list(self._questions())
        for coverage, team, unit in asked if questions is None else self.random.sample(asked, questions):
            slow = SprintBySprint(self.project, coverage, team, unit.value)
            expected = [*expected_of(slow, unit, BACKLOG_DAYS, times_of=BACKLOG_DAYS if coverage is None else None)]
            if coverage is None and unit is not ReportUnit.HOURS:
                expected += velocity_of(slow)
            for person in self.people:
                for each in expected:
                    await self._compare_one(person, coverage, team, unit, each)
        # The clock of the service went on meanwhile, on a busy machine for minutes, and never goes back.
        self.wait((time.monotonic() - began) / 60)

    async def _compare_one(
        self, person: Person, coverage: int | None, team: int | None, unit: ReportUnit, expected: Expected
    ) -> None:
        about = self._coverage(person.store, coverage)
        document = (await person.store.reports.answer(expected.report, about, unit, team)).document
        label = f"{expected.report} ({expected.what}) of {about.name}, team {team}, in {unit}, for {person.name}"
        self.compared += len(figures(expected.figures))
        found = figures(expected.read(document))
        self.wrong += differences(f"{label} on {self.project.today}", found, figures(expected.figures), TOLERANCE)

    def _coverage(self, store: Store, iteration: int | None) -> Coverage:
        reports = store.reports.coverages
        return reports.period(BACKLOG_DAYS) if iteration is None else reports.named(str(iteration))

    def _questions(self) -> Iterator[tuple[int | None, int | None, ReportUnit]]:
        begun = [sprint for sprint, (start, _) in self.project.sprints.items() if start <= self.project.today]
        for coverage in (None, *self.project.releases, *begun):
            for team in (None, *self.team_ids):
                for unit in ReportUnit:
                    yield coverage, team, unit


def _done_status(values: dict[str, Any]) -> str:
    return "Closed" if values["type"] == "Issue" else "Done"
