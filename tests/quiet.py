"""When an application under test has nothing left to do: no message, no thread at work, no timer that is due soon.

Textual itself waits until the process has used next to no time for 20 ms, twice a key; nothing is known then of a timer
that goes off a moment later, or of a thread that waits for the disk.
"""

import asyncio
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet

import textual.app
import textual.pilot
from rich.segment import Segment
from textual._context import visible_screen_stack
from textual.app import App
from textual.cache import FIFOCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.worker import Worker

from backlit.tui.drawing.framed_app import FramedApp
from backlit.tui.shell.workers import BACKGROUND_GROUP, COMMANDS_GROUP

SOON = 0.1
"""Seconds within which a timer goes off that is waited for: that of the preview, and the next frame."""
LOOK = 0.002
LOOKS = 2
"""How often one after another nothing is to be seen: who has the disk's answer may wait for the interpreter still."""
AT_WORK = 0.000_1
"""Seconds of other threads between two looks from which on they are at work."""
MOST = 1.0
"""Seconds of looks and timers after which what never rests is left at work.

Looks are counted, as on busy processors each of them takes longer.
"""
_THREADS = Path("/proc/self/task")
_states: dict[str, int] = {}
"""Open files of the states of threads, which are read at each look."""
NETWORK = frozenset({BACKGROUND_GROUP, "refresh", "sign in", "transfer"})
"""Groups of workers that wait for the network, which a test may hold up, or for a pause in its keys."""
_draw_frame = Screen._compositor_refresh
_end = App._shutdown
_undrawn: WeakSet[Screen[Any]] = WeakSet()
_unseen: WeakSet[Screen[Any]] = WeakSet()
"""Screens with a frame that no test has looked at."""
_watched: list[str] = []
_BUSY = frozenset({b"R", b"D"})


def can_be_known() -> bool:
    """Whether this system says what threads do."""
    return _THREADS.is_dir()


async def calm(min_sleep: float = 0, max_sleep: float = MOST) -> float:
    """Wait until no message and no thread is at work; return the seconds of the looks."""
    looks = quiet = 0
    while quiet < LOOKS and looks * LOOK < max_sleep:
        used = _used_by_others()
        await asyncio.sleep(LOOK)
        is_quiet = not _ready() and _used_by_others() - used < AT_WORK and not _is_other_at_work()
        looks, quiet = looks + 1, quiet + 1 if is_quiet else 0
    return looks * LOOK


async def calm_after_key(min_sleep: float = 0, max_sleep: float = MOST) -> None:
    """Wait until all is calm after a key; Textual asks twice, and has sent nothing in between."""
    if _ready():
        await calm()


async def calm_screen(pilot: Pilot[object]) -> bool:
    """Wait until all is calm, where Textual sends a message to each widget and waits until it has arrived."""
    await calm_after_key()
    return True


async def settled(min_sleep: float = 0, max_sleep: float = MOST) -> None:
    """Wait until nothing is at work and no timer is due soon."""
    left = max_sleep - await calm()
    _follow_frames()
    while (wait := _until_next_timer()) is not None and left > 0:
        await asyncio.sleep(wait)
        left -= max(wait, LOOK) + await calm(max_sleep=left)


async def workers_done(app: App[Any], but: frozenset[str] = frozenset()) -> bool:
    """Wait until no worker is at work, but for commands that wait for a dialog; return whether one was."""
    has_waited = False
    while any(not (each.is_finished or each.group in but or _waits_for_dialog(app, each)) for each in app.workers):
        has_waited = True
        await asyncio.sleep(LOOK)
    return has_waited


async def rest(pilot: Pilot[None]) -> None:
    """Wait, after keys that have settled, until no worker is at work, and until all is settled again if one was."""
    while await workers_done(pilot.app):
        await settled()


def _waits_for_dialog(app: App[None], worker: Worker[object]) -> bool:
    """A draft is thrown away once the command that asked for it is over."""
    return worker.group in {BACKGROUND_GROUP, COMMANDS_GROUP, "drafts"} and isinstance(app.screen, ModalScreen)


def _ready() -> Sequence[object]:
    ready: Sequence[object] = asyncio.get_running_loop()._ready  # type: ignore[attr-defined] # CPython's loops have it
    return ready


def _until_next_timer() -> float | None:
    loop = asyncio.get_running_loop()
    due = [timer.when() for timer in loop._scheduled if not timer.cancelled()]  # type: ignore[attr-defined] # as above
    wait = min(due, default=float("inf")) - loop.time()
    return max(wait, 0.0) if wait <= SOON else None


def _used_by_others() -> float:
    return time.process_time() - time.thread_time()


def _is_other_at_work() -> bool:
    """Whether a thread but this one has, or waits for, a processor or the disk."""
    threads = os.listdir(_THREADS)  # noqa: PTH208 - a path for each thread takes longer than its state
    for ended in _states.keys() - threads:
        os.close(_states.pop(ended))
    return len(threads) > 1 and sum(_state(each) in _BUSY for each in threads) > 1


def _state(thread: str) -> bytes:
    try:
        if thread not in _states:
            _states[thread] = os.open(f"{_THREADS}/{thread}/stat", os.O_RDONLY)
        return os.pread(_states[thread], 80, 0).rpartition(b") ")[2][:1]
    except OSError:  # it has ended, and another thread may get its number
        if thread in _states:
            os.close(_states.pop(thread))
        return b""


@contextmanager
def every_frame() -> Iterator[None]:
    """Have each frame drawn, for a test of the drawing itself."""
    _watched.append("")
    try:
        yield
    finally:
        _watched.pop()


def strips_of(app: App[Any]) -> list[Strip]:
    """Draw the screen, and return its lines."""
    screen, behind = app.screen, app._background_screens
    for each in behind:
        if each in _undrawn:
            _undrawn.remove(each)
            with each._context():
                _draw_frame(each)  # tells the screen before it which of its cells changed
    _unseen.discard(screen)
    with screen._context():
        visible_screen_stack.set(behind)
        return screen._compositor.render_strips()


def _draw(screen: Screen[Any]) -> None:
    """Draw a frame, but not for a pilot: a test draws what it looks at, which is few of the frames."""
    app = screen.app
    if not app.is_headless or type(app)._display is not FramedApp._display or _watched:
        _draw_frame(screen)
    else:
        _undrawn.add(screen)
        _unseen.add(screen)


def _follow_frames() -> None:
    """Do what Textual does after each frame."""
    for screen in list(_undrawn):
        if screen.is_attached and screen.app._running and screen is screen.app.screen:
            with screen._context():
                screen.app._update_mouse_over(screen)


async def _shut_down(app: App[Any]) -> None:
    """End an application, and draw its last frame if the test has not looked at it."""
    if type(app)._display is FramedApp._display and app._running and app.screen_stack and app.screen in _unseen:
        strips_of(app)
    await _end(app)


def keep_parsed_rules() -> None:
    """Have Textual parse the same style sheets once in a process instead of at each change in an application.

    Parsing took a quarter of the time in which an application starts.
    """
    parse_rules, parse = Stylesheet._parse_rules, Stylesheet.parse
    sources: dict[tuple[object, ...], list[RuleSet]] = {}
    sheets: dict[tuple[object, ...], list[RuleSet]] = {}

    def parse_source(sheet: Stylesheet, css: str, *place: object, **options: object) -> list[RuleSet]:
        key = (css, *place, *sorted(options.items()), frozenset(sheet._variables.items()))
        if key not in sources:
            sources[key] = parse_rules(sheet, css, *place, **options)  # type: ignore[arg-type] # passed on as they come
        return sources[key]

    def parse_sheet(sheet: Stylesheet) -> None:
        key = (*sheet.source.items(), frozenset(sheet._variables.items()))
        if key not in sheets:
            parse(sheet)
            sheets[key] = sheet._rules
        sheet._rules, sheet._rules_map, sheet._require_parse = sheets[key], None, False

    Stylesheet._parse_rules = parse_source  # type: ignore[method-assign,assignment] # with the same arguments
    Stylesheet.parse = parse_sheet  # type: ignore[method-assign,assignment] # likewise


def keep_strips_light() -> None:
    """Have Textual make the seven caches of a line where they are asked for: few of a test's lines are drawn twice.

    To make them took 8 % of a test of the screens.
    """
    sizes = {"_divide_cache": 4, "_crop_cache": 16, "_style_cache": 16, "_filter_cache": 4}
    sizes |= dict.fromkeys(("_line_length_cache", "_crop_extend_cache", "_offsets_cache"), 4)

    def made(strip: Strip, segments: Iterable[Segment], cell_length: int | None = None) -> None:
        strip._segments, strip._cell_length = list(segments), cell_length
        strip._render_cache = strip._link_ids = strip._cell_count = None

    def missing(strip: Strip, name: str) -> object:
        if name not in sizes:
            raise AttributeError(name)
        cache: FIFOCache[object, object] = FIFOCache(sizes[name])
        setattr(strip, name, cache)
        return cache

    if set(Strip.__slots__) == {*sizes, "_segments", "_cell_length", "_render_cache", "_link_ids", "_cell_count"}:
        Strip.__init__ = made  # type: ignore[method-assign,assignment] # with the same arguments
        Strip.__getattr__ = missing  # type: ignore[attr-defined] # called where a slot is empty


def wait_so_with_keys() -> None:
    """Have Textual's pilot wait like this: between two keys until all is calm, after the last until all is settled.

    Frames that no test looks at are not drawn, which took a quarter of a test's time.
    """
    press, pause = Pilot.press, Pilot.pause

    async def pressed(pilot: Pilot[object], *keys: str) -> None:
        await press(pilot, *keys)
        await settled()

    async def paused(pilot: Pilot[object], delay: float | None = None) -> None:
        await pause(pilot, delay)
        if delay is not None:
            await settled()
        while await workers_done(pilot.app, but=NETWORK):
            await settled()

    textual.app.wait_for_idle = calm_after_key  # type: ignore[attr-defined] # Textual's, which it imports for itself
    textual.pilot.wait_for_idle = settled  # type: ignore[attr-defined] # likewise
    Pilot._wait_for_screen = calm_screen  # type: ignore[method-assign,assignment] # with the same arguments
    Pilot.press = pressed  # type: ignore[method-assign,assignment] # with the same arguments
    Pilot.pause = paused  # type: ignore[method-assign,assignment] # likewise
    App._shutdown = _shut_down  # type: ignore[assignment,method-assign] # of any application
    Screen._compositor_refresh = _draw  # type: ignore[method-assign,assignment] # of any screen
