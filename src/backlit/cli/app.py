"""The terminal application on a profile."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from backlit.cli.chosen import chosen_profile
from backlit.config import Locations, Profile, Profiles, Settings, find_locations, read_settings
from backlit.model.errors import BacklitError

if TYPE_CHECKING:
    from backlit.store.store import Store
    from backlit.tui.app import BacklitApp

_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H", "\x1b[?25h\x1b[?1049l"


def run(arguments: argparse.Namespace) -> int:
    """Open the profile that was named, else the one used last."""
    locations = find_locations()
    return open_profile(chosen_profile(arguments, locations), locations)


def open_profile(profile: Profile, locations: Locations) -> int:
    """Show a profile, and those that the user goes to from it; returns the exit status when the user leaves.

    Raises where there is no terminal.
    """
    while True:
        status, wanted = _show(profile, locations)
        if wanted is None:
            return status
        profile = Profiles(locations).named(wanted)


def _show(profile: Profile, locations: Locations) -> tuple[int, str | None]:
    """Show a profile until it is left; returns the exit status, and the profile that is wanted next."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "dumb") == "dumb":
        raise BacklitError("This needs a terminal. Without one there is: backlit items list --json")
    settings = read_settings(locations)
    os.write(sys.stdout.fileno(), f"{_ENTER} backlit  {profile.name}".encode())
    try:
        Profiles(locations).remember(profile)
        app, store = _made(profile, settings, locations)
    except BaseException:
        os.write(sys.stdout.fileno(), _LEAVE.encode())
        raise
    try:
        app.run(mouse=settings.mouse)
        return app.return_code or 0, app.wanted_profile
    finally:
        store.close()


def _made(profile: Profile, settings: Settings, locations: Locations) -> "tuple[BacklitApp, Store]":
    """Import the application while the store's files are opened on another thread."""
    from concurrent.futures import ThreadPoolExecutor

    from backlit.cli.wiring import store_of

    store = store_of(profile, locations, settings)
    with ThreadPoolExecutor(1) as opener:
        opening = opener.submit(store.open)
        from backlit.tui.app import BacklitApp
        from backlit.tui.view_files import ViewFiles

    opening.result()
    app = BacklitApp(
        store,
        settings.theme,
        locations.themes,
        settings.estimate_scale,
        images=settings.images,
        board=settings.board,
        capacities=settings.capacities,
        view_files=ViewFiles(locations, Path.cwd()),
        templates=settings.templates,
        profiles=list(dict.fromkeys((profile.name, *Profiles(locations).names()))),
    )
    return app, store
