"""The names of the reports, their units, and the definitions of their figures."""

from enum import StrEnum
from typing import Self


class ReportUnit(StrEnum):
    """What a report counts."""

    POINTS = "points"
    ITEMS = "items"
    HOURS = "hours"


_WORK = (ReportUnit.POINTS, ReportUnit.ITEMS)


class ReportName(StrEnum):
    """The reports: name, full title, short title, units with the usual one first, and the definition of the figures."""

    full_title: str
    short_title: str
    units: tuple[ReportUnit, ...]
    definition: str

    BURNDOWN = (
        "burndown",
        "Burndown",
        "Burndown",
        (*_WORK, ReportUnit.HOURS),
        (
            "Remaining is the scope less what is done, at the end of each day; today's value is that of now."
            " Tasks, feedback and deferred items do not count; a text as an estimate is 0 points."
            " The ideal line falls from the committed scope to 0 over the working days."
            " Committed is the scope when the sprint was started, or else at the end of its first working day."
            " Behind is remaining less ideal on the last day with a value."
            " In hours, remaining is the remaining work of open tasks, and a rise is shown."
        ),
    )
    BURNUP = (
        "burnup",
        "Burnup",
        "Burnup",
        _WORK,
        (
            "Done is what has a status that means done at the end of the day; reopened work is not done."
            " Scope is all that counts: no tasks, no feedback, nothing deferred."
            " An iteration includes the iterations below it."
            " The percentage is done by scope."
        ),
    )
    SCOPE = (
        "scope",
        "Scope change",
        "Scope",
        _WORK,
        (
            "Each change between the commitment and the end counts, also one that was undone on the same day."
            " Added is created in the sprint or restored in it; moved in and moved out follow the iteration of an item."
            " Re-estimated is the new estimate less the old one."
            " Deferred and deleted items leave the scope."
            " Moves between sprints of one release are no change of the release."
            " What is carried over at the end is moved out here."
        ),
    )
    VELOCITY = (
        "velocity",
        "Velocity",
        "Velocity",
        _WORK,
        (
            "A sample is what was done in a closed sprint, at its end; a sprint with nothing done counts as 0."
            " The velocity is the median of the last 6 samples; mean and range are of the same 6."
            " Parallel sprints that share half of their days are one sample, their sum."
            " Committed is the scope at the start or at the end of the first working day."
            " Change is done and remaining less committed; remaining of a closed sprint is its spill-over."
            " Late is what was done after the end, and is in no velocity."
        ),
    )
    FORECAST = (
        "forecast",
        "Forecast",
        "Forecast",
        _WORK,
        (
            "The forecast draws from the last 6 samples of the velocity, each as likely as the others."
            " The number of sprints at 85 % is the smallest in which the remaining work is done with that probability."
            " For one sprint, 50 % is the median, and 85 % the amount that 85 % of the samples reach."
            " A maximum capacity of the sprint limits both."
            " It takes 3 closed sprints."
        ),
    )
    CUMULATIVE_FLOW = (
        "cumulative-flow",
        "Cumulative flow",
        "Flow",
        (ReportUnit.ITEMS, ReportUnit.POINTS),
        (
            "The counted items at the end of each day, by the group of their status: done, ready for test, in progress,"
            " not started."
            " The upper edge is the scope, and each layer's height is the work in that group."
            " A layer that grows is where work waits."
            " A status without a meaning counts as not started."
        ),
    )
    CYCLE_TIME = (
        "cycle-time",
        "Cycle time",
        "Cycle",
        (ReportUnit.ITEMS,),
        (
            "Cycle time goes from the first time that an item was in progress or ready for test to the last time that"
            " it became done."
            " Lead time goes from its creation to the same moment."
            " Both are in days of 24 hours; waiting, blocked and reopened time counts."
            " 85 % of the items took the named time or less."
            " Items that were never started have a lead time only."
        ),
    )
    AGE = (
        "age",
        "Age in status",
        "Age",
        (ReportUnit.ITEMS,),
        (
            "The age is the number of days since the status of an item last changed."
            " Items in progress or ready for test are listed, the oldest first."
            " No other edit, rank, comment or move resets the age."
            " An item is stuck after more than 7 days."
        ),
    )
    PEOPLE = (
        "people",
        "Load by person",
        "Workload",
        _WORK,
        (
            "Points and items are the open work of the present owner."
            " Hours are the remaining work of open tasks, by the owner of the task."
            " A task adds no points, and an item no hours."
            " Capacity is the usual amount less own days off, or that of the sprint."
            " Over is load above capacity, each unit for itself."
        ),
    )
    AREAS = (
        "areas",
        "Load by area",
        "Areas",
        _WORK,
        (
            "Points and items are the open work of the present area."
            " Hours are the remaining work of open tasks, by the area of the task."
            " Tasks, feedback, done and deferred items add no points."
        ),
    )
    ESTIMATES = (
        "estimates",
        "Estimates",
        "Estimates",
        _WORK,
        (
            "Open items by their estimate, without tasks and feedback."
            " “No number” has a text in place of an estimate, which counts as 0 points."
            " Half of the items with a number have the named estimate or less."
        ),
    )

    TIME = (
        "time",
        "Logged time",
        "Time",
        (ReportUnit.HOURS,),
        (
            "Hours are those of the time entries, on the day that each was logged for, by the person who worked."
            " A week begins on Monday; more than 14 days are summed up by week."
            " Of a sprint, only the entries of its tasks count, by the task's present iteration, and only on its days."
            " A Feature has the hours of the tasks of its items; the type is that of the entry."
            " A task's completed work may differ: it can be written by hand."
        ),
    )

    @property
    def sentences(self) -> list[str]:
        """The sentences of the definition."""
        return [f"{sentence}." for sentence in self.definition.removesuffix(".").split(". ")]

    def __new__(
        cls,
        name: str,
        full_title: str = "",
        short_title: str = "",
        units: tuple[ReportUnit, ...] = _WORK,
        definition: str = "",
    ) -> Self:
        """Return the name, which carries the rest of its row."""
        member = str.__new__(cls, name)
        member._value_, member.full_title, member.short_title = name, full_title, short_title
        member.units, member.definition = units, definition
        return member
