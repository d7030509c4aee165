"""A listing of a fresh copy: the same as through the store, and without what the store loads."""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest
from tests.cli.home import DEMO, Home, Server

FORMATS = (
    (),
    ("--limit", "7", "--table"),
    ("--limit", "0", "--csv", "--columns", "id,type,status,est,owner,name,tags,priority,class,severity,blocking,left"),
    ("--limit", "30", "--json=ID,owner,est,spent,name"),
)
QUERIES = (
    ("--query", "status:open @me est>2"),
    ("--query", "iter:current or area:Checkout -#security", "--limit", "5"),
    ("--query", "text:checkout changed:<4000d"),
    ("--query", "lint:any type:story"),
    ("--query", "blocks:any or has:criteria"),
    ("--query", "est:none", "--sort", "name desc", "--count"),
    ("--query", "owner:nobody-of-this-name"),
    ("--query", "(est>2"),
    ("--mine", "--done", "no"),
    ("--sort", "owner,est desc"),
    ("--sort", "nothing"),
)
THROUGH_THE_STORE = ("--filter", "id ne 0")
"""An option that changes no list, and that the reading of a fresh copy leaves to the store."""
LISTING_UNNEEDED = frozenset({"asyncio", "msgspec", "typing", "pathlib", "shutil", "orjson", "backlit.store.store"})
QUERY_UNNEEDED = LISTING_UNNEEDED - {"msgspec", "typing"} | {"csv", "zoneinfo", "backlit.store.files.files"}


def listed(home: Home, *words: str) -> tuple[int, str, str]:
    done = home.run(*DEMO, "items", "list", "--offline", *words)
    return done.returncode, done.stdout, done.stderr


def is_fresh(
    home: Home, *words: str, profile: tuple[str, ...] = DEMO, unneeded: AbstractSet[str] = LISTING_UNNEEDED
) -> bool:
    """Return whether a listing in a process of its own goes without the store."""
    script = "import sys, backlit.__main__ as main\nmain.run(sys.argv[1:])\nprint(sorted(sys.modules), file=sys.stderr)"
    command = [sys.executable, "-c", script, *profile, "items", "list", *words]
    done = subprocess.run(command, check=False, env=home.environment, capture_output=True, text=True)
    assert done.stdout
    return not unneeded & set(done.stderr.strip("[]\n").replace("'", "").split(", "))


@pytest.mark.slow
def test_a_fresh_copy_is_listed_without_the_store(demo_home: Home) -> None:
    demo_home.date_copies(age=1.0)

    assert is_fresh(demo_home, "--limit", "10")
    assert is_fresh(
        demo_home, "--query", "status:open (est>2 or text:basket)", "--limit", "10", unneeded=QUERY_UNNEEDED
    )


@pytest.mark.slow
def test_a_query_lists_a_fresh_copy_as_through_the_store(demo_home: Home) -> None:
    demo_home.date_copies(age=1.0)

    for words in QUERIES:
        assert listed(demo_home, *words) == listed(demo_home, *words, *THROUGH_THE_STORE), words


@pytest.mark.slow
@pytest.mark.parametrize("words", FORMATS, ids=" ".join)
def test_a_fresh_copy_is_listed_as_through_the_store(demo_home: Home, words: tuple[str, ...]) -> None:
    demo_home.date_copies(age=1.0)

    assert listed(demo_home, *words) == listed(demo_home, *words, *THROUGH_THE_STORE)


@pytest.mark.slow
def test_a_fresh_copy_is_listed_with_the_settings(demo_home: Home) -> None:
    demo_home.date_copies(age=1.0)
    config = demo_home.path / "config" / "config.toml"
    config.parent.mkdir()

    for text in (
        'theme = "paper"\n',
        "project = 1\n",
        "project = 99\n",
        '[statuses]\n"in progress" = ["Odd"]\n',
        "x = 1\n",
    ):
        config.write_text(text)
        assert listed(demo_home, *THROUGH_THE_STORE) == listed(demo_home), text

    config.write_text('theme = "paper"\n')
    listed(demo_home, *THROUGH_THE_STORE)
    assert is_fresh(demo_home, "--limit", "10")


@pytest.mark.slow
def test_a_copy_with_unsent_changes_is_listed_with_them(demo_home: Home) -> None:
    demo_home.date_copies(age=1.0)
    chosen = random.Random(20260311)
    changes = [
        ("items", "set", "19", "est=8", "owner=none"),
        ("items", "new", "A new one", "--top"),
        ("items", "delete", "2", "--for-good", "--yes"),
        ("items", "rank", "30", "--bottom"),
        ("comments", "add", "19", "A word"),
        ("undo",),
    ]
    chosen.shuffle(changes)
    (mirror,) = demo_home.path.glob("cache/*/mirror.db")
    for change in changes:
        before = mirror.parent / "before"
        shutil.copytree(mirror.parent, before)
        assert demo_home.run(*DEMO, *change, "--offline").returncode == 0, change
        assert listed(demo_home) == listed(demo_home, *THROUGH_THE_STORE), change

        crashed = Home(Path(f"{demo_home.path}-{len(changes)}"))
        shutil.copytree(demo_home.path, crashed.path)
        for file in before.iterdir():  # the change is in the journal and not laid over the mirror yet
            shutil.copy(file, crashed.path / mirror.parent.relative_to(demo_home.path))
        assert listed(crashed) == listed(crashed, *THROUGH_THE_STORE), change
        shutil.rmtree(crashed.path)
        shutil.rmtree(before)


@pytest.mark.slow
def test_a_copy_of_a_server_is_listed_while_its_sign_in_lasts(home: Home, server: Server) -> None:
    home.run("login", server.address, "--user", "maya", given="lantern\n")
    home.run("items", "list", "--limit", "1")
    fresh = is_fresh(home, "--limit", "3", profile=())
    listed = home.run("items", "list", "--limit", "3")
    (tokens,) = home.path.glob("state/*/tokens.json")
    tokens.write_text(json.dumps({key: {"endedAt": 1.0} for key in json.loads(tokens.read_bytes())}))

    locked = home.run("items", "list", "--limit", "3", "--offline")

    assert fresh
    assert len(listed.stdout.splitlines()) == 3
    assert (locked.returncode, locked.stdout) == (3, "")
