"""Forget the sign-in of a remote profile."""

import argparse
import asyncio

from backlit.cli.chosen import chosen_profile
from backlit.cli.wiring import remote_client
from backlit.config import Locations, Profile, ProfileKind, find_locations
from backlit.model.errors import BadRequest


def run(arguments: argparse.Namespace) -> None:
    """Forget the tokens; what is unsent stays and is sent after the next sign-in."""
    locations = find_locations()
    profile = chosen_profile(arguments, locations)
    if profile.kind is not ProfileKind.REMOTE:
        raise BadRequest(f"The profile {profile.name} is on this machine and has no sign-in.")
    asyncio.run(_sign_out(profile, locations))
    print(f"Signed out of {profile.url}.")


async def _sign_out(profile: Profile, locations: Locations) -> None:
    async with remote_client(profile, locations) as client:
        await client.auth.sign_out()
