"""A password of the settings or the environment, which signs in where a sign-in is needed."""

import asyncio
import threading
from pathlib import Path

import pytest
from tests.client.conftest import INSIDE

from backlit.client.client import Client
from backlit.client.network import password_of
from backlit.client.tokens import Credentials, TokenCache, UnstoredTokens
from backlit.model.errors import SignInNeeded
from backlit.model.wrap import TokenGrant
from backlit.service.app import Service


class Counted:
    """Credentials with the number of times that they were asked for."""

    def __init__(self, password: str = "lantern") -> None:
        self.password = password
        self.count = 0

    def __call__(self) -> Credentials:
        self.count += 1
        return "maya", self.password


async def test_the_first_request_signs_in_once_for_all_that_wait(service: Service, tmp_path: Path) -> None:
    asked = Counted()
    cache = TokenCache(tmp_path / "tokens.json", INSIDE, credentials=asked)
    async with Client.inside(service.asgi, cache) as client:
        is_in = client.auth.signed_in
        found = await asyncio.gather(*(client.users.me() for _ in range(3)))

    assert is_in
    assert [each["name"] for each in found] == ["maya"] * 3
    assert asked.count == 1
    assert cache.load() is not None


async def test_a_request_waits_for_a_sign_in_that_is_under_way(service: Service, tmp_path: Path) -> None:
    asked, answered = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def credentials() -> Credentials:
        loop.call_soon_threadsafe(asked.set)
        answered.wait(5)
        return "maya", "lantern"

    async with Client.inside(
        service.asgi, TokenCache(tmp_path / "tokens.json", INSIDE, credentials=credentials)
    ) as client:
        first = asyncio.create_task(client.users.me())
        await asked.wait()
        second = asyncio.create_task(client.users.me())
        await asyncio.sleep(0.1)
        answered.set()

        assert [each["name"] for each in await asyncio.gather(first, second)] == ["maya"] * 2


async def test_a_sign_in_that_the_service_has_ended_is_replaced(service: Service, tmp_path: Path) -> None:
    cache = TokenCache(tmp_path / "tokens.json", INSIDE, credentials=Counted())
    cache.save(TokenGrant("of long ago", "ended", 3600))
    async with Client.inside(service.asgi, cache) as client:
        assert (await client.users.me())["name"] == "maya"

    assert not cache.has_ended()


async def test_a_refused_password_is_not_sent_again(service: Service, tmp_path: Path) -> None:
    asked = Counted("wrong")
    cache = TokenCache(tmp_path / "tokens.json", INSIDE, credentials=asked)
    async with Client.inside(service.asgi, cache) as client:
        for _ in range(3):
            with pytest.raises(SignInNeeded):
                await client.users.me()

        assert not client.auth.signed_in
    assert asked.count == 1


async def test_a_sign_in_of_the_environment_leaves_nothing(service: Service, tmp_path: Path) -> None:
    cache = UnstoredTokens(tmp_path / "tokens.json", INSIDE, credentials=Counted())
    async with Client.inside(service.asgi, cache) as client:
        assert (await client.users.me())["name"] == "maya"
        await client.auth.sign_out()

        assert not client.auth.signed_in
    assert not (tmp_path / "tokens.json").exists()


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["printf", ""], "printed no password"),
        (["false"], "ended with 1, and gave no password"),
        (["/nowhere/pass"], "did not start"),
    ],
)
def test_a_command_without_a_password_is_named(command: list[str], sentence: str) -> None:
    with pytest.raises(SignInNeeded, match=sentence):
        password_of(command)


def test_the_first_line_of_a_command_is_the_password() -> None:
    assert password_of(["printf", r"two words\nuser: maya\n"]) == "two words"
