"""`backlit doctor`: one sentence for everything that is looked at, and 1 when something is broken."""

import asyncio
import json

from tests.cli.conftest import Home, Server
from tests.store.foreign_server import ForeignServer, Quirks, on_socket

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.config.settings import Profiles, demo_profile, find_locations, remote_profile


def test_a_healthy_workspace_is_called_healthy(home: Home) -> None:
    home.run("--profile", "demo-30-1", "items", "list", "--json")

    done = home.run("--profile", "demo-30-1", "doctor")

    assert (done.returncode, done.stderr) == (0, "")
    assert "maya is signed in" in done.stdout
    assert "Filtering: yes, dates as datetime'2026-03-01T14:30:00'." in done.stdout
    assert "Conflict detection (ETag): yes." in done.stdout
    assert "0 unsent changes" in done.stdout
    assert "✗" not in done.stdout


def test_doctor_writes_its_findings_as_json(home: Home) -> None:
    done = home.run("--profile", "demo-30-1", "doctor", "--json")

    document = json.loads(done.stdout)
    assert document["profile"] == "demo-30-1"
    assert document["isBroken"] is False
    assert document["traits"]["filtering"] == "works"
    assert {each["about"] for each in document["findings"]} >= {"profile", "mirror", "journal", "sign-in", "clock"}


def test_a_damaged_journal_is_broken_and_left_as_it_is(home: Home) -> None:
    journal = find_locations(home.environment).journal(demo_profile(30))
    journal.parent.mkdir(parents=True)
    journal.write_bytes(b"no database" * 100)

    done = home.run("--profile", "demo-30-1", "doctor")

    assert done.returncode == 1
    assert "✗ journal" in done.stdout
    assert journal.read_bytes() == b"no database" * 100


def test_doctor_reports_no_sign_in_and_an_unreachable_service(home: Home, server: Server) -> None:
    locations = find_locations(home.environment)
    address = server.address
    Profiles(locations).remember(remote_profile(address, "maya"))
    signed_out = home.run("doctor")
    Profiles(locations).remember(remote_profile("http://127.0.0.1:9", "maya"))
    TokenCache(locations.tokens(remote_profile("http://127.0.0.1:9", "maya")), "http://127.0.0.1:9")
    unreachable = home.run("doctor")

    assert (signed_out.returncode, unreachable.returncode) == (1, 1)
    assert f"Not signed in. Use: backlit login {address}" in signed_out.stdout


async def test_doctor_lists_missing_capabilities_with_their_substitutes(home: Home) -> None:
    server = ForeignServer(Quirks(filtering="ignored", cap=50))
    locations = find_locations(home.environment)
    async with on_socket(server) as address:
        profile = remote_profile(address, "pat")
        Profiles(locations).remember(profile)
        async with Client.at(address, TokenCache(locations.tokens(profile), address)) as client:
            await client.auth.sign_in("pat", "secret")
        done = await asyncio.to_thread(home.run, "doctor")

    assert done.returncode == 0
    assert "pat is signed in and can read 120 items." in done.stdout
    assert "no version information" in done.stdout
    assert "Filtering: no, the server ignores $filter. All items are read page by page" in done.stdout
    assert "Page size: 50." in done.stdout
    assert "No encryption. Local connection: no data leaves this machine." in done.stdout
