"""How many are in flight: fewer while the service strains, all again when it is well."""

import asyncio
import time
from itertools import pairwise

import pytest

from backlit.model.errors import TooManyRequests, Unavailable
from backlit.store.remote.reachability import MAX_CONCURRENT_REQUESTS, RUN, ConcurrencyLimit, Reachability, RetryPauses


def answered(
    flow: ConcurrencyLimit, times: int, *, method: str = "PUT", status: int = 200, seconds: float = 0.05
) -> ConcurrencyLimit:
    for _ in range(times):
        flow.answered(method, status, seconds)
    return flow


@pytest.mark.parametrize("status", [0, 429, 500, 503])
def test_strain_halves_what_is_in_flight_once_for_all_that_met_it(status: int) -> None:
    flow = ConcurrencyLimit()

    assert answered(flow, MAX_CONCURRENT_REQUESTS, status=status).room == 2
    assert answered(flow, 2, status=status).room == 1
    assert answered(flow, 20, status=status).room == 1


def test_a_run_of_successes_lets_one_more_go() -> None:
    flow = answered(ConcurrencyLimit(), MAX_CONCURRENT_REQUESTS + 2, status=503)

    assert answered(flow, RUN - 1).room == 1
    assert answered(flow, 1).room == 2
    assert answered(flow, 10 * RUN).room == MAX_CONCURRENT_REQUESTS


def test_a_refusal_is_no_strain() -> None:
    assert answered(ConcurrencyLimit(), 50, status=400).room == MAX_CONCURRENT_REQUESTS


def test_a_write_that_takes_well_longer_than_usual_is_strain() -> None:
    flow = answered(ConcurrencyLimit(), 20, seconds=0.2)

    assert answered(flow, 1, seconds=0.6).room == MAX_CONCURRENT_REQUESTS
    assert answered(flow, 1, seconds=5.0).room == MAX_CONCURRENT_REQUESTS // 2


def test_a_large_page_is_no_strain() -> None:
    flow = answered(ConcurrencyLimit(), 20, method="GET", seconds=0.01)

    assert answered(flow, 1, method="GET", seconds=5.0).room == MAX_CONCURRENT_REQUESTS


def test_pauses_double_up_to_the_longest_and_are_jittered() -> None:
    waits = RetryPauses(first_pause=1.0, longest_pause=30.0)
    pauses = [[waits.pause(failures) for _ in range(50)] for failures in (1, 3, 60)]

    assert all(most / 2 <= pause <= most for most, several in zip((1, 4, 30), pauses, strict=True) for pause in several)
    assert all(len(set(several)) > 1 for several in pauses)


async def test_a_service_that_is_gone_is_asked_again_after_pauses_until_it_answers() -> None:
    asked: list[float] = []

    async def ask() -> None:
        asked.append(asyncio.get_running_loop().time())
        if len(asked) < 4:
            raise Unavailable("Down.")

    gate = Reachability(ask, lambda _sentence: None, lambda: None, RetryPauses(first_pause=0.02, longest_pause=0.04))
    gate.lost(Unavailable("Down."))
    began = asyncio.get_running_loop().time()
    watching = asyncio.create_task(gate.watch())
    await asyncio.wait_for(gate.wait(), 10)
    watching.cancel()

    assert len(asked) == 4
    assert all(later - earlier >= 0.009 for earlier, later in pairwise([began, *asked]))


async def test_the_longest_of_several_wishes_is_kept() -> None:
    async def ask() -> None: ...

    gate = Reachability(ask, lambda _sentence: None, lambda: None, RetryPauses())

    gate.lost(TooManyRequests("Not so fast.", retry_after=600.0))
    gate.lost(Unavailable("Down.", retry_after=5.0))

    with pytest.raises(TooManyRequests) as refused:
        gate.hurry()
    assert (refused.value.retry_after or 0.0) > 500.0


def test_a_success_opens_the_gate_only_after_the_requested_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask() -> None: ...

    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    gate = Reachability(ask, lambda _sentence: None, lambda: None, RetryPauses())
    gate.lost(TooManyRequests("Not so fast.", retry_after=10.0))
    opened = []
    for now in (1000.0, 1009.0, 1010.0):  # noqa: B007 # the clock reads it
        gate.works()
        opened.append(gate.is_open)

    assert opened == [False, False, True]


class Gate:
    """A gate with a clock of its own, and the sentences and openings that it reports."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.said: list[str] = []
        self.opened = 0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(time, "time", lambda: self.now)
        waits = RetryPauses(first_pause=8.0, longest_pause=8.0)
        self.gate = Reachability(self._ask, self.said.append, self._open, waits)

    async def _ask(self) -> None: ...

    def _open(self) -> None:
        self.opened += 1

    def hurried(self) -> float | None:
        """Hurry; returns the requested pause that is left."""
        try:
            self.gate.hurry()
        except TooManyRequests as error:
            return error.retry_after
        return None


@pytest.fixture
def shut(monkeypatch: pytest.MonkeyPatch) -> Gate:
    return Gate(monkeypatch)


def test_a_gate_opens_once_and_says_so_once(shut: Gate) -> None:
    shut.gate.works()
    shut.gate.lost(Unavailable("Down."))
    shut.gate.works()
    shut.gate.works()

    assert (shut.opened, shut.said) == (1, ["Down."])


def test_what_is_left_of_a_requested_pause_is_said_and_kept(shut: Gate) -> None:
    shut.gate.lost(TooManyRequests("Not so fast.", retry_after=60.0))
    until = time.strftime("%H:%M:%S", time.localtime(1060.0))
    left = []
    for shut.now in (1000.0, 1045.0, 1059.9, 1060.0, 1061.0):
        left.append(shut.hurried())

    assert shut.said == [f"Not so fast. Next attempt at {until}."]
    assert [each and round(each, 3) for each in left] == [60.0, 15.0, 0.1, None, None]


@pytest.mark.parametrize(
    ("wishes", "left"),
    [
        ([(0.0, 30.0), (10.0, 5.0)], 20.0),
        ([(0.0, 30.0), (10.0, 50.0)], 50.0),
        ([(0.0, 30.0), (10.0, None)], 20.0),
    ],
)
def test_the_latest_end_of_several_pauses_counts(
    shut: Gate, wishes: list[tuple[float, float | None]], left: float
) -> None:
    for after, wish in wishes:
        shut.now = 1000.0 + after
        shut.gate.lost(TooManyRequests("Not so fast.", retry_after=wish))

    assert shut.hurried() == left


def test_a_pause_that_is_over_is_not_said_of_the_next_outage(shut: Gate) -> None:
    shut.gate.lost(TooManyRequests("Not so fast.", retry_after=60.0))
    shut.now = 1060.0
    shut.gate.works()
    shut.gate.lost(Unavailable("Down."))

    assert (shut.said[1:], shut.hurried(), shut.gate.is_open) == (["Down."], None, False)
