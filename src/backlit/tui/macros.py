"""Macros: keys that are recorded under a letter and played again, until something goes wrong."""

import asyncio
from collections import deque
from collections.abc import Iterable

from textual import events
from textual.notifications import SeverityLevel
from textual.screen import ModalScreen

from backlit.tui.acting import CannotAct
from backlit.tui.chord_app import ChordApp
from backlit.tui.text import safe
from backlit.tui.work import work

Press = tuple[str, str | None]
"""A key and the character it types, if it does."""
MOST_KEYS = 20_000
"""Keys that one play may come to, so that a macro that plays itself comes to an end."""
SHOWING = 0.1
"""Seconds after a write in which the lists have heard of it."""


class MacroApp(ChordApp, inherit_bindings=False):
    """Notes the keys that come from the terminal, in dialogs too; what it plays itself is not noted."""

    def __init__(self) -> None:
        super().__init__()
        self._macros: dict[str, tuple[Press, ...]] = {}
        self._recording: str | None = None
        self._noted: list[Press] = []
        self._last_played: str | None = None
        self._to_play: deque[Press] = deque()
        self._is_playing = False
        self._played = 0
        self._fault: str | None = None

    async def on_event(self, event: events.Event) -> None:
        """Note keys while recording; Q alone ends that."""
        if isinstance(event, events.Key) and self._recording and not self._is_playing and self._is_typed(event):
            if self._ends_recording(event):
                self._stop_recording()
                return
            self._noted.append((event.key, event.character))
        await super().on_event(event)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,  # noqa: ARG002 - nothing of ours is markup
    ) -> None:
        """Show a message; a bad one ends what is being played."""
        if self._is_playing and severity != "information":
            self._fault = message
        super().notify(safe(message), title=title, severity=severity, timeout=timeout, markup=False)

    def do_macro_record(self, _count: int | None) -> None:
        """Record under a letter until Q is pressed again."""
        if self._is_playing:
            raise CannotAct("A macro cannot record another.")
        self._recording, self._noted = self.letter, []
        self.say(f"Recording {self.letter}; Q ends it.")

    def do_macro_play(self, count: int | None) -> None:
        """Play what was recorded under a letter, `count` times."""
        self._play(self.letter, count or 1)

    def do_macro_again(self, count: int | None) -> None:
        """Play the last one again."""
        if self._last_played is None:
            raise CannotAct("No macro has been played yet; Qa records one.")
        self._play(self._last_played, count or 1)

    def stop_playing(self) -> bool:
        """End what is being played; False where nothing is."""
        if self._is_playing:
            self._fault = "It was interrupted."
        return self._is_playing

    def _is_typed(self, event: events.Key) -> bool:
        """Whether it comes from the terminal, and not from an input that sends it on."""
        return not event.is_forwarded and event._sender is self  # noqa: SLF001 - there is no public way to ask

    def _ends_recording(self, event: events.Key) -> bool:
        is_in_text = self.focused is not None and self.focused.check_consume_key("a", "a")
        has_chord = bool(self._resolver.chord)
        return event.character == "Q" and not (has_chord or is_in_text or isinstance(self.screen, ModalScreen))

    def _stop_recording(self) -> None:
        letter, self._recording = self._recording or "", None
        self._macros[letter] = tuple(self._noted)
        self.say(f"Recorded {len(self._noted)} keys as {letter}; @{letter} plays them.")

    def _play(self, letter: str, count: int) -> None:
        if self._recording == letter:
            raise CannotAct(f"{letter} is being recorded; Q ends that.")
        presses = self._macros.get(letter)
        if not presses:
            raise CannotAct(f"Nothing is recorded as {letter}; Q{letter} records it.")
        if self._played + len(presses) * count > MOST_KEYS:
            raise CannotAct(f"That would press more than {MOST_KEYS:,} keys.")
        self._last_played = letter
        self._to_play.extendleft(reversed(presses * count))
        self._played += len(presses) * count
        if not self._is_playing:
            self._is_playing, self._fault = True, None
            self.run_worker(work(self._play_all, letter), group="macro")

    async def _play_all(self, letter: str) -> None:
        pressed = 0
        try:
            while self._to_play and self._fault is None:
                await self._press(*self._to_play.popleft())
                pressed += 1
        finally:
            fault, left = self._fault, len(self._to_play)
            self._to_play.clear()
            self._is_playing, self._played, self._fault = False, 0, None
        if fault is not None:
            self.say(f"Macro {letter} stopped after {pressed} keys, {left} were left: {fault}", is_bad=True)

    async def _press(self, key: str, character: str | None) -> None:
        """Press one key, and wait until everybody has dealt with it."""
        self.post_message(events.Key(key, character))
        for node in (self, self.screen, self.screen.focused):
            if node is not None and node.is_attached:
                dealt_with = asyncio.Event()
                node.call_later(dealt_with.set)
                await dealt_with.wait()
        if await self._finished({"writes"}):
            await asyncio.sleep(SHOWING)
        await self._finished({"view"})

    async def _finished(self, groups: Iterable[str]) -> bool:
        """Wait for the workers of some groups; whether there were any."""
        found = [worker for worker in self.workers if worker.group in groups and not worker.is_finished]
        while any(not worker.is_finished for worker in found):  # noqa: ASYNC110 - a cancelled one raises where it is awaited
            await asyncio.sleep(0.01)
        return bool(found)
