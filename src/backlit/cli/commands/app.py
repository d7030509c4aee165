"""The application on a profile, and its end by SIGTERM, by SIGHUP or because its terminal is gone."""

import argparse
import contextlib
import gc
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol, Self

from backlit.cli.crash import threads_reporting
from backlit.cli.last_frame import save_frame
from backlit.cli.terminal_input import ALTERNATE, RawTerminal, has_screen, is_own
from backlit.cli.wiring import chosen_profile
from backlit.config.checked_files import CheckedConfigFile, CheckingProcess
from backlit.config.repository import read_pins, shared_places
from backlit.config.settings import (
    Locations,
    Profile,
    Profiles,
    Settings,
    demo_profile,
    find_locations,
    local_profile,
    read_settings,
    settings_file,
)
from backlit.config.terminal_signs import is_ascii_wanted, is_monochrome
from backlit.config.view_files import own_views_file, read_settings_of, repository_files
from backlit.model.dates import DATE_STYLE
from backlit.model.errors import BacklitError, BadRequest, UsageFault
from backlit.model.query import parse_query

if TYPE_CHECKING:
    from backlit.cli.commands.session import RemoteProfileSignIn
    from backlit.store.store import Store
    from backlit.tui.app.app import BacklitApp
    from backlit.tui.app.sign_in import WelcomeApp
    from backlit.tui.app.start_target import StartTarget
    from backlit.tui.drawing.frame import KeptFrame


SHUTDOWN_TIMEOUT = 0.8
"""Seconds from the signal after which the process ends, whatever it is doing."""
TAKING_TIMEOUT = 0.2
"""Seconds that a terminal that takes nothing, as after a full screen over a slow line, is waited for at the end."""
SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_RESTORED = "".join(
    f"\x1b[{mode}"
    for mode in (
        # The held update first: a terminal that still waits for its end would show nothing of what follows.
        *("?2026l", "?1000l", "?1003l", "?1006l", "?1015l", "?1016l", "?2004l", "?2048l", "?1004l"),
        *("?7h", "<u", "?1049l", "?25h", "0m"),
    )
)
"""Switches off what the application may have switched on."""


class Application(Protocol):
    """An application that can be told to end, from any thread."""

    outside: "subprocess.Popen[bytes] | None"
    """The user's editor, while it has the terminal."""

    def call_later(self, callback: Callable[..., Any], *args: Any) -> bool: ...

    def leave(self, status: int, message: str | None) -> None: ...


class SignalShutdown:
    """Ends the process with 128 + the signal's number and the terminal as it was; a context around the application.

    A SIGHUP that is ignored stays so (`nohup`); a terminal that is gone ends the application all the same.
    """

    def __init__(self, raw_terminal: RawTerminal) -> None:
        self._number: int | None = None
        self._application: Application | None = None
        self._raw_terminal, self._terminal = raw_terminal, raw_terminal.terminal
        self._before: dict[int, Any] = {}
        self._over = threading.Event()
        self._over_reader, self._over_writer = os.pipe()

    def __enter__(self) -> Self:
        # Not the event loop's handlers: it runs none while it waits for a terminal that takes nothing.
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._receive)
        threading.Thread(target=self._watch, name="terminal-watch", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the process where it was told to; else give the signals back."""
        if self._number is not None:
            self._end(self._number)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self._over_writer)

    def ends(self, application: Application) -> None:
        self._application = application

    def is_over(self) -> None:
        self._over.set()

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self._begin(number)

    def _watch(self) -> None:
        # Where SIGHUP is ignored and the terminal is gone, Textual's thread of the input would read its end for ever.
        watched = select.poll()
        watched.register(self._terminal, 0)  # reports only a hang-up
        watched.register(self._over_reader, 0)
        if any(file == self._terminal for file, _ in watched.poll()):
            self._begin(signal.SIGHUP)
        os.close(self._over_reader)

    def _begin(self, number: int) -> None:
        if self._number is not None:
            return
        self._number = number
        if not is_own(self._terminal):
            self._end(number)  # before SIGCONT has the screen drawn again, for which the shell would stop the process
        else:
            threading.Thread(target=self._leave, args=(number,), name="ending", daemon=True).start()

    def _leave(self, number: int) -> None:
        timer = threading.Timer(SHUTDOWN_TIMEOUT, self._end, (number,))
        timer.daemon = True
        timer.start()
        application = self._application
        if application is None:
            self._end(number)
            return
        message = None
        if application.outside is not None:
            application.outside.send_signal(number)
            last = Path(application.outside.args[-1])  # type: ignore[index,arg-type] # a list of str
            message = f"Your text is in {last}." if last.is_file() else None
        application.call_later(application.leave, 128 + number, message)

    def _end(self, number: int) -> None:
        if not self._over.is_set() and is_own(self._terminal):
            with contextlib.suppress(OSError):
                _discard_output()
                if select.select([], [self._terminal], [], TAKING_TIMEOUT)[1]:
                    os.write(self._terminal, _RESTORED.encode())
            self._raw_terminal.give_back()
        os._exit(128 + number)


def _discard_output() -> None:
    """Lead what other threads still write nowhere: on the terminal it would switch on again what is switched off."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None and stream.isatty():
            os.dup2(nowhere, stream.fileno())


def open_app(arguments: argparse.Namespace) -> int:
    """Open the named profile, or the one the screens had last; without any, ask where to begin."""
    locations = find_locations()
    pins = read_pins(Path.cwd())
    project = arguments.project or pins.project
    profile: Profile | None
    if arguments.place and arguments.id is None:
        raise UsageFault("Name the item, such as: backlit open 12 --comments")
    if arguments.query:
        parse_query(arguments.query)  # a fault is said here, before the screens
    if arguments.profile or pins.profile:
        profile = chosen_profile(arguments, locations)
    else:
        profile = Profiles(locations).last() or (local_profile() if project else None)
    return open_profile(profile, project, locations, arguments)


def open_profile(profile: Profile | None, project: str, locations: Locations, arguments: argparse.Namespace) -> int:
    """Show a profile, on a named project if any, and those the user switches to; return the exit status.

    Without a profile the welcome asks for one. Raises BacklitError without a terminal.
    """
    if not has_screen():
        raise BacklitError("backlit needs a terminal. In a script, use: backlit items list --json")
    if is_monochrome():
        os.environ["NO_COLOR"] = "1"  # of Textual, and of the programs that are begun from the screens
    frame, is_first, arguments.project = arguments.frame, True, project
    while True:
        files: list[CheckedConfigFile[Any]] = [
            settings_file(locations),
            own_views_file(locations),
            *repository_files(locations, Path.cwd()),
        ]
        checking = CheckingProcess(files)
        make = partial(_make_application, profile, arguments) if profile else _welcome
        name = profile.name if profile else ""
        keep = partial(_keep, profile if is_first else None, locations)
        app = _run_application(partial(make, checking, locations), name, arguments.terminal, frame, keep=keep)
        if app.wanted_profile is None:
            return app.return_code or 0
        profile, frame, is_first = Profiles(locations).named(app.wanted_profile), None, False
        arguments.project = arguments.id = arguments.query = arguments.view = arguments.place = None  # of the first


MakeApplication = Callable[[contextlib.ExitStack], tuple["BacklitApp | WelcomeApp", Settings]]
"""Makes an application with the settings it has, and says what to do at its end."""
KeepFrame = Callable[[Any], None]


def _run_application(
    make: MakeApplication, name: str, terminal: RawTerminal, frame: "KeptFrame | None", *, keep: KeepFrame
) -> "BacklitApp | WelcomeApp":
    """Show an application until the user or a signal ends it; it takes over the frame on the screen, if any."""
    terminal.disable_echo()
    with SignalShutdown(terminal) as ending:
        with contextlib.ExitStack() as end:
            # Worth 6 to 11 % of the CPU until the rows.
            gc.disable()  # until the imports behind the first rows are over: full collections would fall into them
            end.callback(gc.enable)
            if not terminal.is_entered:
                # Shown some 15 ms after the start, where Textual's first frame comes after 165 at best: so long a blank
                # terminal looks as if nothing had been started.
                terminal.enter(f" backlit  {name}")
            try:
                app, settings = make(end)
            except BaseException:
                terminal.give_back()
                raise
            app.driver_class = _handed_over(app.driver_class, terminal, is_ascii=is_ascii_wanted(settings.ascii))
            if frame is not None:
                app.begin_with(frame)
            ending.ends(app)
            signal.signal(signal.SIGINT, lambda *_: None)  # a ctrl+c after it was left would write a traceback
            end.enter_context(threads_reporting())
            app.run(mouse=settings.mouse and not is_monochrome())
            ending.is_over()
        if app.crash is not None:
            raise app.crash
        keep(app)
        return app


def _keep(profile: Profile | None, locations: Locations, app: Any) -> None:
    """KeepFrame the last frame for the next start with the same arguments; without room for it that one is as usual."""
    if profile is None or app.last_frame is None or app.wanted_profile is not None:
        return
    if app.driver_class.cells is not None:
        return  # the frame has the signs that its terminal lacks
    databases = [locations.mirror(profile), locations.journal(profile)]
    logs = [path.with_name(f"{path.name}-wal") for path in databases]
    own = [locations.config, *locations.config.rglob("*"), settings_file(locations).path]
    settings = [*own, *shared_places(Path.cwd())]
    # With the file of sign-ins: an end of the sign-in by the server locks what the frame shows.
    paths = map(str, [*databases, *logs, *settings, locations.tokens(profile), locations.state / "profiles.json"])
    with contextlib.suppress(OSError):
        save_frame(sys.argv[1:], paths, app.last_frame)


def _welcome(
    checking: CheckingProcess, locations: Locations, _end: contextlib.ExitStack
) -> tuple["WelcomeApp", Settings]:
    from backlit.tui.app.sign_in import WelcomeApp

    settings = read_settings(locations, checking)
    return WelcomeApp(partial(_joining, locations), settings.theme, locations.themes), settings


def _joining(locations: Locations, address: str) -> "RemoteProfileSignIn":
    from backlit.cli.commands.session import RemoteProfileSignIn

    return RemoteProfileSignIn(locations, address)


def _handed_over(driver: type[Any], terminal: RawTerminal, *, is_ascii: bool) -> type[Any]:
    """Return a driver that finds the terminal's own modes when it starts, as it restores those at its end."""
    from backlit.tui.drawing.ascii_cells import AsciiCells

    class HandedOver(driver):  # type: ignore[misc]  # the platform's driver, known at run time
        cells = AsciiCells() if is_ascii else None

        def start_application_mode(self) -> None:
            self.is_entered = terminal.hand_over()
            super().start_application_mode()

        def write(self, data: str) -> None:
            if self.is_entered and data == ALTERNATE:
                self.is_entered = False  # some terminals erase the screen, although they show it already
                return
            super().write(data if self.cells is None or data.isascii() else data.translate(self.cells))

    return HandedOver


def _make_application(
    profile: Profile,
    arguments: argparse.Namespace,
    checking: CheckingProcess,
    locations: Locations,
    end: contextlib.ExitStack,
) -> tuple["BacklitApp", Settings]:
    """Build the application while another thread opens the store's files, once changed settings are checked."""
    from concurrent.futures import ThreadPoolExecutor

    from backlit.cli.wiring import configure, unconfigured_store

    Profiles(locations).remember(profile)
    store = unconfigured_store(profile, locations)
    store.pinned = arguments.project or ""

    def open_store() -> Settings:
        settings = read_settings_of(profile.name, locations, Path.cwd(), checking)
        checking.wait()  # here, as the event loop reads the views and must not wait for their check
        configure(store, settings)
        store.open()
        return settings

    with ThreadPoolExecutor(1) as opener:
        opening = opener.submit(open_store)
        from backlit.store.views.view_files import ViewFiles
        from backlit.tui.app.app import BacklitApp

    settings = opening.result()
    DATE_STYLE.format = settings.date_format
    end.callback(store.close)
    app = BacklitApp(
        store,
        settings.theme,
        locations.themes,
        settings.estimate_scale,
        images=settings.images,
        motion=settings.motion,
        is_low_bandwidth=settings.low_bandwidth is True,
        editor=settings.editor,
        opener=settings.opener,
        notify=settings.notify,
        preset=settings.preset,
        keys=settings.keys,
        commands=settings.commands,
        board=settings.board,
        capacities=settings.capacities,
        view_files=ViewFiles(locations, Path.cwd(), checking),
        templates=settings.templates,
        profiles=list(dict.fromkeys((profile.name, *Profiles(locations).names()))),
        join=partial(_joining, locations),
        greets=True,
        opens=_target_of(arguments),
        problems=[*settings.problems, *_not_yet_known(store)],
    )
    return app, settings


def _target_of(arguments: argparse.Namespace) -> "StartTarget | None":
    if arguments.id is None and not arguments.query and not arguments.view:
        return None
    from backlit.tui.app.start_target import StartTarget
    from backlit.tui.shell.target import ItemDestination

    place = ItemDestination(arguments.place or ItemDestination.EDITOR)
    return StartTarget(arguments.id, arguments.query or "", arguments.view or "", place)


def _not_yet_known(store: "Store") -> Iterator[str]:
    """Say that the local copy lacks the named project, unless it is empty; a newer one is found once connected."""
    if store.pinned and store.lookups.projects():
        try:
            store.lookups.project_named(store.pinned)
        except BadRequest as error:
            yield f"{error.message} Asking the server."


def open_demo(arguments: argparse.Namespace) -> int:
    """Open the sample of the given size and seed; create it if it is missing."""
    profile = demo_profile(arguments.items, arguments.seed)
    return open_profile(profile, arguments.project or "", find_locations(), arguments)
