"""Sign-out of a remote profile."""

import argparse
import asyncio

from backlit.cli.wiring import chosen_profile, remote_client
from backlit.config.settings import Locations, Profile, ProfileKind, find_locations
from backlit.model.errors import BadRequest


def run(arguments: argparse.Namespace) -> None:
    """Forget the tokens; unsent edits are kept and sent after the next sign-in."""
    locations = find_locations()
    profile = chosen_profile(arguments, locations)
    if profile.kind is not ProfileKind.REMOTE:
        raise BadRequest(f"The profile {profile.name} is local and has no sign-in.")
    asyncio.run(_sign_out(profile, locations))
    print(f"Signed out of {profile.url}.")


async def _sign_out(profile: Profile, locations: Locations) -> None:
    async with remote_client(profile, locations) as client:
        await client.auth.sign_out()
