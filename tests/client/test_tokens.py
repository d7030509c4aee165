"""The token cache: private, whole or not at all, and one process at a time."""

import asyncio
import json
import os
import stat
import sys
import time
from pathlib import Path

import pytest
from rich.pretty import pretty_repr

from backlit.client.tokens import LONGEST_SESSION, LoginCookie, StoredTokens, TokenCache
from backlit.model.errors import StorageError
from backlit.model.wrap import TokenGrant

GRANT = TokenGrant("hidden-access", "hidden-refresh", 3600)


@pytest.fixture
def cache(tmp_path: Path) -> TokenCache:
    return TokenCache(tmp_path / "state" / "tokens.json", "https://a.example/")


def test_tokens_come_back_as_they_were_granted(cache: TokenCache) -> None:
    cache.save(GRANT)

    found = cache.load()
    assert isinstance(found, StoredTokens)
    assert (found.access, found.refresh, found.lifetime) == ("hidden-access", "hidden-refresh", 3600)
    assert 3590 < found.remaining() <= 3600


def test_only_the_owner_can_read_the_file(cache: TokenCache, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        cache.save(GRANT)
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "state" / "tokens.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_secrets_are_in_no_repr(cache: TokenCache) -> None:
    kept = cache.save(GRANT)

    assert "hidden" not in repr(kept) + repr(cache) + repr(GRANT)


def test_secrets_are_in_no_traceback_with_values(cache: TokenCache) -> None:
    cache.save(GRANT)

    shown = [pretty_repr(each) for each in (cache.load(), GRANT, LoginCookie("hidden-cookie", 0))]

    assert all("lifetime=" in each or "expires_in=" in each for each in shown)
    assert "hidden" not in "".join(shown)


def test_profiles_in_one_file_do_not_touch_each_other(cache: TokenCache, tmp_path: Path) -> None:
    other = TokenCache(tmp_path / "state" / "tokens.json", "https://b.example/")
    cache.save(GRANT)
    other.save(GRANT)
    assert cache.load() is not None
    cache.clear()

    assert cache.load() is None
    assert other.load() is not None


def test_each_profile_approves_its_own_addresses(tmp_path: Path) -> None:
    one, other = (TokenCache(tmp_path / "tokens.json", key) for key in ("https://a.example/", "https://b.example/"))
    for origin in ("https://login.example", "https://id.example"):
        one.approve(origin)
    other.approve("https://b-login.example")
    one.save(GRANT)
    other.clear()

    assert one.approved() == {"https://login.example", "https://id.example"}
    assert other.approved() == {"https://b-login.example"}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "it is empty"),
        (b"{", "line 1, column 2 cannot be read as JSON"),
        (b"[]", "it is no table of sign-ins"),
        (b"null", "it is no table of sign-ins"),
        (b"\x00\xff", "it is not text in UTF-8"),
        (b'{"https://a.example/": 4}', "the entry of https://a.example/ is no sign-in"),
        (b'{"https://a.example/": {"access": 1}}', "the entry of https://a.example/ is no sign-in"),
    ],
)
def test_a_file_that_is_not_ours_is_said_and_replaced_by_the_next_sign_in(
    cache: TokenCache, tmp_path: Path, content: bytes, fault: str
) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "tokens.json").write_bytes(content)

    with pytest.raises(StorageError) as raised:
        cache.load()
    path = tmp_path / "state" / "tokens.json"
    assert str(raised.value) == f"Could not read the sign-in file: {fault} ({path}). Sign in again to replace it."
    cache.save(GRANT)
    assert cache.load() is not None


def test_a_sign_out_repairs_a_file_that_is_not_ours(cache: TokenCache, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "tokens.json").write_text("{")

    cache.clear()

    assert cache.load() is None


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    cache: TokenCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.save(GRANT)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StorageError, match="No space left"):
        cache.save(TokenGrant("new", "new", 3600))

    found = cache.load()
    assert isinstance(found, StoredTokens)
    assert found.access == "hidden-access"
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["tokens.json"]


@pytest.mark.parametrize("is_cookie", [False, True])
def test_a_clock_that_was_set_back_does_not_lengthen_a_life(cache: TokenCache, tmp_path: Path, is_cookie: bool) -> None:
    if is_cookie:
        cache.save_cookie(LoginCookie("c", time.time()))
    else:
        cache.save(GRANT)
    path = tmp_path / "state" / "tokens.json"
    entries = json.loads(path.read_text())
    entries["https://a.example/"]["grantedAt"] += 1_000_000
    path.write_text(json.dumps(entries))

    found = cache.load()
    assert found is not None
    assert found.remaining() == (LONGEST_SESSION if is_cookie else 3600)


async def test_the_lock_of_another_process_is_waited_for(cache: TokenCache, tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from backlit.client.tokens import TokenCache\n"
        "with TokenCache(pathlib.Path(sys.argv[1]), 'x').lock(): print('held', flush=True); sys.stdin.readline()"
    )
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, str(tmp_path / "state" / "tokens.json"), stdin=-1, stdout=-1
    )
    assert other.stdout is not None
    await other.stdout.readline()

    async def locked() -> None:
        async with cache.locked():
            return

    waiting = asyncio.create_task(locked())
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await other.communicate(b"\n")
    await asyncio.wait_for(waiting, 60)


async def test_a_lock_that_never_comes_free_is_said(tmp_path: Path) -> None:
    cache = TokenCache(tmp_path / "tokens.json", "x", patience=0.02)
    with cache.lock(), pytest.raises(StorageError, match="keeps the sign-in file locked"):
        async with cache.locked():
            pass


WHOLE: dict[str, object] = {"access": "a", "refresh": "r", "lifetime": 3600, "grantedAt": 1.0}


@pytest.mark.parametrize(
    ("entry", "is_known"),
    [
        (WHOLE, True),
        *(({**WHOLE, key: None}, False) for key in WHOLE),
        *(({**WHOLE, key: []}, False) for key in WHOLE),
        *(({key: WHOLE[key] for key in WHOLE if key != left_out}, False) for left_out in WHOLE),
        ({"cookie": "c", "grantedAt": 1.0}, True),
        ({"cookie": "c"}, False),
        ({"cookie": 7, "grantedAt": 1.0}, False),
        ("odd", False),
    ],
)
def test_an_incomplete_sign_in_is_said(tmp_path: Path, entry: object, *, is_known: bool) -> None:
    (tmp_path / "tokens.json").write_text(json.dumps({"https://a.example/": entry}))
    cache = TokenCache(tmp_path / "tokens.json", "https://a.example/")

    if is_known:
        assert cache.load() is not None
        return
    with pytest.raises(StorageError, match=r"the entry of https://a\.example/ is no sign-in"):
        cache.load()
