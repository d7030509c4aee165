"""Macros: recorded keys under a letter, and their replay until something fails."""

from collections import deque
from typing import Any, Protocol

from textual import events
from textual.worker import WorkType

from backlit.model.amounts import counted
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.shell.input_queue import InputQueue
from backlit.tui.shell.workers import work

KeyPress = tuple[str, str | None]
"""A key and the character it types, if any."""
MOST_KEYS = 20_000
"""Keys that a replay may press, so that a macro that plays itself ends."""
PLAYING = "macro"
"""The group of the replaying worker."""


class MacroTarget(Protocol):
    """An application with macros."""

    recorder: "Recorder"


class MacroApp(Protocol):
    """The application that plays macros."""

    input: InputQueue

    def say(self, sentence: str, *, is_bad: bool = False) -> None: ...

    def run_worker(self, work: WorkType[Any], *, group: str) -> object: ...


def record(target: MacroTarget, call: CommandContext) -> None:
    """Record under a letter until Q."""
    target.recorder.record(call.letter)


def play(target: MacroTarget, call: CommandContext) -> None:
    """Play the macro of a letter, else the last one, once or as often as the count says."""
    target.recorder.play(call.letter, call.count or 1)


class Recorder:
    """The macros of one application: records keys from the terminal, in dialogs too, and presses them again."""

    def __init__(self, app: MacroApp) -> None:
        self.is_playing = False
        self._app = app
        self._macros: dict[str, tuple[KeyPress, ...]] = {}
        self._recording: str | None = None
        self._noted: list[KeyPress] = []
        self._last_played = ""
        self._to_play: deque[KeyPress] = deque()
        self._played = 0
        self._fault: str | None = None
        self._pressed: events.Key | None = None

    def takes(self, event: events.Event, *, is_free: bool) -> bool:
        """Record a key; return whether it is the Q that ends the recording. Other input stops a replay.

        A key is free where it begins a command.
        """
        if self.is_playing and event is not self._pressed:
            self.stop()
        elif isinstance(event, events.Key) and self._recording and not self.is_playing:
            if is_free and event.character == "Q":
                self._stop_recording()
                return True
            self._noted.append((event.key, event.character))
        return False

    def stop(self, reason: str = "Interrupted.") -> bool:
        """Stop the replay; return False without one."""
        if self.is_playing:
            self._fault = reason
        return self.is_playing

    def record(self, letter: str) -> None:
        """Record under a letter; raises CannotAct during a replay."""
        if self.is_playing:
            raise CannotAct("Cannot record while a macro is playing.")
        self._recording, self._noted = letter, []
        self._app.say(f"Recording macro {letter}. Q ends it.")

    def play(self, letter: str, count: int) -> None:
        """Play the macro of a letter, else the last one; raises CannotAct for an empty, unfinished or too long one."""
        letter = letter or self._last_played
        if not letter:
            raise CannotAct("No macro has been played yet. Qa records one.")
        if self._recording == letter:
            raise CannotAct(f"Macro {letter} is being recorded. Q ends it.")
        presses = self._macros.get(letter)
        if not presses:
            raise CannotAct(f"There is no macro {letter}. Q{letter} records one.")
        if self._played + len(presses) * count > MOST_KEYS:
            raise CannotAct(f"Macro {letter} is too long: it would press more than {MOST_KEYS:,} keys.")
        self._last_played = letter
        self._to_play.extendleft(reversed(presses * count))
        self._played += len(presses) * count
        if not self.is_playing:
            self.is_playing, self._fault = True, None
            self._app.run_worker(work(self._play_all, letter), group=PLAYING)

    def _stop_recording(self) -> None:
        letter, self._recording = self._recording or "", None
        self._macros[letter] = tuple(self._noted)
        self._app.say(f"Recorded {counted(len(self._noted), 'key')} as macro {letter}. @{letter} plays it.")

    async def _play_all(self, letter: str) -> None:
        count = 0
        try:
            while self._to_play and self._fault is None:
                await self._press(*self._to_play.popleft())
                count += 1
        finally:
            fault, left = self._fault, len(self._to_play)
            self._to_play.clear()
            self.is_playing, self._played, self._fault = False, 0, None
        if fault is not None:
            self._app.say(f"Macro {letter} stopped after {counted(count, 'key')}, {left} skipped: {fault}", is_bad=True)

    async def _press(self, key: str, character: str | None) -> None:
        """Press one key, and wait until it is handled."""
        self._pressed = events.Key(key, character)
        await self._app.input.give(self._pressed, besides={PLAYING})
