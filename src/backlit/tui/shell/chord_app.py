"""The part of the application between terminal and widgets: queues input for the dispatch, asks and says."""

import asyncio
import math
import os
import re
import time
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from msgspec import Struct
from textual import events
from textual.filter import ANSIToTruecolor, LineFilter, Monochrome, NoColor
from textual.notifications import SeverityLevel
from textual.screen import ModalScreen, Screen
from textual.theme import Theme
from textual.timer import Timer
from textual.worker import get_current_worker

from backlit.config.settings import Motion
from backlit.model.amounts import counted
from backlit.tui.commands.table import COMMAND_BY_ID, key_of
from backlit.tui.drawing import themes
from backlit.tui.drawing.framed_app import FramedApp
from backlit.tui.drawing.input_parser import MAX_PASTE, PasteRefused
from backlit.tui.drawing.text import SafeFilter, safe
from backlit.tui.drawing.textual_private import ToastHolder, ToastRack, driver_of, remove_notifications
from backlit.tui.shell.dispatch import Dispatch
from backlit.tui.shell.input_queue import LOOK_EVERY, PAUSE, QUIET_SECONDS, AnswerRefused, InputQueue
from backlit.tui.shell.macros import Recorder
from backlit.tui.shell.target import UiSession
from backlit.tui.shell.workers import work
from backlit.tui.widgets.footer_line import TOAST_SECONDS, FooterLine
from backlit.tui.widgets.inputs import LinesJoined, TextRefused
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import FRAMED_CLASS
from backlit.tui.widgets.side_lines import TwoSidedLine, WaitingKeys
from backlit.tui.widgets.storage_errors import StorageErrorGuard

if TYPE_CHECKING:
    from subprocess import Popen

Answer = TypeVar("Answer")

MAX_MESSAGES = 200
"""Messages that are kept to be read again."""
MAX_DRAWING_SECONDS = 2.0
"""Seconds that the drawing of a dialog may take; text is dropped no longer, even if it is never drawn."""
UNDO_WORDS = "u to undo."
"""The end of a confirmation, with the usual key of the undo."""
INPUT = (events.InputEvent, events.Paste, PasteRefused)
"""Events from the terminal, whose order is kept."""
ANIMATIONS = "TEXTUAL_ANIMATIONS"
"""Environment variable of Textual's own; with `none` nothing moves."""


class ChordApp(StorageErrorGuard, FramedApp, inherit_bindings=False):
    """An application whose keys come from the command table; dialogs keep their own keys."""

    HORIZONTAL_BREAKPOINTS = [(0, "-ruled"), (themes.FRAME_WIDTH, FRAMED_CLASS)]
    input: InputQueue
    _theme_of_variables: Theme | None = None
    _has_terminal_colours = True
    """Whether a variable of the theme is a colour of the terminal, or dim: Textual looks for them in each line."""

    def __init__(self) -> None:
        super().__init__()
        self.stylesheet = themes.CachedStylesheet(self.get_css_variables())
        self.recorder = Recorder(self)
        self._messages = Messages(self)
        self.dispatch = Dispatch(self, self.recorder, super().on_event, self._messages.refuse, self.catch_up)
        self.input = InputQueue(self, self._take_input, self._messages.wait)
        self.session = UiSession()
        self.faults = 0
        """Number of warnings and errors shown."""
        self._safe_filter = SafeFilter()
        self.outside: Popen[bytes] | None = None
        """The user's editor, while it has the terminal."""

    def on_load(self) -> None:
        """Have tasks begin in their turn, on every Python.

        From 3.12 on Textual has them begin at once: the inputs of the first screen are then mounted before that screen
        is on the stack, which ends the application.
        """
        asyncio.get_running_loop().set_task_factory(None)

    def get_screen(self, screen: Screen[Any] | str, screen_class: type[Screen[Any]] | None = None) -> Screen[Any]:  # type: ignore[override] # Textual has one for each type
        """Return a screen with the classes of the terminal's size.

        Textual sets them with the first size of a screen and styles all its widgets once more, for a quarter of the
        styling of a start.
        """
        opened = super().get_screen(screen, screen_class)
        if not opened.is_running:
            across, down = opened.HORIZONTAL_BREAKPOINTS or self.HORIZONTAL_BREAKPOINTS, opened.VERTICAL_BREAKPOINTS
            for breakpoints, cells in ((across, self.size.width), (down or [], self.size.height)):
                widest = max((each for each in breakpoints if each[0] <= cells), default=None)
                opened.update_classes({name: (least, name) == widest for least, name in breakpoints}, update=False)
        return opened

    def get_css_variables(self) -> dict[str, str]:
        """Return the variables of the theme, which Textual makes at each of five calls of a start: over 1 ms each."""
        if self._theme_of_variables is not self.current_theme:
            super().get_css_variables()
            self._theme_of_variables = self.current_theme
            self._has_terminal_colours = any(re.search("ansi|dim", each) for each in self.theme_variables.values())
        return self.theme_variables

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(themes.VARIABLE_DEFAULTS)

    def get_line_filters(self) -> list[LineFilter]:
        """Return Textual's filters, and the one against control characters where frames do not replace those.

        With NO_COLOR the terminal gets no greys either, which Textual would send. The filter of the terminal's colours
        is a tenth of the CPU of a PageDown, so that it is left out where the theme has none.
        """
        found = [
            each
            for each in super().get_line_filters()
            if self._has_terminal_colours or not isinstance(each, ANSIToTruecolor)
        ]
        usual = [NoColor() if isinstance(each, Monochrome) else each for each in found]
        return usual if self.is_framed else [*usual, self._safe_filter]

    async def ask(self, dialog: Screen[Answer]) -> Answer:
        """Show a dialog in place of messages, and return its answer; for commands, which run in workers.

        Keys go to the dialog meanwhile.
        """
        is_late = await self._wait_if_unasked()
        self._messages.make_room("")
        return await self._answer_to(dialog, is_late=is_late)

    async def answer_to(self, dialog: Screen[Answer]) -> Answer:
        """Show a dialog and return its answer, as `ask` does, but leave the messages."""
        return await self._answer_to(dialog, is_late=await self._wait_if_unasked())

    async def _answer_to(self, dialog: Screen[Answer], *, is_late: bool) -> Answer:
        with self.input.pausing():
            if is_late:
                asyncio.get_running_loop().call_soon(self.drop_text_until_drawn, dialog)
            return cast("Answer", await self.push_screen_wait(dialog))

    async def _wait_if_unasked(self) -> bool:
        return not self.input.waits_for(get_current_worker()) and await self.pause_in_typing()

    async def pause_in_typing(self, since: float = -math.inf) -> bool:
        """Return once what no key asked for may open; False, at once, where no key was typed after `since`.

        That is where no text, dialog or editor with changes is open and no key came for QUIET_SECONDS. True means that
        the text of the moment is to be dropped once it is open (`drop_text_until_drawn`), as nobody has read it yet.
        """
        if self.input.typed_at <= since:
            return False
        while not self._is_quiet():  # noqa: ASYNC110 - quiet is the time since the last key, which no event tells
            await asyncio.sleep(LOOK_EVERY)
        return True

    def drop_text(self) -> None:
        """Drop the text that follows without a pause: it was typed for what was on the screen before."""
        self._messages.drop(self.input.refuse())

    def drop_text_until_drawn(self, screen: Screen[Answer]) -> None:
        """Drop text until a screen is drawn, and what follows without a pause. Drawing may take longer than a pause."""
        self._messages.drop(self.input.refuse(MAX_DRAWING_SECONDS))
        screen.call_after_refresh(self.drop_text)

    def _is_quiet(self) -> bool:
        is_free = self.input.is_idle and not (self.dispatch.is_amid_keys or self.recorder.is_playing)
        is_over_another = isinstance(self.screen, ModalScreen) and len(self.screen_stack) > 1
        has_text = is_over_another or self.has_unsaved_text
        return is_free and not has_text and asyncio.get_running_loop().time() - self.input.typed_at >= QUIET_SECONDS

    @property
    def has_unsaved_text(self) -> bool:
        """Return whether the screen holds what is being written; for subclasses."""
        return False

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        """Show a short message: a confirmation in the footer where it fits, else a toast."""
        if sentence.endswith(UNDO_WORDS):
            sentence = f"{sentence.removesuffix(UNDO_WORDS)}{key_of('app.undo')}{UNDO_WORDS[1:]}"
        if not is_bad and self._messages.confirm(sentence):
            self._messages.keep(sentence)
        else:
            self.notify(sentence, markup=False, severity="warning" if is_bad else "information", timeout=TOAST_SECONDS)

    def copy(self, text: str, words: str) -> None:
        """Put a text on the clipboard; say so in words, with the route that it took."""
        from backlit.config import clipboard

        self.copy_to_clipboard(text)
        driver = driver_of(self)
        if driver is not None and (sequence := clipboard.passed_through(text)):
            driver.write(sequence)
        found = clipboard.routes()

        async def say_route() -> None:
            # In a thread, as the program of the clipboard may keep its caller waiting.
            self.say(f"{words}, by {await asyncio.to_thread(clipboard.taken_by, found, text)}.")

        self.run_worker(work(say_route), group="copy")

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,  # noqa: ARG002 - nothing of ours is markup
    ) -> None:
        """Show a toast; a warning drops the waiting keys, which were meant for another state.

        Errors come from background work, which no key waits for.
        """
        message = " ".join(message.splitlines())
        self._messages.make_room(safe(message))
        self._messages.keep(message, is_bad=severity != "information")
        if severity != "error":
            self._messages.begin(self.screen_stack[-1] if self.screen_stack else None)
        super().notify(safe(message), title=title, severity=severity, timeout=timeout, markup=False)
        if severity != "information":
            self.faults += 1
            self.recorder.stop(message)
        if severity == "warning":
            self._messages.drop(self.input.fail())

    def prepare_toasts(self) -> None:
        """Show the toasts on the top screen alone; Textual removes a toast without its holder."""
        if not self.screen_stack:  # a dialog closes while the application ends
            return
        self._messages.follow(self.screen_stack[-1])
        for screen in self.screen_stack:
            for holder in screen.query(ToastHolder):
                if holder.is_mounted and not (screen is self.screen and holder.children):
                    holder.remove()

    @property
    def messages(self) -> "Sequence[KeptMessage]":
        return self._messages.kept

    def forget_messages(self) -> None:
        """Remove what is said of an operation that is being undone or redone; `:messages` keeps it."""
        self._messages.forget()

    async def _take_input(self, event: events.Event) -> None:
        self._messages.is_fresh = self._messages.is_confirmation_fresh = False
        if isinstance(event, events.Key) and event.key == "escape":
            self._messages.dismiss()
        await self.dispatch.take(event)

    async def on_two_sided_line_asked(self, message: TwoSidedLine.Asked) -> None:
        command = COMMAND_BY_ID.get(message.command_id)
        if command is not None:
            self.dispatch.run(command)
        else:
            await self.on_event(events.Key(message.command_id, message.command_id))

    def on_answer_refused(self, message: AnswerRefused) -> None:
        """Drop the keys behind a refused answer, and end a replay."""
        self.recorder.stop(message.reason)
        self._messages.drop(self.input.refuse_answer())

    def on_text_refused(self, message: TextRefused) -> None:
        self.say(message.sentence, is_bad=True)

    def on_lines_joined(self, message: LinesJoined) -> None:
        self.say(f"{message.count:,} pasted lines became one; a description keeps them apart.")

    def on_paste_refused(self, message: PasteRefused) -> None:
        sentence = f"The pasted text has {message.size:,} characters, more than {MAX_PASTE:,}."
        self.say(f"{sentence} Nothing was pasted; attach it as a file.", is_bad=True)

    async def on_event(self, event: events.Event) -> None:
        """Queue input of the terminal; drop focus reports, each of which restyles everything."""
        # Each change of the window drew 43 to 53 KB anew, for 30 to 140 ms of CPU.
        if isinstance(event, (events.AppFocus, events.AppBlur)):
            return
        if isinstance(event, INPUT) and not event.is_forwarded:
            self._messages.drop(await self.input.put(event))
        else:
            await super().on_event(event)

    @property
    def has_motion(self) -> bool:
        """Return whether a change of the moment may flash: not while keys wait, as nobody sees it before the next."""
        motion = self.session.motion
        if motion is Motion.REDUCED or self.no_color or self.input.has_waiting or self.recorder.is_playing:
            return False
        is_off = os.environ.get(ANIMATIONS, "").strip().casefold() == "none"
        return motion is Motion.FULL or not (is_off or self.session.is_low_bandwidth)

    def leave(self, status: int, message: str | None) -> None:
        self.exit(return_code=status, message=message)

    def catch_up(self) -> None:
        """Pass written changes to the screens; for subclasses with a store."""


class KeptMessage(Struct, frozen=True):
    """A message that was shown, at a time of this machine."""

    at: float
    sentence: str
    is_bad: bool


class Messages:
    """The short messages of an application: one at a time, in the footer where it fits; the last of them are kept."""

    def __init__(self, app: ChordApp) -> None:
        self._app = app
        self.refused_on: Screen[object] | None = None
        """The screen of the command that the toast refuses."""
        self.kept: deque[KeptMessage] = deque(maxlen=MAX_MESSAGES)
        self.is_fresh = False
        """True until the next key after a toast: what a command says goes with it to the screen that it opens."""
        self._shown_on: Screen[object] | None = None
        self.is_confirmation_fresh = False
        """True until the next key after a confirmation."""
        self._confirmed: Sequence[FooterLine] = ()
        self._confirmed_on: Screen[object] | None = None
        """The footers that show a confirmation, and the screen that it is about."""
        self._dropped = 0
        self._drop_timer: Timer | None = None

    def confirm(self, sentence: str) -> bool:
        """Show a confirmation in the footers of the open screens; return False where it does not fit on the top one."""
        screens = [] if isinstance(self._app.screen, ModalScreen) else reversed(self._app.screen_stack)
        footers = [footer for screen in screens for footer in screen.query("#status").results(FooterLine)]
        # All of them, as a command that closes its screen tells its end before.
        if not footers or not all(footer.confirm(sentence) for footer in footers):
            return False
        self._clear_footers(besides=footers)
        self._confirmed, self._confirmed_on, self.is_confirmation_fresh = footers, self._app.screen, True
        if not self.is_fresh:  # else it belongs to the toast, as a count of dropped keys does
            self.make_room("", refresh=True)
        return True

    def forget(self) -> None:
        self.make_room("", refresh=True)
        self._clear_footers()

    def _clear_footers(self, besides: Sequence[FooterLine] = ()) -> None:
        for footer in self._confirmed:
            if footer.is_attached and footer not in besides:
                footer.forget()
        self._confirmed, self._confirmed_on = (), None

    def keep(self, sentence: str, *, is_bad: bool = False) -> None:
        self.kept.append(KeptMessage(time.time(), sentence, is_bad))

    def begin(self, screen: Screen[object] | None) -> None:
        self._shown_on, self.is_fresh = screen, True

    def follow(self, screen: Screen[object]) -> None:
        """Remove the messages of a screen that a later key left."""
        if self.refused_on not in {None, screen} or not (self.is_fresh or self._shown_on in {None, screen}):
            self.make_room("")
        if isinstance(screen, ModalScreen) or screen is self._confirmed_on:
            return
        if self.is_confirmation_fresh:
            self._confirmed_on = screen
        elif self._confirmed_on is not None:
            self._clear_footers()

    def refuse(self, sentence: str) -> None:
        """Show why a command cannot run, until the screen changes."""
        self._clear_footers()
        self._app.say(sentence, is_bad=True)
        self.refused_on = self._app.screen

    def dismiss(self) -> None:
        """Remove the toasts but for errors, as esc does beside what it means on the screen."""
        if self._shown_on is not None:
            self.make_room("", refresh=True)

    def make_room(self, sentence: str, *, refresh: bool = False) -> None:
        """Remove all toasts but other errors, and place the next one away from the cursor's row and the headings."""
        app, self.refused_on, self._shown_on = self._app, None, None
        remove_notifications(app, sentence, refresh=refresh)
        rows = app.focused
        headings = rows.HEADER_LINES if isinstance(rows, LineList) else 0
        is_low = isinstance(rows, LineList) and 2 * (rows.cursor - rows.top) >= rows.page
        for rack in app.screen.query(ToastRack):
            rack.styles.dock = "top" if is_low else "bottom"
            rack.styles.margin = (2 + headings, 0, 0, 0) if is_low else (0, 0, 2, 0)

    def drop(self, count: int) -> None:
        """Say how many keys were dropped, once a pause follows them."""
        self._dropped += count
        if count:
            if self._drop_timer is not None:
                self._drop_timer.stop()
            self._drop_timer = self._app.set_timer(PAUSE, self._say_dropped)

    def _say_dropped(self) -> None:
        if self._app.screen_stack:  # else the application ends
            self._app.say(f"{counted(self._dropped, 'more key was', 'more keys were')} dropped.")
        self._dropped = 0

    def wait(self, count: int | None) -> None:
        """Show that a command works, with the number of waiting keys, at the foot of the screen; remove it at None."""
        app = self._app
        if not app.screen_stack:  # the application ends
            return
        shown = next(iter(app.screen.query(WaitingKeys)), None)
        if count is None:
            for screen in app.screen_stack:
                screen.query(WaitingKeys).remove()
        elif shown is not None:
            shown.say(count)
        else:
            app.screen.mount(WaitingKeys(count))
