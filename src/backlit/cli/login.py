"""Sign in to a service and make it the profile that is used."""

import argparse
import asyncio
import ipaddress
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from backlit.client.client import Client, root_of
from backlit.client.tokens import TokenCache, Tokens
from backlit.config import Locations, Profiles, find_locations, remote_profile
from backlit.model.errors import BadRequest, OtherOrigin
from backlit.model.plain import plain
from backlit.model.wrap import LOGIN_PATH, TokenGrant


def run(arguments: argparse.Namespace) -> None:
    """Ask for what is missing, sign in, and keep the profile; nothing is kept of a sign-in that failed."""
    locations = find_locations()
    url = str(root_of(arguments.url)).rstrip("/")
    if not _is_private(url):
        print("Careful: the connection is not encrypted; others can read what is sent.", file=sys.stderr)
    if arguments.code:
        print(f"Sign in here, then copy the code:\n  {url}{LOGIN_PATH}", file=sys.stderr)
        credentials = ("", _asked("Code: "))
    else:
        credentials = (arguments.user or _asked("User name: "), _password())
    approved = arguments.approve
    try:
        user, tokens = asyncio.run(_sign_in(url, *credentials, approved, locations=locations))
    except OtherOrigin as error:
        approved = _approved(error)
        user, tokens = asyncio.run(_sign_in(url, *credentials, approved, locations=locations))
    profile = remote_profile(url, user)
    cache = TokenCache(locations.tokens(profile), url)
    cache.save(TokenGrant(tokens.access, tokens.refresh, int(tokens.lifetime)))
    if approved:
        cache.approve(approved)
    Profiles(locations).remember(profile)
    print(f"Signed in to {url} as {plain(user)}; the profile is {profile.name}.")


def _approved(error: OtherOrigin) -> str:
    """Ask whether the sign-in may be sent elsewhere, now and from now on; raises the error where it may not."""
    if sys.stdin.isatty():
        print(error.message, file=sys.stderr)
        print(f"Send it to {plain(error.other)}, now and from now on? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in {"y", "yes"}:
            return error.other
        raise BadRequest("It was not sent.")
    raise BadRequest(f"{error.message} If that is right, add --approve {plain(error.other)}") from None


async def _sign_in(url: str, user: str, secret: str, approved: str, locations: Locations) -> tuple[str, Tokens]:
    """Sign in with a cache that is thrown away, as the profile's name is known only afterwards."""
    locations.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=locations.state, prefix="login-") as folder:
        cache = TokenCache(Path(folder) / "tokens.json", url)
        async with Client.at(url, cache) as client:
            if user:
                await client.auth.sign_in(user, secret, approved)
            else:
                await client.auth.sign_in_with_code(secret, approved)
            me = await client.users.me()
        tokens = cache.load()
        assert tokens is not None
        return me.name, tokens


def _is_private(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or is_loopback(parts.hostname or "")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine and cannot be reached from another."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _asked(question: str) -> str:
    if sys.stdin.isatty():
        print(question, end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline().strip()
    if not answer:
        raise BadRequest(f"Nothing was given as {question.rstrip(': ').lower()}.")
    return answer


def _password() -> str:
    if sys.stdin.isatty():
        import getpass

        return getpass.getpass()
    return sys.stdin.readline().rstrip("\r\n")
