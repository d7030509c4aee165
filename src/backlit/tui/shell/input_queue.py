r"""The input queue: passes each key to the application once the application can answer it.

A key belongs to what is on the screen when the keys before it have been handled: a picker, a dialog, a prompt, another
tab. Textual hands keys on as they come, to the screen that is there when it does.

    idle --event--> acting --handed on--> settling --all quiet--> idle, or acting with the first that waits
                      ^                      |  \--after VISIBLE_AFTER--> shown: "2 keys wait", until all is quiet
                      |                      |--ctrl+c, or esc typed while shown--> the rest is dropped, acting
                      |                      |--a refused answer, a warning--> the rest is dropped, still settling;
                      |                      |       esc behind a refused answer stays: it leaves the dialog
                      \--a character behind one--/  that only stands in the focused text: no settling between the two

Settling is over when no worker runs that a key waits for, and all message pumps on the way of an event rest. A worker
that asks in a dialog counts as over (`pausing`); reads of lists count while the screen has not shown the last one that
was wanted (`ListReadCounter`); work for the network never counts, but for a report, which counts for a moment.

The short cut for characters takes a third of the time of typed text, and a third or less of a filter: without it,
each character waits for the list of a filter that the next one replaces (0.2 s against 0.5 to 1.4 s of processor time
for `/type:story status:done` on 10,000 items). `OrderedKeysInput.only_types` says for which characters it is safe.
"""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from textual import events
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump
from textual.worker import Worker, get_current_worker

from backlit.tui.drawing.textual_private import is_resting, raise_again
from backlit.tui.shell.workers import BACKGROUND_GROUP
from backlit.tui.widgets.inputs import OrderedKeysInput

MOST_WAITING = 1_000
"""Most events that may wait: what a key held down sends in half a minute. More comes from something that is no
keyboard, and each of them may be a command."""
VISIBLE_AFTER = 0.4
"""Seconds after which a command in progress is shown with its waiting keys, and esc ends the wait. Shorter, the line
would flicker for what a busy machine does late; an esc from before was meant for what the command opens."""
PAUSE = 0.3
"""Seconds without text after which text is meant for the dialog that refused an answer: a person who reads the refusal
needs longer, and keys of one burst over a slow line come closer together."""
QUIET_SECONDS = 1.0
"""Seconds without a key after which a dialog may open that no key asked for. Keys of one thought come closer together:
half a second is a slow typist's pause inside a word."""
LOOK_EVERY = 0.1
"""Seconds between two looks whether such a dialog may open."""
STEP = 0.005
"""Seconds between two looks at workers: less than a frame, and little enough work for a wait of minutes."""
MOST_PASSES = 12
"""Rounds in which every message pump handles its messages. More than a message has stations, as messages that no
command began (a timer's, a sync's) may never end."""
# Messages to all pumps for each key took 0.3 of its 3.9 ms of CPU; looking at their queues takes none of that.
MOST_LOOKS = 40
"""Turns of the event loop in which all message pumps may come to rest, before each is asked for an answer, which costs
a message to each."""
RESTS = 3
"""Turns in which they rest: a message may be on its way through a pump that is not looked at, from one that is to
another, for two turns."""
PATIENCE = 0.05
"""Seconds after which a silent message pump is asked again, as it may have ended."""
BEHIND = frozenset(
    {
        *("board", "drafts", "facets", "look", "look at", "projects", "seen", "selection", "words"),
        *(BACKGROUND_GROUP, "refresh", "sign in", "transfer"),
    }
)
"""Groups of workers that keys never wait for: they change nothing that keys act on, or wait for the network."""
BRIEFLY = frozenset({"history", "report"})
"""Groups of workers that keys wait for a moment: a key is meant for the report or the changes that come in a moment,
and for what is in sight where the server is slow."""
READINGS = frozenset({"view", "panes"})
"""Groups of workers that read a list, repeatedly during a sync; `ListReadCounter` limits the wait for them."""


class AnswerRefused(Message):
    """A dialog refused an answer and stays open, so the keys behind the answer are not for the dialog."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class ListReadCounter:
    """Numbers of readings: last asked for, awaited by keys, and last shown."""

    def __init__(self) -> None:
        self.asked = self.shown = self._wanted = 0

    @property
    def is_behind(self) -> bool:
        """Return whether the list still has to show a reading that keys wait for."""
        return self.shown < self._wanted

    def ask(self, *, is_wanted: bool = True) -> None:
        """Count a new reading; keys wait for it if it is wanted."""
        self.asked += 1
        if is_wanted:
            self._wanted = self.asked

    def want_newest(self) -> None:
        """Have keys wait until the list shows all published changes."""
        self._wanted = self.asked


def _is_escape(event: events.Event) -> bool:
    return isinstance(event, events.Key) and event.key == "escape"


class InputQueue:
    """Passes the terminal's events to an application one by one, each after the command before it.

    A command is over when the messages and workers that it began are done; it never waits for the network. `tell`
    gets the number of waiting keys during a long command, and None after it.
    """

    def __init__(
        self,
        app: App[Any],
        act: Callable[[events.Event], Awaitable[None]],
        tell: Callable[[int | None], None],
    ) -> None:
        self._app = app
        self._act = act
        self._tell = tell
        self._waiting: deque[events.Event] = deque()
        self._running: asyncio.Task[None] | None = None
        self._since = 0.0
        self.brief_wait = VISIBLE_AFTER
        """Seconds for which a key waits for workers of `BRIEFLY`."""
        self._shown_at = math.inf
        self._is_typing = False
        self.typed_at = -math.inf
        """The time of the last key or paste."""
        self._given: events.Event | None = None
        self._refused_at = self._failed_at = -math.inf
        self._keeps_escape = False
        self._given_up: set[Worker[Any]] = set()
        self._asking: set[Worker[Any]] = set()

    @property
    def is_idle(self) -> bool:
        """Return whether no event waits or is being handled."""
        return self._running is None

    @property
    def has_waiting(self) -> bool:
        """Return whether events wait for the one that is being handled."""
        return bool(self._waiting)

    @property
    def handled_at(self) -> float:
        """Return the time of the key that is being handled, or was last."""
        return self._given.time if self._given is not None else -math.inf

    def waits_for(self, worker: Worker[Any]) -> bool:
        """Return whether keys wait for a worker. What another one opens may come between two keys."""
        return worker.group not in BEHIND | READINGS and worker not in self._given_up

    async def put(self, event: events.Event) -> int:
        """Queue an event; return the number of events dropped for it.

        The application calls this for each event; the event is handled at once if none is before it.
        """
        if isinstance(event, (events.Key, events.Paste)):
            self.typed_at = event.time
        if self._is_behind_refusal(event):
            return 1
        if self._running is None:
            await self._begin(event)
        elif self._breaks(event):
            dropped = self.drop()
            self._running.cancel()
            self._given_up |= set(self._unfinished(besides=frozenset()))
            await self._begin(event)
            return dropped
        elif len(self._waiting) >= MOST_WAITING:
            return 1
        elif not isinstance(event, events.MouseMove):
            self._waiting.append(event)
        return 0

    def fail(self) -> int:
        """Drop the events from before a failed command's end, meant for another state; keep them after esc.

        Those that are still on their way from the thread that reads the terminal are dropped when they arrive.
        Returns the number of dropped keys.
        """
        self._keeps_escape = False
        if self._given is not None and _is_escape(self._given):
            return 0
        self._failed_at = asyncio.get_running_loop().time()
        return self.drop()

    def refuse(self, ahead: float = 0.0) -> int:
        """Drop the keys behind a refused answer: those that wait, and text that follows without a pause.

        Nobody has read the refusal before the pause, which is counted from a moment `ahead` seconds from now. A key
        that is no text ends it. Returns the number of dropped keys.
        """
        self._refused_at = asyncio.get_running_loop().time() + ahead
        return self.fail()

    def refuse_answer(self) -> int:
        """Drop the keys behind an answer that a dialog refused, up to an esc, which leaves it; else as `refuse`."""
        dropped = 0
        while self._waiting and not _is_escape(self._waiting[0]):
            self._waiting.popleft()
            dropped += 1
        if not self._waiting:
            self.refuse()
            self._keeps_escape = True
        return dropped

    def drop(self) -> int:
        """Drop the waiting events; return their number."""
        dropped = len(self._waiting)
        self._waiting.clear()
        return dropped

    async def give(self, event: events.Event, besides: Iterable[str] = ()) -> None:
        """Handle one event before all that wait, and return when the next can follow.

        `besides` are groups of workers that are not waited for.
        """
        self._app.call_later(self._act, event)
        await self._settled(frozenset(besides))

    @contextmanager
    def pausing(self) -> Iterator[None]:
        """Let keys pass while the command of this worker waits for the answer of a dialog."""
        worker = get_current_worker()
        self._asking.add(worker)
        try:
            yield
        finally:
            self._asking.discard(worker)

    async def _begin(self, event: events.Event) -> None:
        self._since = asyncio.get_running_loop().time()
        self._note(event)
        await self._act(event)
        if not isinstance(event, events.MouseMove):
            self._running = asyncio.create_task(self._run())
            self._running.add_done_callback(self._ended)

    def _note(self, event: events.Event) -> None:
        self._given, self._is_typing = event, self._types(event)

    def _breaks(self, event: events.Event) -> bool:
        """Return whether an event interrupts the current wait; esc does if it was typed after the wait was shown."""
        if not isinstance(event, events.Key):
            return False
        return event.key == "ctrl+c" or (event.key == "escape" and event.time >= self._shown_at)

    def _is_behind_refusal(self, event: events.Event) -> bool:
        if not isinstance(event, (events.Key, events.Paste)):
            return False
        if self._keeps_escape and _is_escape(event):
            self._refused_at = self._failed_at = -math.inf
        if event.time <= self._failed_at:
            return not (isinstance(event, events.Key) and event.key == "ctrl+c")
        is_text = isinstance(event, events.Paste) or event.is_printable or event.key == "enter"
        is_behind = is_text and event.time - self._refused_at < PAUSE
        self._refused_at = max(event.time, self._refused_at) if is_behind else -math.inf
        return is_behind

    async def _run(self) -> None:
        while True:
            if not (self._is_typing and self._waiting and self._types(self._waiting[0])):
                self._since = asyncio.get_running_loop().time()
                await self._settled(frozenset())
            if not self._waiting:
                break
            event = self._waiting.popleft()
            self._note(event)
            self._app.call_later(self._act, event)
        self._running = None

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._show(is_busy=False)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._running = None
            self._app.call_later(raise_again, error)

    def _types(self, event: events.Event) -> bool:
        """Return whether an event is a character for the focused text, and does nothing but to stand there."""
        if not isinstance(event, events.Key) or not event.is_printable:
            return False
        return isinstance(self._app.focused, OrderedKeysInput) and self._app.focused.only_types(event.character or "")

    async def _settled(self, besides: frozenset[str]) -> None:
        """Return when everything begun is done: workers, messages, screens that open or close."""
        quiet, passes = 0, 0
        while quiet < 2 and passes < MOST_PASSES:
            if is_busy := any(self._unfinished(besides)):
                quiet, passes = 0, 0
                await asyncio.sleep(STEP)
            else:
                passes += await self._drain()
                is_quiet = all(not each.message_queue_size for each in self._pumps())
                quiet = quiet + 1 if is_quiet and not any(self._unfinished(besides)) else 0
            if asyncio.get_running_loop().time() - self._since >= VISIBLE_AFTER:
                self._show(is_busy=is_busy or bool(self._waiting))
        self._show(is_busy=False)

    def _unfinished(self, besides: frozenset[str]) -> Iterable[Worker[Any]]:
        readings: ListReadCounter | None = getattr(self._app.screen, "readings", None)
        passed = BEHIND | besides | (frozenset() if readings is not None and readings.is_behind else READINGS)
        if asyncio.get_running_loop().time() - self._since >= self.brief_wait:
            passed |= BRIEFLY
        self._given_up = {each for each in self._given_up if not each.is_finished}
        return (
            each
            for each in self._app.workers
            if not each.is_finished and each.group not in passed and each not in self._given_up | self._asking
        )

    def _pumps(self) -> list[MessagePump]:
        """Return the pumps that an event may pass: the application, and the focus or the mouse up to the screen."""
        screen, over = self._app.screen, self._app.mouse_over
        nodes = dict.fromkeys([*(screen.focused or screen).ancestors_with_self, screen, self._app])
        if over is not None:
            nodes |= dict.fromkeys(over.ancestors_with_self)
        return [each for each in nodes if each.is_running]

    async def _drain(self) -> bool:
        """Let each pump handle its messages; return False where one is late."""
        rests = 0
        for _ in range(MOST_LOOKS):
            await asyncio.sleep(0)
            rests = rests + 1 if all(map(is_resting, self._pumps())) else 0
            if rests == RESTS:
                return True
        return await self._answered()

    async def _answered(self) -> bool:
        """Wait for an answer of each pump, behind its messages so far; return False where one is late."""
        dealt_with = asyncio.Event()
        left = 0

        def one() -> None:
            nonlocal left
            left -= 1
            if not left:
                dealt_with.set()

        for each in self._pumps():
            left += each.call_later(one)
        if left:
            await asyncio.wait([waiting := asyncio.create_task(dealt_with.wait())], timeout=PATIENCE)
            waiting.cancel()
        else:
            await asyncio.sleep(0)  # the application ends
        return not left

    def _show(self, *, is_busy: bool) -> None:
        is_shown = self._shown_at < math.inf
        if is_busy or is_shown:
            if is_busy != is_shown:
                self._shown_at = asyncio.get_running_loop().time() if is_busy else math.inf
            self._tell(len(self._waiting) if is_busy else None)
