"""The terminal application on a profile."""

import argparse
import logging
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from backlit.cli.chosen import chosen_profile
from backlit.cli.wiring import store_of
from backlit.config import Locations, Profile, Profiles, find_locations, read_settings
from backlit.model.errors import BacklitError

_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H", "\x1b[?25h\x1b[?1049l"


def run(arguments: argparse.Namespace) -> int:
    """Open the profile that was named, else the one used last."""
    locations = find_locations()
    return open_profile(chosen_profile(arguments, locations), locations)


def open_profile(profile: Profile, locations: Locations) -> int:
    """Show a profile until the user leaves; returns the exit status, and raises where there is no terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "dumb") == "dumb":
        raise BacklitError("This needs a terminal. Without one there is: backlit items list --json")
    settings = read_settings(locations)
    Profiles(locations).remember(profile)
    _log_to(locations)
    os.write(sys.stdout.fileno(), f"{_ENTER} backlit  {profile.name}".encode())
    try:
        store = store_of(profile, locations)
        with ThreadPoolExecutor(1) as opener:
            opening = opener.submit(store.open)
            from backlit.tui.app import BacklitApp
        opening.result()
    except BaseException:
        os.write(sys.stdout.fileno(), _LEAVE.encode())
        raise
    try:
        app = BacklitApp(store, settings.theme, locations.themes)
        app.run()
        return app.return_code or 0
    finally:
        store.close()


def _log_to(locations: Locations) -> None:
    """Have what goes wrong inside written to a file: on the screen it would be in the way."""
    locations.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    logging.basicConfig(
        filename=locations.log, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
