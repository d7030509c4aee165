"""The terminal application on a profile or on a sample workspace."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from backlit.cli.ending import Ending
from backlit.cli.wiring import chosen_profile
from backlit.config.settings import (
    Locations,
    Profile,
    Profiles,
    Settings,
    demo_profile,
    find_locations,
    read_pins,
    read_settings,
)
from backlit.model.errors import BacklitError

if TYPE_CHECKING:
    from backlit.store.store import Store
    from backlit.tui.app.app import BacklitApp


_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H", "\x1b[?25h\x1b[?1049l"


def open_app(arguments: argparse.Namespace) -> int:
    """Open the named profile, or the one the screens had last."""
    locations = find_locations()
    is_named = arguments.profile or read_pins(Path.cwd()).profile
    profile = chosen_profile(arguments, locations) if is_named else Profiles(locations).last()
    return open_profile(profile, locations)


def open_profile(profile: Profile, locations: Locations) -> int:
    """Show a profile and those the user switches to; return the exit status.

    Raises BadRequest without a terminal.
    """
    while True:
        status, wanted = _show(profile, locations)
        if wanted is None:
            return status
        profile = Profiles(locations).named(wanted)


def _show(profile: Profile, locations: Locations) -> tuple[int, str | None]:
    """Show a profile until the user leaves; return the exit status and the profile to open next."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "dumb") == "dumb":
        raise BacklitError("backlit needs a terminal. In a script, use: backlit items list --json")
    settings = read_settings(locations)
    with Ending() as ending:
        os.write(sys.stdout.fileno(), f"{_ENTER} backlit  {profile.name}".encode())
        try:
            Profiles(locations).remember(profile)
            app, store = _made(profile, settings, locations)
        except BaseException:
            os.write(sys.stdout.fileno(), _LEAVE.encode())
            raise
        ending.ends(app)
        try:
            app.run(mouse=settings.mouse)
            ending.is_over()
            return app.return_code or 0, app.wanted_profile
        finally:
            store.close()


def _made(profile: Profile, settings: Settings, locations: Locations) -> "tuple[BacklitApp, Store]":
    """Build the application while another thread opens the store's files."""
    from concurrent.futures import ThreadPoolExecutor

    from backlit.cli.wiring import store_of

    store = store_of(profile, locations, settings)
    with ThreadPoolExecutor(1) as opener:
        opening = opener.submit(store.open)
        from backlit.tui.app.app import BacklitApp
        from backlit.tui.lists.saved_views import ViewFiles

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
        problems=settings.problems,
    )
    return app, store


def open_demo(arguments: argparse.Namespace) -> int:
    """Open the sample of the given size and seed; create it if it is missing."""
    return open_profile(demo_profile(arguments.items, arguments.seed), find_locations())
