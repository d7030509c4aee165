"""When leases end, by a clock that the test sets forward."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import orjson
import pytest

from backlit.model.errors import TooManyRequests
from backlit.service.http.presence import (
    GATHER_SECONDS,
    LEASE_SECONDS,
    NOBODY,
    STREAM_GRACE_SECONDS,
    Presence,
    PresenceLease,
    PresenceMode,
)
from backlit.service.http.waiting import ChangeWaiters, WaitingPlace
from backlit.service.storage.settings import ServiceLimits

MAYA, JON = 1, 2
LEASE, OTHER = PresenceLease(1, 7, PresenceMode.EDIT), PresenceLease(1, 8, PresenceMode.EDIT)


class AdvancedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock can be set forward."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    async def advance(self, seconds: float) -> None:
        self.ahead += seconds
        for _ in range(3):  # timers that are due run with the next turn, and what they wake with that after it
            await asyncio.sleep(0)


class Scene:
    """Leases with the place of a stream, and what other processes are told."""

    def __init__(self, loop: AdvancedLoop) -> None:
        self.told: list[object] = []
        self.presence = Presence(lambda payload: self.told.append(orjson.loads(payload)))
        self.advance = loop.advance

    @property
    def here(self) -> dict[int, PresenceLease]:
        return dict(self.presence.snapshot.leases)

    def place(self) -> WaitingPlace:
        async def look() -> None:
            return None

        return WaitingPlace(ChangeWaiters(ServiceLimits(), look), None)


@pytest.fixture
def run() -> Iterator[Callable[[Callable[[Scene], Awaitable[None]]], None]]:
    with asyncio.Runner(loop_factory=AdvancedLoop) as runner:

        async def with_scene(act: Callable[[Scene], Awaitable[None]]) -> None:
            loop = asyncio.get_running_loop()
            assert isinstance(loop, AdvancedLoop)
            scene = Scene(loop)
            await act(scene)
            scene.presence.close()

        yield lambda act: runner.run(with_scene(act))


Run = Callable[[Callable[[Scene], Awaitable[None]]], None]


def test_a_lease_ends_unless_it_is_renewed(run: Run) -> None:
    async def act(scene: Scene) -> None:
        scene.presence.set(MAYA, LEASE)
        scene.presence.set(JON, OTHER)
        await scene.advance(LEASE_SECONDS - 5)
        assert scene.here == {MAYA: LEASE, JON: OTHER}
        scene.presence.set(MAYA, LEASE)
        await scene.advance(10)
        assert scene.here == {MAYA: LEASE}
        await scene.advance(LEASE_SECONDS)
        assert scene.here == {}

    run(act)


def test_changes_are_told_at_once_and_then_together(run: Run) -> None:
    async def act(scene: Scene) -> None:
        scene.presence.set(MAYA, LEASE)
        await scene.advance(0)
        first = scene.presence.snapshot
        scene.presence.set(JON, OTHER)
        scene.presence.end(MAYA)
        await scene.advance(GATHER_SECONDS / 2)
        assert scene.presence.snapshot is first
        await scene.advance(GATHER_SECONDS)
        assert (first.leases, scene.here) == ({MAYA: LEASE}, {JON: OTHER})
        events = scene.presence.events(first, frozenset({1}), frozenset({1}))
        assert orjson.loads(events.partition(b"data: ")[2]) == {
            "p": 1,
            "here": [{"user": JON, "item": 8, "mode": "edit"}, {"user": MAYA, "item": None}],
        }

    run(act)


def test_a_lease_outlives_the_last_stream_of_its_user_for_a_moment(run: Run) -> None:
    async def act(scene: Scene) -> None:
        one, other = scene.place(), scene.place()
        scene.presence.enter(one, MAYA)
        scene.presence.enter(other, MAYA)
        scene.presence.set(MAYA, LEASE)
        scene.presence.leave(one)
        await scene.advance(STREAM_GRACE_SECONDS + 1)
        assert scene.here == {MAYA: LEASE}
        scene.presence.leave(other)
        await scene.advance(STREAM_GRACE_SECONDS - 1)
        assert scene.here == {MAYA: LEASE}
        await scene.advance(2)
        assert scene.here == {}
        assert scene.told[-1] == [MAYA, None]

    run(act)


def test_a_lease_goes_on_when_the_stream_comes_again(run: Run) -> None:
    async def act(scene: Scene) -> None:
        place = scene.place()
        scene.presence.enter(place, MAYA)
        scene.presence.set(MAYA, LEASE)
        scene.presence.leave(place)
        await scene.advance(STREAM_GRACE_SECONDS / 2)
        scene.presence.enter(place, MAYA)
        await scene.advance(STREAM_GRACE_SECONDS)
        assert scene.here == {MAYA: LEASE}

    run(act)


def test_the_end_of_a_stream_here_leaves_what_another_process_was_asked_for(run: Run) -> None:
    async def act(scene: Scene) -> None:
        place = scene.place()
        scene.presence.enter(place, MAYA)
        scene.presence.receive(f'[{MAYA},[1,7,"edit",null]]')
        scene.presence.leave(place)
        await scene.advance(STREAM_GRACE_SECONDS + 1)
        assert scene.here == {MAYA: LEASE}
        scene.presence.receive(f"[{MAYA},null]")
        await scene.advance(GATHER_SECONDS)
        assert scene.here == {}
        assert scene.told == []

    run(act)


def test_one_user_is_heard_once_a_second(run: Run) -> None:
    async def act(scene: Scene) -> None:
        scene.presence.set(MAYA, LEASE)
        with pytest.raises(TooManyRequests):
            scene.presence.set(MAYA, OTHER)
        await scene.advance(1.1)
        scene.presence.set(MAYA, OTHER)
        await scene.advance(GATHER_SECONDS)
        assert scene.here == {MAYA: OTHER}

    run(act)


def test_who_was_told_of_nobody_is_told_of_all(run: Run) -> None:
    async def act(scene: Scene) -> None:
        scene.presence.set(MAYA, LEASE)
        scene.presence.set(JON, PresenceLease(2, 9, PresenceMode.VIEW, "Name"))
        await scene.advance(0)
        both = scene.presence.events(NOBODY, frozenset(), frozenset({1, 2}))
        one = scene.presence.events(NOBODY, frozenset(), frozenset({2}))
        assert (both.count(b"event: presence"), one.count(b"event: presence")) == (2, 1)
        assert b'"p":1' not in one
        assert scene.presence.events(scene.presence.snapshot, frozenset({2}), frozenset({1, 2})).count(b"event:") == 1

    run(act)
