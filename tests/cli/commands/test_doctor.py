"""`backlit doctor`: one sentence for everything that is looked at, and 1 when something is broken."""

import asyncio
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.cli.home import Home, Server
from tests.store.documents import no_service
from tests.store.foreign_server import ForeignServer, Quirks, on_socket
from tests.store.world import Said, World, make_sample

from backlit.cli.commands.doctor import Health, HealthReport, look_at_changes, look_at_clock, look_at_file
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.config.settings import Profiles, demo_profile, find_locations, remote_profile
from backlit.service.sample.workspace import PASSWORD
from backlit.store import ProfileFiles, Store
from backlit.store.files.files import FileReport
from backlit.store.views.preferences import START_PROBLEMS


@pytest.mark.slow
def test_a_healthy_workspace_is_called_healthy(home: Home) -> None:
    home.run("--profile", "demo-30-1", "items", "list", "--json")

    done = home.run("--profile", "demo-30-1", "doctor")

    assert (done.returncode, done.stderr) == (0, "")
    assert "maya is signed in" in done.stdout
    assert "Filtering: yes, dates as datetime'2026-03-01T14:30:00'." in done.stdout
    assert "Conflict detection (ETag): yes." in done.stdout
    assert "0 unsent changes" in done.stdout
    assert "✗" not in done.stdout


@pytest.mark.slow
def test_doctor_writes_its_findings_as_json(home: Home) -> None:
    done = home.run("--profile", "demo-30-1", "doctor", "--json")

    document = json.loads(done.stdout)
    assert document["profile"] == "demo-30-1"
    assert document["isBroken"] is False
    assert document["traits"]["filtering"] == "works"
    assert {each["about"] for each in document["findings"]} >= {"profile", "mirror", "journal", "sign-in", "clock"}


@pytest.mark.slow
def test_every_fault_of_settings_and_views_is_said_with_its_line(home: Home) -> None:
    config = find_locations(home.environment).config
    config.mkdir(parents=True)
    (config / "config.toml").write_text('colour = "red"\n')
    (config / "views.toml").write_text('[[view]]\nname = "A"\ngroup = "statsu"\ndone = 1\n')

    done = home.run("--profile", "demo-30-1", "doctor")

    assert done.returncode == 1
    assert re.findall(r"✗ (\w+) .*line (\d)", done.stdout) == [("settings", "1"), ("views", "3"), ("views", "4")]


@pytest.mark.slow
def test_a_damaged_journal_is_broken_and_left_as_it_is(home: Home) -> None:
    journal = find_locations(home.environment).journal(demo_profile(30))
    journal.parent.mkdir(parents=True)
    journal.write_bytes(b"no database" * 100)

    done = home.run("--profile", "demo-30-1", "doctor")

    assert done.returncode == 1
    assert "✗ journal" in done.stdout
    assert journal.read_bytes() == b"no database" * 100


@pytest.mark.slow
def test_doctor_reports_no_sign_in_and_an_unreachable_service(home: Home, server: Server) -> None:
    locations = find_locations(home.environment)
    address = server.address
    Profiles(locations).remember(remote_profile(address, "maya"))
    signed_out = home.run("doctor")
    Profiles(locations).remember(remote_profile("http://127.0.0.1:9", "maya"))
    TokenCache(locations.tokens(remote_profile("http://127.0.0.1:9", "maya")), "http://127.0.0.1:9")
    unreachable = home.run("doctor")

    assert (signed_out.returncode, unreachable.returncode) == (1, 1)
    assert f"✗ sign-in     Not signed in. Use: backlit login {address} --user maya\n" in signed_out.stdout
    assert "127.0.0.1:9" in unreachable.stdout.partition("✗ ")[2]
    assert "· mirror      No file yet" in unreachable.stdout


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
    assert "✓ clock       In agreement with this machine." in done.stdout


@pytest.mark.parametrize(
    ("about", "found", "health", "words"),
    [
        ("mirror", (0, 0, 7, None), Health.NOTE, "No file yet (F)."),
        ("mirror", (2048, 7, 7, 1), Health.OK, "1 item, 2.00 KB, version 7 (F)."),
        ("journal", (999, 7, 7, 1200), Health.OK, "1,200 unsent changes, 999.00 B, version 7 (F)."),
        ("journal", (9, 6, 7, 0), Health.OK, "version 7 (F). It has version 6 and is upgraded at the next start."),
        ("journal", (9, 8, 7, 0), Health.BROKEN, "A newer backlit wrote this file (F)."),
        ("mirror", (9, 8, 7, 0), Health.OK, "It has version 8 and is upgraded at the next start."),
        ("mirror", (9, 7, 7, None, "Torn."), Health.BROKEN, "Torn. Remove it: the next start creates it again. (F)"),
        ("journal", (9, 7, 7, None, "Torn."), Health.BROKEN, "Torn. Restore it from a copy. (F)"),
    ],
)
def test_the_state_of_a_file_is_told_with_the_way_out(
    about: str, found: tuple[Any, ...], health: Health, words: str
) -> None:
    report, noun = HealthReport("x"), {"mirror": "item", "journal": "unsent change"}[about]

    look_at_file(about, FileReport(Path("F"), *found), noun, report)

    assert [(each.about, each.health) for each in report.findings] == [(about, health)]
    assert report.findings[0].sentence.endswith(words)
    assert report.is_broken is (health is Health.BROKEN)


@pytest.mark.parametrize(
    ("seconds", "health", "words"),
    [
        (None, Health.NOTE, "does not send its time"),
        *((seconds, Health.OK, "In agreement") for seconds in (0, 5, -5)),
        (6, Health.NOTE, "clock is 6 seconds ahead of this machine's"),
        (-3600, Health.NOTE, "clock is 3,600 seconds behind this machine's"),
    ],
)
def test_a_clock_that_differs_by_more_than_five_seconds_is_noted(
    seconds: int | None, health: Health, words: str
) -> None:
    report = HealthReport("x")

    look_at_clock(None if seconds is None else timedelta(seconds=seconds), report)

    assert [each.health for each in report.findings] == [health]
    assert words in report.findings[0].sentence


STREAM, LONG_POLL = "/api/v1/changes/stream", "/api/v1/changes"


@pytest.mark.parametrize(
    ("refused", "health", "words"),
    [
        ((), Health.OK, "come as they are made."),
        ((STREAM,), Health.NOTE, "does not get through: The server did not find it. They come by requests that wait"),
        ((STREAM, LONG_POLL), Health.NOTE, "backlit asks every 20 seconds."),
    ],
)
@pytest.mark.long_but("refused1")
@pytest.mark.slow
async def test_the_way_of_the_changes_is_told(
    tmp_path: Path, refused: tuple[str, ...], health: Health, words: str
) -> None:
    world, report = World(make_sample(tmp_path, items=1)), HealthReport("x")
    await world.start()
    world.faults.says = lambda _method, path: Said(404, body=NOT_FOUND) if path in refused else None
    async with Client.inside(world.faults, TokenCache(tmp_path / "tokens.json", "x")) as client:
        await client.auth.sign_in("maya", PASSWORD)

        await look_at_changes(client, await client.capabilities(), report)

    await world.stop()
    assert [(each.about, each.health) for each in report.findings] == [("changes", health)]
    assert words in report.findings[0].sentence


NOT_FOUND = b'{"message": "The server did not find it."}'


async def test_a_service_without_items_is_not_tested_further(home: Home) -> None:
    locations = find_locations(home.environment)
    async with on_socket(ForeignServer(Quirks(), items=0)) as address:
        profile = remote_profile(address, "pat")
        Profiles(locations).remember(profile)
        async with Client.at(address, TokenCache(locations.tokens(profile), address)) as client:
            await client.auth.sign_in("pat", "secret")
        done = await asyncio.to_thread(home.run, "doctor", "--json")

    findings = [(each["about"], each["health"], each["sentence"]) for each in json.loads(done.stdout)["findings"]]
    assert done.returncode == 0
    assert ("lists", "note", "Not tested: the project has no items.") in findings
    assert ("sign-in", "ok", "pat is signed in and can read 0 items.") in findings
    assert not [each for each in findings if each[0] == "missing"]


@pytest.mark.slow
def test_doctor_names_what_the_last_start_found_wrong(home: Home) -> None:
    locations, profile = find_locations(home.environment), demo_profile(30)
    store = Store(ProfileFiles(locations.mirror(profile), locations.journal(profile)), no_service)
    store.open()
    store.kept.keep(START_PROBLEMS, ["The theme “x” is unknown."])
    store.close()

    done = home.run("--profile", "demo-30-1", "doctor")

    assert re.search("^· last start +The theme “x” is unknown.$", done.stdout, re.MULTILINE)
