"""The keyring of the system as the place of a sign-in, and the file where there is none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.keyrings import MemoryKeyring, system_keyring

from backlit.client.tokens import LoginCookie, StoredTokens, TokenCache
from backlit.config.sign_in_secrets import SecretPlace
from backlit.model.errors import StorageError
from backlit.model.wrap import TokenGrant

GRANT, NEXT = TokenGrant("hidden-access", "hidden-refresh", 3600), TokenGrant("hidden-2", "hidden-refresh-2", 3600)
SERVER = "https://a.example/"


@pytest.fixture
def backend() -> Iterator[MemoryKeyring]:
    found = MemoryKeyring()
    with system_keyring(found):
        yield found


def cache(folder: Path, place: SecretPlace = SecretPlace.AUTO) -> TokenCache:
    return TokenCache(folder / "tokens.json", SERVER, place=place)


def access_of(found: TokenCache) -> str:
    held = found.load()
    assert isinstance(held, StoredTokens)
    return held.access


def test_the_keyring_has_the_secrets_and_the_file_none(tmp_path: Path, backend: MemoryKeyring) -> None:
    cache(tmp_path).save(GRANT)

    assert "hidden" not in (tmp_path / "tokens.json").read_text()
    assert access_of(cache(tmp_path)) == "hidden-access"
    assert len(backend.secrets) == 1


def test_a_renewal_replaces_the_secret_and_tells_other_processes(tmp_path: Path, backend: MemoryKeyring) -> None:
    found = cache(tmp_path)
    found.save(GRANT)
    before = found.stamp()
    found.save(NEXT)

    assert access_of(cache(tmp_path)) == "hidden-2"
    assert found.stamp() != before
    assert len(backend.secrets) == 1


def test_without_a_keyring_the_file_has_them(tmp_path: Path) -> None:
    with system_keyring(None):
        cache(tmp_path).save(GRANT)

        assert access_of(cache(tmp_path)) == "hidden-access"
    assert not cache(tmp_path).is_in_keyring()


def test_a_keyring_that_is_wanted_and_missing_is_said(tmp_path: Path) -> None:
    with system_keyring(None), pytest.raises(StorageError, match="There is no keyring here"):
        cache(tmp_path, SecretPlace.KEYRING).save(GRANT)


def test_a_renewal_stays_in_the_file_that_the_sign_in_chose(tmp_path: Path, backend: MemoryKeyring) -> None:
    cache(tmp_path, SecretPlace.FILE).save(GRANT)
    cache(tmp_path).save(NEXT)

    assert not backend.secrets
    assert access_of(cache(tmp_path)) == "hidden-2"


@pytest.mark.parametrize("way", ["clear", "end", "file"])
def test_what_is_not_needed_any_more_leaves_the_keyring(tmp_path: Path, backend: MemoryKeyring, way: str) -> None:
    found = cache(tmp_path)
    found.save_cookie(LoginCookie("hidden-cookie", 0))
    if way == "file":
        cache(tmp_path, SecretPlace.FILE).save(GRANT)
    else:
        getattr(found, way)()

    assert not backend.secrets


def test_a_locked_keyring_is_named_and_the_sign_in_is_not_lost(tmp_path: Path, backend: MemoryKeyring) -> None:
    found = cache(tmp_path)
    found.save(GRANT)
    backend.is_locked = True

    assert found.has_sign_in()
    with pytest.raises(StorageError, match=r"The keyring \(test keyring\) refused: the collection is locked"):
        found.load()


def test_an_emptied_keyring_asks_for_a_new_sign_in(tmp_path: Path, backend: MemoryKeyring) -> None:
    found = cache(tmp_path)
    found.save(GRANT)
    backend.secrets.clear()

    with pytest.raises(StorageError, match="has no sign-in for"):
        found.load()
