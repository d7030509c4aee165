"""A browser's login cookie in place of a token, over the real service in this process."""

import json
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.client.foreign import BASE, Foreign, answer

from backlit.client.client import Client
from backlit.client.tokens import LOGIN_COOKIE, LONGEST_SESSION, LoginCookie, TokenCache, cookie_value
from backlit.model.errors import BadRequest, SignInNeeded
from backlit.model.wrap import LOGIN_PATH
from backlit.service.app import Service

INSIDE = "http://backlit.local"


def form_token(page: str) -> str:
    found = re.search(r'name="form_token"[^>]*value="([^"]+)"', page)
    assert found is not None
    return found[1]


@pytest.fixture
async def browser(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who has signed in on the service's page."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(service.asgi), base_url=INSIDE) as browser:
        form = {"form_token": form_token((await browser.get(LOGIN_PATH)).text)}
        answered = await browser.post(LOGIN_PATH, data=form | {"username": "maya", "password": "lantern"})
        assert answered.status_code == 303
        yield browser


@pytest.mark.slow
async def test_the_session_is_used_until_it_ends_and_that_is_said(
    visitor: Client, browser: httpx.AsyncClient, tokens: TokenCache
) -> None:
    await visitor.auth.sign_in_with_cookie(f"Cookie: other=1; {LOGIN_COOKIE}={browser.cookies[LOGIN_COOKIE]}")
    renamed = await visitor.work_items.update(1, {"Name": "By cookie"})
    assert (renamed["fields"]["Name"], (await visitor.users.me())["name"]) == ("By cookie", "maya")

    page = (await browser.get(LOGIN_PATH)).text
    await browser.post("/Authentication/Logout", data={"form_token": form_token(page)})
    with pytest.raises(SignInNeeded, match=r"browser session .* has ended"):
        await visitor.users.me()
    assert (visitor.auth.signed_in, tokens.load()) == (False, None)


@pytest.mark.slow
async def test_cookie_expires_with_its_session(
    visitor: Client, browser: httpx.AsyncClient, service: Service, tokens: TokenCache, tmp_path: Path
) -> None:
    await visitor.auth.sign_in_with_cookie(browser.cookies[LOGIN_COOKIE])
    path = tmp_path / "private" / "tokens.json"
    entries = json.loads(path.read_text())
    entries[INSIDE]["grantedAt"] -= LONGEST_SESSION
    path.write_text(json.dumps(entries))

    async with Client.inside(service.asgi, tokens) as later:
        with pytest.raises(SignInNeeded, match="has ended"):
            await later.users.me()
    assert browser.cookies[LOGIN_COOKIE] not in path.read_text()


async def test_signing_out_forgets_it_and_leaves_the_browser_alone(
    visitor: Client, browser: httpx.AsyncClient, tokens: TokenCache
) -> None:
    await visitor.auth.sign_in_with_cookie(browser.cookies[LOGIN_COOKIE])
    await visitor.auth.sign_out()

    assert tokens.load() is None
    assert (await browser.get("/api/v1/users/me")).status_code == 200


async def test_cookie_is_sent_alone_and_only_to_the_own_origin(tmp_path: Path) -> None:
    foreign = Foreign(answer(200, '{"id": 1}'))
    async with foreign.client(tmp_path) as client:
        await client.auth.sign_in_with_cookie("hidden-value")
        await client.work_items.get(1)
        async with httpx.AsyncClient(transport=foreign) as other:
            await other.get("https://elsewhere.example/", auth=client.auth)

    said = [(each.headers.get("cookie"), each.headers.get("authorization")) for each in foreign.requests]
    assert said == [(f"{LOGIN_COOKIE}=hidden-value", None), (None, None)]
    assert "hidden" not in repr(client.auth) + repr(vars(client.auth))


async def test_a_sign_in_of_another_process_takes_the_place_of_a_session_that_ended(tmp_path: Path) -> None:
    said: list[tuple[bool, bool]] = []

    def reply(request: httpx.Request) -> httpx.Response:
        said.append(("cookie" in request.headers, "authorization" in request.headers))
        return answer(200, '{"id": 1}') if said[-1] == (False, True) else answer(401)

    foreign = Foreign(reply)
    async with foreign.client(tmp_path) as client:
        await client.auth.sign_in_with_cookie("spent")
        foreign.client(tmp_path)  # which writes tokens
        await client.work_items.get(1)

    assert said == [(True, False), (False, True)]


async def test_a_newer_session_of_another_process_takes_the_place_of_one_that_ended(tmp_path: Path) -> None:
    said: list[str] = []

    def reply(request: httpx.Request) -> httpx.Response:
        said.append(request.headers["cookie"].partition("=")[2])
        return answer(200, '{"id": 1}') if said[-1] == "fresh" else answer(401)

    async with Foreign(reply).client(tmp_path) as client:
        await client.auth.sign_in_with_cookie("spent")
        TokenCache(tmp_path / "tokens.json", BASE).save_cookie(LoginCookie("fresh", time.time()))
        await client.work_items.get(1)

        assert client.auth.signed_in
    assert said == ["spent", "fresh"]


@pytest.mark.parametrize("given", ["abc", f"{LOGIN_COOKIE}=abc", f"cookie: a=1; {LOGIN_COOKIE}=abc ; b=2", " abc\n"])
def test_cookie_is_accepted_as_a_browser_shows_it(given: str) -> None:
    assert cookie_value(given) == "abc"


@pytest.mark.parametrize("given", ["", "two words", "JSESSIONID=hidden", "hidden\x1b[0m", f"{LOGIN_COOKIE}=", "hiddén"])
def test_malformed_cookie_is_not_repeated(given: str) -> None:
    with pytest.raises(
        BadRequest, match=rf"The input is not a value of the cookie {re.escape(LOGIN_COOKIE)}\. No request was sent\."
    ):
        cookie_value(given)
