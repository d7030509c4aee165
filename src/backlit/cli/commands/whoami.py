"""Identity of the signed-in user."""

import argparse
import asyncio

from backlit.cli.wiring import chosen_profile, connect_to
from backlit.config.settings import Locations, Profile, find_locations
from backlit.model.plain import plain
from backlit.model.resources import User


def run(arguments: argparse.Namespace) -> None:
    """Print the user's name; raise SignInNeeded without a sign-in."""
    locations = find_locations()
    profile = chosen_profile(arguments, locations)
    user = asyncio.run(_me(profile, locations))
    name = user.display_name or f"{user.first_name} {user.last_name}".strip()
    place = profile.url or f"the {profile.kind} workspace"
    print(plain(f"{user.name} ({name}) at {place}; the profile is {profile.name}."))


async def _me(profile: Profile, locations: Locations) -> User:
    async with await connect_to(profile, locations)(_quietly) as client:
        return await client.users.me()


def _quietly(_sentence: str, _done: int, _total: int) -> None:
    return
