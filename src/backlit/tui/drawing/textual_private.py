"""The private names of Textual that backlit relies on, all of them, and the probe that checks them at start.

Where a name is missing or of another shape, or Textual is newer than tested, `fault` says so: the program then runs
with Textual's own drawing, slower, and `doctor` tells. Every function that
is called then has a public way, or does nothing.
"""

import asyncio
import os
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import textual
from rich.console import RenderableType
from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Region, Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen, ScreenResultType
from textual.scroll_view import ScrollView
from textual.widget import Widget

TESTED = (8, 2)
"""The newest major and minor version of Textual whose private names the tests have seen."""
ENDS_OF_PUMPS = frozenset({"_process_messages_loop", "_pre_process"})
"""Methods of a message pump whose error ends the pump."""
MAX_LAYOUTS, MAX_TURNS = 6, 40
"""Layouts before a frame, and turns of the event loop for widgets to answer each; then what there is is painted."""

try:
    from textual._ansi_sequences import ANSI_SEQUENCES_KEYS as ANSI_SEQUENCES_KEYS
    from textual._compositor import ChopsUpdate as ChopsUpdate
    from textual._compositor import Compositor
    from textual._compositor import LayoutUpdate as LayoutUpdate
    from textual._keyboard_protocol import FUNCTIONAL_KEYS as FUNCTIONAL_KEYS
    from textual._queue import Queue
    from textual._styles_cache import StylesCache
    from textual._xterm_parser import XTermParser as XTermParser
    from textual.drivers._writer_thread import WriterThread
    from textual.widgets._toast import ToastHolder as ToastHolder
    from textual.widgets._toast import ToastRack as ToastRack

    _missing_module = ""
except ImportError as error:

    class _Missing(Widget):
        """Stands for a class that this Textual does not have; there are no objects of it."""

    ChopsUpdate = Compositor = LayoutUpdate = Queue = StylesCache = _Missing  # type: ignore[misc,assignment]
    ANSI_SEQUENCES_KEYS, FUNCTIONAL_KEYS = {}, {}  # type: ignore[misc]
    XTermParser = WriterThread = ToastHolder = ToastRack = _Missing  # type: ignore[misc,assignment]
    _missing_module = f"{error.name or error}"

PAINTED = (ChopsUpdate, LayoutUpdate)
"""The updates of a screen that have its lines, whole or in parts."""

_ATTRIBUTES: tuple[tuple[type, str], ...] = (
    (App, "_batch_count _closed _driver _notifications _running _screen_stacks _sync_available"),
    (Widget, "_dirty_regions _layout_required _repaint_required _styles_cache _scroll_required"),
    (Screen, "_callbacks _compositor _dirty_widgets _recompose_required"),
    (Compositor, "_dirty_regions _full_map size"),
    (LinuxDriver, "_loop _writer_thread exit_event"),
    (WriterThread, "_queue"),
    (Queue, "ready_event"),
    (Stylesheet, "_parse_cache _variables"),
)
"""Attributes that a constructor sets, of the class or of one of its bases."""
_METHODS: tuple[tuple[type, str, str], ...] = (
    (App, "_display", "screen renderable"),
    (App, "_close_messages_no_wait", ""),
    (App, "_fatal_error", ""),
    (App, "_handle_exception", "error"),
    (App, "_refresh_notifications", ""),
    (App, "_unnotify", "notification refresh"),
    (MessagePump, "_dispatch_message", "message"),
    (MessagePump, "_process_messages_loop", ""),
    (MessagePump, "_pre_process", ""),
    (Screen, "_compositor_refresh", ""),
    (Screen, "_invoke_and_clear_callbacks", ""),
    (Screen, "_refresh_layout", "size scroll"),
    (Widget, "_scroll_update", "virtual_size"),
    (LayoutUpdate, "__init__", "strips region"),
    (ChopsUpdate, "__init__", "chops spans chop_ends"),
    (XTermParser, "feed", "data"),
    (XTermParser, "tick", ""),
)
_PROPERTIES = ((Compositor, "visible_widgets"), (MessagePump, "_message_queue"))


@cache
def fault() -> str:
    """Return why Textual's private names are left alone, as the end of a sentence; empty where all are as expected."""
    found = _version()
    if found > TESTED:
        newest, tested = (".".join(map(str, each)) for each in (found, TESTED))
        return f"Textual {newest} is newer than {tested}, the newest that was tested"
    missing = missing_names()
    return f"this Textual has no {', '.join(missing)} as backlit knows it" if missing else ""


def missing_names() -> list[str]:
    if _missing_module:
        return [_missing_module]
    attributes = [(owner, name) for owner, names in _ATTRIBUTES for name in names.split()]
    return [
        *(f"{owner.__name__}.{name}" for owner, name in attributes if name not in _set_by_constructors(owner)),
        *(f"{owner.__name__}.{name}" for owner, name, names in _METHODS if _parameters(owner, name) != names),
        *(f"{owner.__name__}.{name}" for owner, name in _PROPERTIES if not hasattr(owner, name)),
    ]


@cache
def _set_by_constructors(owner: type) -> frozenset[str]:
    """Return the names in the constructors of a class and its bases: no object has to be made, which costs a start."""
    constructors = [base.__dict__.get("__init__") for base in owner.__mro__]
    codes = [each.__code__ for each in constructors if isinstance(each, FunctionType)]
    return frozenset(name for code in codes for name in code.co_names)


def _parameters(owner: type, name: str) -> str:
    """Return the names of a method's parameters after the first, with a blank between them; `-` for no such method."""
    code = getattr(getattr(owner, name, None), "__code__", None)
    return " ".join(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]) if code else "-"


def _version() -> tuple[int, ...]:
    """Return Textual's major and minor version, by the folder of its metadata.

    `importlib.metadata` costs 17 ms of the start, a tenth of it. An unpackaged Textual counts as tested.
    """
    folder = Path(textual.__file__).parent.parent
    found = [name for name in os.listdir(folder) if name.startswith("textual-") and name.endswith(".dist-info")]  # noqa: PTH208 - names are enough
    numbers = found[0].removeprefix("textual-").split(".")[:2] if found else []
    return tuple(map(int, numbers)) if all(map(str.isdigit, numbers)) else ()


def is_familiar() -> bool:
    return not fault()


# Hooks in place of methods that Textual keeps to itself


class MessageHook(MessagePump):
    """A message pump whose handling of each message can be wrapped, which no handler of its own can do."""

    async def handle_message(self, message: Message) -> None:
        await super()._dispatch_message(message)

    async def _dispatch_message(self, message: Message) -> None:
        await self.handle_message(message)


class HookedApp(App[None], inherit_bindings=False):
    """An application that is asked before Textual paints, shows toasts, or ends with an error."""

    def take_painted(self, screen: Screen[object], painted: RenderableType | None) -> bool:
        """Show what a screen painted; False leaves that to Textual."""
        raise NotImplementedError

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if not self.take_painted(screen, renderable):
            super()._display(screen, renderable)

    def prepare_toasts(self) -> None: ...

    def _refresh_notifications(self) -> None:
        self.prepare_toasts()
        super()._refresh_notifications()

    def survives(self, error: Exception) -> bool:  # noqa: ARG002 - for subclasses
        """Deal with an error that nothing caught; False lets it end the application."""
        return False

    crash: Exception | None = None
    """The error that ended the application, which the caller of `run` reports."""

    def _handle_exception(self, error: Exception) -> None:
        if not self.survives(error):
            self.crash = self.crash or getattr(error, "error", error)  # Textual wraps those of workers
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # Textual's report fills the terminal, and has the values of variables, such as texts of items and passwords.
        self._close_messages_no_wait()

    def panic(self, *_: RenderableType) -> None:
        """End without Textual's report of an error."""
        self._close_messages_no_wait()


# Textual draws the whole screen once before the first resize and drops it: 8 of the 364 ms of CPU until the first rows.
class BatchScreen(Screen[ScreenResultType]):
    """A screen that paints nothing in a batch, such as the start: the end of the batch paints all.

    Nor does it paint between two layouts. Widgets choose what they show, and beside what, by the size that they are
    told: a screen that opened was seen in up to three arrangements before the last.
    """

    _last_layout: Any = None
    _is_settling = False

    def _compositor_refresh(self) -> None:
        if is_familiar():
            if self._is_settling or has_batch(self.app):
                return
            # Textual forgets after it what changed between two layouts.
            self._compositor.update_widgets(self._dirty_widgets)
        super()._compositor_refresh()

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """Lay the widgets out, and paint what differs from the last layout, once they have taken their sizes.

        Textual compares with places that it may have worked out since, where a widget was asked for its region after a
        hidden one had changed: moved widgets were not painted at their new places, nor told their new sizes.
        """
        if not is_familiar():
            super()._refresh_layout(size, scroll)
            return
        before, was_settling = self._last_layout, self._is_settling
        if before is not None:
            self._compositor._full_map = before
        self._is_settling = True
        super()._refresh_layout(size, scroll)
        self._last_layout = self._compositor._full_map
        if was_settling:
            return
        if self._is_shown and _sizes(before) != _sizes(self._last_layout):
            asyncio.get_running_loop().call_soon(self._settle, MAX_LAYOUTS, MAX_TURNS)
        else:
            self._end_settling()

    @property
    def _is_shown(self) -> bool:
        return self.is_current and not has_batch(self.app)

    def _settle(self, layouts: int, turns: int) -> None:
        """Lay out again, without a frame's pause, until no widget asks for it; then paint."""
        try:
            is_waited_for = layouts and turns and self._is_shown
            if is_waited_for and not all(map(is_resting, self.walk_children(with_self=True))):
                turns -= 1
            elif is_waited_for and self._layout_required:
                layouts, turns = layouts - 1, MAX_TURNS
                self._layout_required = False
                self._refresh_layout()
            elif is_waited_for and self._callbacks:
                layouts, turns = layouts - 1, MAX_TURNS
                self.call_next(self._invoke_and_clear_callbacks)
            else:
                self._end_settling()
                return
            asyncio.get_running_loop().call_soon(self._settle, layouts, turns)
        except Exception as error:  # noqa: BLE001 - raised again where it ends the application
            self.app.call_later(raise_again, error)

    def _end_settling(self) -> None:
        self._is_settling = False
        if self.is_attached and self.is_current:
            if has_batch(self.app):
                self.call_later(self._compositor_refresh)
            else:
                self._compositor_refresh()


def _sizes(layout: Any) -> dict[Widget, Size]:
    return {widget: geometry.region.size for widget, geometry in (layout or {}).items()}


def raise_again(error: BaseException) -> None:
    """Raise an error of a task, which thus ends the application that calls this."""
    raise error


# A bar that changes takes Textual some 5 ms to paint.
class ContentSizeView(ScrollView):
    """A scrolled widget that may show a new size of its content itself: Textual's way repaints both scroll bars."""

    def update_content_size(self) -> None:
        self._scroll_update(self.virtual_size)

    def show_content_size(self, size: Size) -> bool:
        """Show the size; False leaves that to Textual."""
        raise NotImplementedError

    def _scroll_update(self, virtual_size: Size) -> None:
        if not self.show_content_size(virtual_size):
            super()._scroll_update(virtual_size)


# The application and its terminal


def driver_of(app: App[Any]) -> Driver | None:
    return getattr(app, "_driver", None)


def is_at_work(app: App[Any]) -> bool:
    return app._running and not app._closed


def has_batch(app: App[Any]) -> bool:
    """Return whether changes of an application are held, to be shown together."""
    return bool(app._batch_count)


def can_synchronize(app: App[Any]) -> bool:
    """Return whether the terminal shows an update at its end alone."""
    return app._sync_available


def waiting_frames(driver: LinuxDriver) -> int:
    return 0 if driver._writer_thread is None else driver._writer_thread._queue.qsize()


def lift_queue_limit(driver: LinuxDriver) -> bool:
    """Let any number of frames wait, else the loop waits for the terminal; False where no thread writes."""
    if driver._writer_thread is None:
        return False
    driver._writer_thread._queue.maxsize = 0
    return True


def screens_of(app: App[Any]) -> list[Screen[object]]:
    """Return the screens of all modes; those of the current mode where Textual does not tell the others."""
    stacks = app._screen_stacks.values() if is_familiar() else [app.screen_stack]
    return [screen for stack in stacks for screen in stack]


def remove_notifications(app: App[Any], texts_kept: str, *, refresh: bool) -> None:
    """Remove all notifications but the errors with other texts; all of them where none can be removed alone.

    Without a refresh they go from the screen with the next notification.
    """
    if not is_familiar():
        app.clear_notifications()
        return
    for each in list(app._notifications):
        if each.severity != "error" or each.message == texts_kept:
            app._unnotify(each, refresh=refresh)


# Painting


def compositor_of(screen: Screen[Any]) -> Compositor:
    return screen._compositor


def has_changes_to_paint(widget: Widget) -> bool:
    screen = widget.screen
    return (
        any(node._layout_required or node._repaint_required for node in (widget, screen))
        or bool(screen._scroll_required or screen._recompose_required or screen._dirty_widgets)
        or bool(screen._compositor._dirty_regions)
    )


def styles_cache_of(widget: Widget) -> StylesCache:
    return widget._styles_cache


def mark_dirty(widget: Widget, region: Region) -> None:
    widget._dirty_regions.add(region)


def forget_closed_screens() -> None:
    """Free the lines of closed screens.

    Textual keeps them while the colours around a widget are among the last 1,024 that it mixed.
    """
    if is_familiar():
        StylesCache.get_inner_outer.cache_clear()


# Messages and style sheets


def is_resting(pump: MessagePump) -> bool:
    """Return whether a message pump has handled its messages and waits for the next; False where that is unknown."""
    if not is_familiar():
        return False
    queue: Any = pump._message_queue
    return queue.empty() and bool(queue.ready_event._waiters)


def keep_parsed_sources(sheet: Stylesheet, count: int) -> None:
    if is_familiar():
        sheet._parse_cache.grow(count)


def has_variables(sheet: Stylesheet, variables: dict[str, str]) -> bool:
    """Return whether a style sheet has these variables; False where that is unknown."""
    return is_familiar() and sheet._variables == variables
