"""The slow computation of what is not a table of days: velocity, forecast, times and workload."""

from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from math import ceil
from typing import Any

from tests.service.reports.day_by_day import GROUP, NUMBERS, DayByDay, Rows, Values

Outcome = dict[str, Any]
CLOSED_FORM = ("committed", "change", "done", "remaining", "late")


class SprintBySprint(DayByDay):
    """The figures of sprints and of now."""

    def in_order(self) -> list[int]:
        covered = self.covered(self.coverage)
        return sorted(
            (each for each in self.project.sprints if each in covered),
            key=lambda each: (self.project.sprints[each], each),
        )

    def outcome(self, sprint: int) -> Outcome:
        end, end_day, is_over = self.end(sprint)
        first = min(self.commitment(sprint)[0], self.last)
        end = min(end, self.last)
        there = self.scope(end, sprint)
        committed = self.total(self.scope(first, sprint))
        done = self.total(there, lambda group: group == "done")
        left = self.total(there, lambda group: group != "done")
        late = 0.0
        if is_over:
            parts = self.parts_after(end, sprint)
            done += parts
            left += self.rolled_over(sprint, end) - parts
            now = self.scope(self.last, sprint)
            for item_id, values in there.items():
                if GROUP[values["Status"]] != "done" and item_id in now and GROUP[now[item_id]["Status"]] == "done":
                    late += self.worth(now[item_id])
        return {
            "committed": committed,
            "change": done + left - committed,
            "done": done,
            "remaining": left,
            "late": late,
            "as of": end_day if is_over else self.today,
            "is over": is_over,
            "was ever filled": any(self.scope(index, sprint) for index in range(min(first, end), end + 1)),
        }

    def parts_after(self, end: int, sprint: int) -> float:
        total = 0.0
        for index in range(end, self.last):
            event = self.project.events[index]
            new = self.snapshots[index + 1].get(event.item_id, {})
            is_done_part = event.act.name == "CREATED" and new.get("splitFrom") and GROUP[new["Status"]] == "done"
            if is_done_part and self.chosen(new, sprint) and new["type"] not in {"Task", "Feedback"}:
                total += self.worth(new)
        return total

    def rolled_over(self, sprint: int, end: int) -> float:
        _, last_working = self.first_and_last_working(sprint)
        found: dict[int, float] = {}
        for index in range(self.until(last_working - timedelta(1)), end):
            item_id = self.project.events[index].item_id
            old = self.scope(index, sprint).get(item_id)
            state = self.snapshots[index + 1]
            if old is None or item_id not in state or not self.counts(state, item_id):
                continue
            new = state[item_id]
            goal = new["IterationID"]
            is_open = GROUP[old["Status"]] != "done" and GROUP[new["Status"]] != "done"
            if (
                is_open
                and goal in self.project.sprints
                and self.project.sprints[goal][0] > self.project.sprints[sprint][0]
            ):
                found[item_id] = self.worth(new)
        at_end = self.snapshots[end]
        return sum(
            points
            for item_id, points in found.items()
            if item_id not in at_end or at_end[item_id]["IterationID"] != sprint
        )

    def outcomes(self) -> dict[int, Outcome]:
        found = {sprint: self.outcome(sprint) for sprint in self.in_order()}
        return {sprint: each for sprint, each in found.items() if each["was ever filled"]}

    def rounds(self, sprints: list[int]) -> list[list[int]]:
        found: list[list[int]] = []
        for sprint in sprints:
            fits = found and self.team is None and self._are_parallel(found[-1][0], sprint)
            found = [*found[:-1], [*found[-1], sprint]] if fits else [*found, [sprint]]
        return found

    def _are_parallel(self, one: int, other: int) -> bool:
        days = [
            {
                self.project.sprints[each][0] + timedelta(number)
                for number in range((self.project.sprints[each][1] - self.project.sprints[each][0]).days + 1)
            }
            for each in (one, other)
        ]
        return len(days[0] & days[1]) >= min(map(len, days)) / 2

    def samples(self) -> list[float]:
        found = self.outcomes()
        rounds = [each for each in self.rounds(list(found)) if all(found[sprint]["is over"] for sprint in each)]
        return [sum(found[sprint]["done"] for sprint in each) for each in rounds][-6:]

    def velocity(self) -> tuple[list[Any], Rows]:
        found = {
            sprint: each for sprint, each in self.outcomes().items() if self.project.sprints[sprint][0] <= self.today
        }
        rows = [
            [self.project.iterations[sprint].name, *(each[key] for key in (*CLOSED_FORM, "as of"))]
            for sprint, each in found.items()
        ]
        samples = sorted(self.samples())
        if not samples:
            return [None, None, None, None, 0], rows
        middle = samples[(len(samples) - 1) // 2 : len(samples) // 2 + 1]
        mean = sum(samples) / len(samples)
        return [mean, sum(middle) / len(middle), samples[0], samples[-1], len(samples)], rows

    def forecast(self, samples: list[float]) -> Rows:
        """Return the rows of 50 % and 85 % for the samples of all sprints."""
        rounds = self._rounds_to_come()
        maxima = [self._maximum(each) for each in rounds]
        limit = next((each for each in maxima if each is not None), None)
        cut = [Fraction(str(each if limit is None else min(each, limit))) for each in samples]
        remaining = self.total(self.scope(self.last, self.coverage), lambda group: group != "done")
        if len(samples) < 3:
            return [["50 %", None, None, None], ["85 %", None, None, None]]
        own = (
            self.project.iterations[self.coverage or 0].max_capacity if self.coverage in self.project.sprints else limit
        )
        ordered = sorted(samples)
        middle = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
        amounts = [sum(middle) / len(middle), max(s for s in samples if self._share_above(samples, s) >= 0.85)]
        rows: Rows = []
        for percent, amount in zip((50, 85), amounts, strict=True):
            number = self._sprints(cut, Fraction(str(remaining)), Fraction(percent, 100))
            end = self._end_of(number, rounds) if number else None
            rows.append([f"{percent} %", amount if own is None else min(amount, own), number, end])
        return rows

    def _share_above(self, samples: list[float], amount: float) -> float:
        return sum(each >= amount for each in samples) / len(samples)

    def _sprints(self, samples: list[Fraction], goal: Fraction, wanted: Fraction) -> int | None:
        @cache
        def probability(sprints: int, left: Fraction) -> Fraction:
            if left <= 0:
                return Fraction(1)
            if not sprints:
                return Fraction(0)
            return sum((probability(sprints - 1, left - each) for each in samples), Fraction()) / len(samples)

        return next((number for number in range(201) if probability(number, goal) >= wanted), None)

    def _rounds_to_come(self) -> list[list[int]]:
        wanted = []
        for sprint in sorted(self.project.sprints, key=lambda each: (self.project.sprints[each], each)):
            one = type(self)(self.project, sprint, None, self.unit)
            is_free = not one.scope(self.last, sprint) and not self.end(sprint)[2]
            if self.outcome(sprint)["was ever filled"] or is_free:
                wanted.append(sprint)
        return [each for each in self.rounds(wanted) if not all(self.end(sprint)[2] for sprint in each)]

    def _maximum(self, sprints: list[int]) -> float | None:
        maxima = [self.project.iterations[sprint].max_capacity for sprint in sprints]
        return None if None in maxima else sum(each or 0 for each in maxima)

    def _end_of(self, number: int, rounds: list[list[int]]) -> date:
        if number <= len(rounds):
            return max(self.project.sprints[sprint][1] for sprint in rounds[number - 1])
        last = max(self.today - timedelta(1), *(end for _, end in self.project.sprints.values()))
        return last + timedelta(14) * (number - len(rounds))

    # Times

    def cycle_times(self, days: int | None = None) -> tuple[list[Any], Rows]:
        """Return the percentiles and rows of what is done, or became done in the last days."""
        rows = []
        for item_id, values in self.scope(self.last, self.coverage).items():
            if GROUP[values["Status"]] == "done":
                row = self._times(item_id, values)
                if days is None or (self.today - self.local_day(row[4])).days < days:
                    rows.append(row)
        cycles = sorted(row[5] for row in rows if row[5] is not None)
        leads = sorted(row[6] for row in rows if row[6] is not None)
        ranks = [self._rank(samples, percent) for samples in (cycles, leads) for percent in (50, 85, 95)]
        return [len(rows), *ranks], sorted(rows, key=lambda row: (row[4], row[0]))

    def _rank(self, samples: list[float], percent: int) -> float | None:
        return samples[ceil(Fraction(percent * len(samples), 100)) - 1] if samples else None

    def _times(self, item_id: int, values: Values) -> list[Any]:
        started = done = None
        group = None
        for index, event in enumerate(self.project.events):
            if event.item_id == item_id:
                new = GROUP[self.snapshots[index + 1][item_id]["Status"]]
                if new in {"work", "test"} and started is None:
                    started = event.at
                if new == "done" and group != "done":
                    done = event.at
                group = new
        is_part = values.get("splitFrom") is not None
        assert done is not None
        started = None if is_part else started
        cycle = None if started is None else (done - started).total_seconds() / 86400
        lead = None if is_part else (done - values["createdAt"]).total_seconds() / 86400
        return [item_id, values["Name"], values["type"], started, done, cycle, lead]

    def ages(self) -> Rows:
        rows = []
        for item_id, values in self.scope(self.last, self.coverage).items():
            if GROUP[values["Status"]] in {"work", "test"}:
                events = [each for each in self.project.events if each.item_id == item_id and "Status" in each.fields]
                since = self.local_day(events[-1].at)
                owner = self.project.people[values.get("AssignedToID")]
                rows.append([(self.today - since).days, item_id, values["Name"], values["Status"], owner, since])
        return sorted(rows, key=lambda row: (row[5], row[1]))

    # Open work

    def people(self) -> dict[str, list[float]]:
        names = {**self.project.people, None: "unassigned"}
        found: dict[str, list[float]] = {}
        for values in self.scope(self.last, self.coverage).values():
            if GROUP[values["Status"]] != "done":
                row = found.setdefault(str(names[values.get("AssignedToID")]), [0.0, 0, 0.0])
                row[0] += NUMBERS.get(values.get("Estimate") or "", 0.0)
                row[1] += 1
        for task in self._tasks(self.last):
            if self._is_open_task(self.last, task):
                row = found.setdefault(str(names[task.get("AssignedToID")]), [0.0, 0, 0.0])
                row[2] += task.get("WorkRemaining") or 0.0
        return found

    def estimates(self) -> dict[Any, int]:
        found: dict[Any, int] = {}
        for values in self.scope(self.last, self.coverage).values():
            if GROUP[values["Status"]] != "done":
                text = values.get("Estimate") or ""
                label = NUMBERS.get(text, "no number" if text else "not set")
                found[label] = found.get(label, 0) + 1
        return found
