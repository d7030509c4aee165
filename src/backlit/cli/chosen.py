"""Which profile a command is about."""

import argparse

from backlit.config import Locations, Profile, Profiles


def chosen_profile(arguments: argparse.Namespace, locations: Locations) -> Profile:
    """The profile that was named, else the one used last."""
    profiles = Profiles(locations)
    return profiles.named(arguments.profile) if arguments.profile else profiles.last()
