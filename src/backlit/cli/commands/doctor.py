"""Health check of connection, service and local files."""

import argparse
import asyncio
import locale
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import asdict

from backlit.cli.commands.session import place_of_sign_in
from backlit.cli.output import write_json
from backlit.cli.terminal_input import has_screen
from backlit.cli.wiring import chosen_profile, open_client, sign_in_needed, tokens_of
from backlit.client.keyring_secrets import usable_keyring
from backlit.client.network import is_loopback, proxy_between, tls_details_of
from backlit.config import clipboard
from backlit.config.connection import USUAL_CONNECTION, ConnectionSettings
from backlit.config.settings import Locations, Profile, ProfileKind, find_locations, read_connection, read_settings
from backlit.config.terminal_signs import is_monochrome
from backlit.config.view_files import read_views
from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, NameNotFound
from backlit.model.plain import plain
from backlit.model.resources import User, friendly_size_of
from backlit.store.engine.following import HELLO_SECONDS
from backlit.store.files.files import FileReport, inspect_journal, inspect_mirror, kept_value
from backlit.store.remote.capabilities import CHANGES, CHANGES_STREAM, ServiceTraits, announces
from backlit.store.remote.probing import probe
from backlit.store.sqlite.sync_note import last_synced
from backlit.store.views.preferences import START_PROBLEMS

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.events import ServerEvent

_TLS_PATIENCE = 5.0
_CERTIFICATE_WARNING_SECONDS = 14 * 86_400
_CLOCK_TOLERANCE = 5
_SIGNS = {"ok": "✓", "note": "·", "broken": "✗"}


class Health(StrEnum):
    """Severity of a finding."""

    OK = "ok"
    NOTE = "note"
    BROKEN = "broken"


class Finding(Struct, frozen=True):
    """A checked subject with its result."""

    about: str
    health: Health
    sentence: str


class HealthReport(Struct):
    """Findings in the order of the checks."""

    profile: str
    findings: list[Finding] = field(default_factory=list)
    traits: ServiceTraits | None = None

    def say(self, about: str, sentence: str, health: Health = Health.OK) -> None:
        self.findings.append(Finding(about, health, plain(sentence)))

    def keep(self, about: str) -> None:
        """Leave out what is about other subjects; raise NameNotFound where nothing is about this one."""
        subjects = list(dict.fromkeys(each.about for each in self.findings))
        if about not in subjects:
            raise NameNotFound(f"doctor has nothing about “{plain(about, 60)}”. It has: {', '.join(subjects)}.")
        self.findings = [each for each in self.findings if each.about == about]

    @property
    def is_broken(self) -> bool:
        return any(each.health is Health.BROKEN for each in self.findings)


def examine(arguments: argparse.Namespace) -> int:
    """Print the findings; return 1 if anything is broken."""
    locations = find_locations()
    profile = chosen_profile(arguments, locations)
    report = HealthReport(profile.name)
    _look_at_settings(profile, locations, report)
    _look_at_files(profile, locations, report)
    _look_at_sign_in(profile, locations, report)
    _look_at_terminal(report)
    if arguments.offline:
        report.say("service", "Not asked (--offline).", Health.NOTE)
    else:
        asyncio.run(_look_at_service(profile, locations, report))
    if arguments.section:
        report.keep(arguments.section)
    if arguments.json:
        document = {
            "profile": report.profile,
            "isBroken": report.is_broken,
            "findings": [asdict(each) for each in report.findings],
            "traits": None if report.traits is None else report.traits.document(),
        }
        write_json(document)
    else:
        width = max(len(each.about) for each in report.findings)
        for each in report.findings:
            print(f"{_SIGNS[each.health]} {each.about:<{width}}  {plain(each.sentence)}")
    return int(report.is_broken)


def _look_at_settings(profile: Profile, locations: Locations, report: HealthReport) -> None:
    problems, views = read_settings(locations).problems, read_views(locations, Path.cwd())
    for problem in problems:
        report.say("settings", problem, Health.BROKEN)
    for problem in views.problems:
        report.say("views", problem, Health.BROKEN)
    started = kept_value(locations.journal(profile), START_PROBLEMS)
    for problem in started if isinstance(started, list) else ():
        if problem not in (*problems, *views.problems):
            report.say("last start", str(problem), Health.NOTE)
    if not problems:
        report.say("settings", f"No faults ({locations.config / 'config.toml'}).")


def _look_at_files(profile: Profile, locations: Locations, report: HealthReport) -> None:
    report.say("profile", f"{profile.name}, {profile.url or f'the {profile.kind} workspace on this machine'}.")
    look_at_file("mirror", inspect_mirror(locations.mirror(profile)), "item", report)
    look_at_file("journal", inspect_journal(locations.journal(profile)), "unsent change", report)
    last = last_synced(str(locations.mirror(profile)))
    if last is not None:
        moment = datetime.fromtimestamp(last[0]).astimezone()
        report.say("copy", f"In sync {_age_words(time.time() - last[0])} ({moment:%Y-%m-%d %H:%M}).")


def _age_words(seconds: float) -> str:
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{counted(int(seconds // size), unit)} ago"
    return "less than a minute ago"


def _look_at_sign_in(profile: Profile, locations: Locations, report: HealthReport) -> None:
    if profile.kind is not ProfileKind.REMOTE:
        return
    try:
        if tokens_of(profile, locations).has_sign_in():
            report.say("secrets", f"The sign-in {place_of_sign_in(profile, locations)}.")
        else:
            place = usable_keyring()
            report.say("secrets", f"There is no sign-in. {f'A keyring is there: {place}.' if place else ''}".strip())
    except BacklitError as error:
        report.say("secrets", error.message, Health.BROKEN)


def _look_at_terminal(report: HealthReport) -> None:
    name, encoding = os.environ.get("TERM", ""), locale.getencoding()
    if not has_screen():
        why = "TERM is not set or dumb" if sys.stdout.isatty() else "the output is no terminal"
        report.say("terminal", f"No screens here: {why}. backlit --linear works line by line.", Health.NOTE)
        return
    size = os.get_terminal_size(sys.stdout.fileno())
    colours = (
        "no colours" if is_monochrome() or os.environ.get("NO_COLOR") else os.environ.get("COLORTERM") or "colours"
    )
    report.say("terminal", f"{name}, {size.columns}x{size.lines}, {encoding}, {colours}.")
    programs = " and ".join(each.name for each in clipboard.routes())
    report.say("clipboard", f"By {programs or 'the terminal (OSC 52), which does not confirm it'}.")


def look_at_file(about: str, found: FileReport, noun: str, report: HealthReport) -> None:
    if found.fault:
        way_out = " Remove it: the next start creates it again." if about == "mirror" else " Restore it from a copy."
        report.say(about, f"{found.fault}{way_out} ({found.path})", Health.BROKEN)
    elif found.count is None:
        report.say(about, f"No file yet ({found.path}).", Health.NOTE)
    elif found.version > found.wanted and about == "journal":
        report.say(about, f"A newer backlit wrote this file ({found.path}).", Health.BROKEN)
    else:
        version = (
            ""
            if found.version == found.wanted
            else f" It has version {found.version} and is upgraded at the next start."
        )
        size = friendly_size_of(found.size)
        report.say(about, f"{counted(found.count, noun)}, {size}, version {found.wanted} ({found.path}).{version}")


async def _look_at_service(profile: Profile, locations: Locations, report: HealthReport) -> None:
    try:
        if profile.kind is ProfileKind.REMOTE:
            await look_at_address(profile.url or "", report, read_connection(profile, locations))
        client = await open_client(profile, locations)
    except BacklitError as error:
        report.say("service", error.message, Health.BROKEN)
        return
    async with client:
        try:
            await _ask(client, profile, report)
        except BacklitError as error:
            report.say("service", error.message, Health.BROKEN)


async def look_at_address(url: str, report: HealthReport, connection: ConnectionSettings = USUAL_CONNECTION) -> None:
    try:
        proxy = proxy_between(url, connection)
    except BacklitError as error:
        report.say("proxy", error.message, Health.BROKEN)
        return
    report.say("proxy", f"Requests go through {proxy}." if proxy else "None.", Health.NOTE if proxy else Health.OK)
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "https":
        is_here = is_loopback(host)
        where = (
            "Local connection: no data leaves this machine."
            if is_here
            else "Not encrypted: others can read the traffic. Use https://."
        )
        report.say("encryption", f"No encryption. {where}", Health.OK if is_here else Health.BROKEN)
        return
    try:
        encryption = await tls_details_of(url, _TLS_PATIENCE, connection)
    except BacklitError as error:
        report.say("encryption", error.message, Health.BROKEN)
        return
    shown = encryption.certificate
    ends_soon = shown.good_until.timestamp() - time.time() < _CERTIFICATE_WARNING_SECONDS
    day = shown.good_until.date()
    report.say(
        "encryption",
        f"{encryption.version}; the certificate is valid until {day}.",
        Health.NOTE if ends_soon else Health.OK,
    )
    if connection.insecure:
        sentence = "Any certificate is taken (insecure): others can read and change the traffic. Pin the server's key."
        report.say("trust", f"{sentence} It is {shown.fingerprint}.", Health.BROKEN)
    else:
        report.say("trust", f"{_trust_words(connection)}; issued by {shown.issuer}.")
    if connection.client_cert:
        report.say("client certificate", f"{connection.client_cert}.")


def _trust_words(connection: ConnectionSettings) -> str:
    if connection.fingerprint:
        return f"Only the key {connection.fingerprint}, which the profile pins"
    own = f", and {connection.ca}" if connection.ca else ""
    return f"The authorities of this machine{own}"


async def _ask(client: "Client", profile: Profile, report: HealthReport) -> None:
    if not client.auth.signed_in:
        report.say("sign-in", sign_in_needed(profile, "Not signed in.").message, Health.BROKEN)
        return
    me = User.read(await client.users.me(), client.server)
    report.say(
        "sign-in",
        f"{me.name} is signed in and can read {counted((await client.work_items.page(top=1)).total, 'item')}.",
    )
    if profile.kind is ProfileKind.REMOTE:
        look_at_clock(client.clock.skew, report)
    else:
        report.say("clock", "Same clock as this machine.")
    told = await client.capabilities()
    if told is None:
        report.say("service", "Server: no version information; assuming the standard interface.", Health.NOTE)
    else:
        report.say("service", f"{told.get('name')} {told.get('version')}.")
    if profile.kind is ProfileKind.REMOTE:
        await look_at_changes(client, told, report)
    traits = report.traits = await probe(client, told)
    if not traits.is_sure:
        report.say("lists", "Not tested: the project has no items.", Health.NOTE)
        return
    for sentence in traits.has_words():
        report.say("lists", sentence)
    for sentence in traits.missing_words(told):
        report.say("missing", sentence, Health.NOTE)


async def look_at_changes(client: "Client", told: Mapping[str, object] | None, report: HealthReport) -> None:
    """Report how the changes of others come, and what is in the way of a better one."""
    if not announces(told, CHANGES_STREAM):
        report.say(
            "changes", "The server sends no changes as they are made. backlit asks every 20 seconds.", Health.NOTE
        )
        return
    hindrance = await _hindrance(client.changes(None))
    if not hindrance:
        report.say("changes", "The changes of others come as they are made.")
        return
    hindrance = f"The stream of changes does not get through: {hindrance}"
    if not announces(told, CHANGES) or await _hindrance(client.polled_changes(None)):
        report.say("changes", f"{hindrance} backlit asks every 20 seconds.", Health.NOTE)
    else:
        report.say("changes", f"{hindrance} They come by requests that wait for them.", Health.NOTE)


async def _hindrance(stream: AbstractAsyncContextManager[AsyncIterator["ServerEvent"]]) -> str:
    """Return a sentence that says what prevents the first event; nothing where it comes."""
    try:
        async with asyncio.timeout(HELLO_SECONDS), stream as events:
            async for _ in events:
                return ""
    except TimeoutError:
        return "a proxy on the way keeps it back."
    except BacklitError as error:
        return error.message
    return "it ends before its first event."


def look_at_clock(skew: timedelta | None, report: HealthReport) -> None:
    """Report how far the server's clock is ahead of this machine's; None if it does not send its time."""
    if skew is None:
        report.say("clock", "The server does not send its time; assuming this machine's clock.", Health.NOTE)
        return
    seconds = round(skew.total_seconds())
    if abs(seconds) <= _CLOCK_TOLERANCE:
        report.say("clock", "In agreement with this machine.")
    else:
        way = "ahead of" if seconds > 0 else "behind"
        report.say(
            "clock",
            f"The server's clock is {counted(abs(seconds), f'second {way}', f'seconds {way}')} this machine's."
            " backlit corrects ages for it.",
            Health.NOTE,
        )
