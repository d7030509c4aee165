"""Signing in, staying signed in, and to whom a secret is never sent."""

import asyncio
import json
import logging
from pathlib import Path
from urllib.parse import parse_qs

import httpx
import pytest
from tests.client.foreign import BASE, CHALLENGE, Foreign, answer

from backlit.client.client import Client, root_of
from backlit.client.tokens import TokenCache
from backlit.model.errors import (
    BadRequest,
    Offline,
    OtherOrigin,
    ServiceError,
    SignInNeeded,
    TooManyRequests,
    Unauthorized,
    Unavailable,
)
from backlit.model.wrap import TokenGrant

ITEM = '{"id": 1}'


def challenge(header: str = CHALLENGE) -> httpx.Response:
    return answer(401, WWW_Authenticate=header)


def grant(access: str = "new", refresh: str = "refresh-2", seconds: int = 3600) -> httpx.Response:
    body = f"wrap_access_token={access}&wrap_refresh_token={refresh}&wrap_access_token_expires_in={seconds}"
    return answer(200, body, content_type="application/x-www-form-urlencoded; charset=utf-8")


async def test_a_password_is_sent_as_spec_has_it_and_the_token_travels_encoded_once(tmp_path: Path) -> None:
    foreign = Foreign(challenge(), grant("name%3Dmaya%26HMACSHA256%3Dab%252B"), answer(200, ITEM))
    async with foreign.client(tmp_path, signed_in=False) as client:
        await client.auth.sign_in("maya", "p&ss wörd+")
        await client.work_items.get(1)

    form = foreign.requests[1]
    assert str(form.url) == f"{BASE}/Authenticate/WRAPv0.9"
    assert form.headers["content-type"] == "application/x-www-form-urlencoded"
    assert form.content.startswith(b"wrap_client_id=uri%3Atracker&wrap_username=maya&wrap_password=p%26ss%20w")
    assert parse_qs(form.content.decode())["wrap_password"] == ["p&ss wörd+"]
    assert foreign.requests[2].headers["authorization"] == "WRAP access_token=name%3Dmaya%26HMACSHA256%3Dab%252B"


async def test_a_verification_code_is_sent_without_the_blanks_around_it(tmp_path: Path) -> None:
    foreign = Foreign(challenge(), grant())
    async with foreign.client(tmp_path, signed_in=False) as client:
        await client.auth.sign_in_with_code(" a b+\n")

    assert parse_qs(foreign.requests[1].content.decode())["wrap_verification_code"] == ["a b+"]


@pytest.mark.parametrize(("status", "error"), [(429, TooManyRequests), (503, Unavailable), (500, ServiceError)])
async def test_a_service_that_cannot_say_how_to_sign_in_is_no_wrong_address(
    tmp_path: Path, status: int, error: type[Exception]
) -> None:
    async with Foreign(answer(status)).client(tmp_path, signed_in=False) as client:
        with pytest.raises(error) as caught:
            await client.auth.sign_in("maya", "secret")

    assert "address" not in str(caught.value)


async def test_without_tokens_nothing_is_sent(tmp_path: Path) -> None:
    foreign = Foreign(answer(200, ITEM))
    async with foreign.client(tmp_path, signed_in=False) as client:
        with pytest.raises(SignInNeeded):
            await client.work_items.get(1)

    assert foreign.requests == []
    assert not client.auth.signed_in


@pytest.mark.parametrize(
    "location",
    [
        "https://evil.example/Authenticate/WRAPv0.9",
        "http://tracker.example/Authenticate/WRAPv0.9",
        "https://tracker.example:444/Authenticate/WRAPv0.9",
        "https://tracker.example@evil.example/",
        "//evil.example/x",
        "https://tracker.example.evil.example/",
    ],
)
async def test_a_secret_is_never_sent_to_another_origin(tmp_path: Path, location: str) -> None:
    foreign = Foreign(challenge(f'WRAP location="{location}", client_id=uri:x'), grant())
    async with foreign.client(tmp_path, signed_in=False) as client:
        with pytest.raises(
            OtherOrigin, match=r"The server at https://tracker\.example wants .* No credentials were sent"
        ):
            await client.auth.sign_in("maya", "secret")

    assert len(foreign.requests) == 1


async def test_an_origin_is_approved_once_and_kept_over_signing_out(tmp_path: Path) -> None:
    elsewhere = challenge('WRAP location="https://login.example/t", client_id=uri:x')
    foreign = Foreign(elsewhere, elsewhere, grant(), answer(200), elsewhere, grant())
    async with foreign.client(tmp_path, signed_in=False) as client:
        with pytest.raises(OtherOrigin, match=r"to https://login\.example, which is another address") as caught:
            await client.auth.sign_in("maya", "secret")
        await client.auth.sign_in("maya", "secret", caught.value.other)
        await client.auth.sign_out()
        await client.auth.sign_in("maya", "secret")

        assert client.auth.signed_in
    told = [str(each.url) for each in foreign.requests if b"wrap_password" in each.content]
    assert told == ["https://login.example/t"] * 2


def test_a_long_address_is_cut_in_the_question() -> None:
    error = OtherOrigin("https://a.example", f"https://{'x' * 200}")

    assert (error.message.count("x"), error.other) == (91 + error.message.count("ex"), f"https://{'x' * 200}")


async def test_approval_counts_for_one_profile_only(tmp_path: Path) -> None:
    TokenCache(tmp_path / "tokens.json", "https://other.example").approve("https://login.example")
    foreign = Foreign(challenge('WRAP location="https://login.example/t", client_id=uri:x'))
    async with foreign.client(tmp_path, signed_in=False) as client:
        with pytest.raises(OtherOrigin):
            await client.auth.sign_in("maya", "secret")


async def test_a_refresh_token_is_not_sent_elsewhere_either_and_the_sign_in_stays(tmp_path: Path) -> None:
    foreign = Foreign(challenge('WRAP location="http://tracker.example/t", client_id=uri:x'))
    async with foreign.client(tmp_path) as client:
        with pytest.raises(SignInNeeded, match=r"to http://tracker\.example without encryption"):
            await client.work_items.get(1)

    assert len(foreign.requests) == 1
    assert TokenCache(tmp_path / "tokens.json", BASE).load() is not None


@pytest.mark.parametrize(
    "header",
    [
        'Negotiate, WRAP location="https://tracker.example/t", client_id="uri:x"',
        'WRAP location="/t", client_id=uri:x, Basic realm="a, b"',
        'WRAP location="https://tracker.example:443/t", client_id=uri:x',
    ],
)
async def test_challenges_in_other_spellings_are_understood(tmp_path: Path, header: str) -> None:
    foreign = Foreign(challenge(header), grant())
    async with foreign.client(tmp_path, signed_in=False) as client:
        await client.auth.sign_in("maya", "secret")

    assert foreign.requests[1].url.path == "/t"
    assert client.auth.signed_in


@pytest.mark.parametrize("reply", [answer(200, "<html>"), answer(404), answer(401), challenge('Basic realm="x"')])
async def test_an_address_that_is_no_such_service_is_said_to_be_none(tmp_path: Path, reply: httpx.Response) -> None:
    async with Foreign(reply).client(tmp_path, signed_in=False) as client:
        with pytest.raises(ServiceError, match="does not respond like a backlit server"):
            await client.auth.sign_in("maya", "secret")


@pytest.mark.parametrize("status", [400, 401, 403])
async def test_credentials_that_are_refused_are_not_right(tmp_path: Path, status: int) -> None:
    async with Foreign(challenge(), answer(status)).client(tmp_path, signed_in=False) as client:
        with pytest.raises(Unauthorized, match="Wrong user name"):
            await client.auth.sign_in("maya", "wrong")

    assert not client.auth.signed_in


async def test_too_many_attempts_are_said_with_how_long_to_wait(tmp_path: Path) -> None:
    foreign = Foreign(challenge(), answer(429, '{"message": "Wait."}', retry_after="30"))
    async with foreign.client(tmp_path, signed_in=False) as client:
        with pytest.raises(TooManyRequests) as caught:
            await client.auth.sign_in("maya", "wrong")

    assert caught.value.retry_after == 30


@pytest.mark.parametrize("body", ["", "ok", '{"wrap_access_token": "x"}', "wrap_access_token=a&wrap_refresh_token=b"])
async def test_a_grant_that_is_none_makes_no_sense(tmp_path: Path, body: str) -> None:
    async with Foreign(challenge(), answer(200, body)).client(tmp_path, signed_in=False) as client:
        with pytest.raises(ServiceError):
            await client.auth.sign_in("maya", "secret")


async def test_a_dead_service_cannot_be_signed_in_to(tmp_path: Path) -> None:
    async with Foreign(httpx.ConnectError("refused")).client(tmp_path, signed_in=False) as client:
        with pytest.raises(Offline):
            await client.auth.sign_in("maya", "secret")


async def test_a_refresh_that_does_not_get_through_keeps_the_sign_in(tmp_path: Path) -> None:
    foreign = Foreign(challenge(), httpx.ReadTimeout("silent"))
    async with foreign.client(tmp_path) as client:
        with pytest.raises(Offline):
            await client.work_items.get(1)

    assert client.auth.signed_in
    assert TokenCache(tmp_path / "tokens.json", BASE).load() is not None


async def test_a_refresh_token_that_is_refused_ends_the_sign_in(tmp_path: Path) -> None:
    foreign = Foreign(challenge(), answer(401))
    async with foreign.client(tmp_path) as client:
        with pytest.raises(SignInNeeded, match="has ended"):
            await client.work_items.get(1)

    assert not client.auth.signed_in
    assert TokenCache(tmp_path / "tokens.json", BASE).load() is None


async def test_a_waiter_that_is_cancelled_does_not_take_the_refresh_with_it(tmp_path: Path) -> None:
    gate = asyncio.Event()

    class Slow(Foreign):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if b"wrap_refresh_token" in request.content:
                await gate.wait()
                return grant()
            fresh = request.headers["authorization"].endswith("=new")
            return answer(200, ITEM) if fresh else challenge()

    async with Slow(challenge()).client(tmp_path) as client:
        first = asyncio.create_task(client.work_items.get(1))
        second = asyncio.create_task(client.work_items.get(1))
        await asyncio.sleep(0.05)
        first.cancel()
        gate.set()

        assert await second == {"id": 1}
        assert first.cancelled()


@pytest.mark.parametrize(
    ("lifetime", "left", "is_renewed"), [(3600, 70, False), (3600, 50, True), (60, 40, False), (60, 20, True)]
)
async def test_a_token_near_its_end_is_replaced_before_it_is_used(
    tmp_path: Path, lifetime: int, left: int, *, is_renewed: bool
) -> None:
    foreign = Foreign(answer(200, ITEM))
    client = foreign.client(tmp_path)
    path = tmp_path / "tokens.json"
    entries = json.loads(path.read_text())
    entries[BASE] |= {"lifetime": lifetime, "grantedAt": entries[BASE]["grantedAt"] - lifetime + left}
    path.write_text(json.dumps(entries))
    if is_renewed:
        foreign.replies[:] = [challenge(), grant(), answer(200, ITEM)]
    async with client:
        await client.work_items.get(1)

    authorizations = [request.headers.get("authorization") for request in foreign.requests]
    assert (authorizations == [None, None, "WRAP access_token=new"]) is is_renewed
    assert len(authorizations) == (3 if is_renewed else 1)


async def test_no_secret_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    foreign = Foreign(challenge(), grant("hidden-a", "hidden-r"), answer(200, ITEM))
    async with foreign.client(tmp_path, signed_in=False) as client:
        await client.auth.sign_in("maya", "hidden-p")
        await client.work_items.get(1)

    assert "hidden" not in caplog.text + repr(client.auth) + repr(vars(client.auth))


@pytest.mark.parametrize(
    "address",
    [
        "",
        "our tracker",
        "ftp://tracker.example",
        "https://",
        "https://maya:secret@tracker.example",
        "https://a.example/?x=1",
        "https://a.example/#x",
    ],
)
def test_client_rejects_malformed_addresses(address: str) -> None:
    with pytest.raises(BadRequest):
        root_of(address)


@pytest.mark.parametrize(
    ("address", "root"),
    [
        ("https://a.example", "https://a.example/"),
        ("team.example.com", "https://team.example.com/"),
        (" https://a.example/api/v1/ ", "https://a.example/"),
        ("http://127.0.0.1:8484/work", "http://127.0.0.1:8484/work/"),
        ("https://a.example/work/api/v1", "https://a.example/work/"),
        ("https://a.example/api", "https://a.example/"),
        ("https://a.example/apiary", "https://a.example/apiary/"),
        ("localhost:8484", "http://localhost:8484/"),
        ("[::1]:8484/work", "http://[::1]:8484/work/"),
        ("127.0.0.1", "http://127.0.0.1/"),
        ("127.example.com", "https://127.example.com/"),
    ],
)
def test_addresses_are_taken_as_people_write_them(address: str, root: str) -> None:
    assert str(root_of(address)) == root


async def test_a_client_shows_no_secret(tmp_path: Path) -> None:
    async with Client.at(BASE, TokenCache(tmp_path / "t.json", BASE)) as client:
        assert repr(client.auth) == "WrapAuth('https://tracker.example/')"


async def test_a_look_at_the_sign_in_sees_what_other_processes_did(tmp_path: Path) -> None:
    other, seen = TokenCache(tmp_path / "tokens.json", BASE), []
    async with Foreign(answer(200, ITEM)).client(tmp_path, signed_in=False) as client:
        seen.append(client.auth.reload())
        other.save(TokenGrant("a", "r", 3600))
        seen += [client.auth.reload(), client.auth.reload()]
        other.clear()
        seen.append(client.auth.reload())
        other.save(TokenGrant("b", "r", 3600))
        seen.append(client.auth.reload())
        (tmp_path / "tokens.json").unlink()
        seen.append(client.auth.reload())

    assert seen == [False, True, True, False, True, False]


@pytest.mark.parametrize("reply", [answer(200), answer(404), answer(500), httpx.ConnectError("refused")])
async def test_signing_out_forgets_the_sign_in_whatever_the_service_says(
    tmp_path: Path, reply: httpx.Response | Exception
) -> None:
    foreign = Foreign(reply)
    async with foreign.client(tmp_path) as client:
        await client.auth.sign_out()

        assert not client.auth.signed_in
    (request,) = foreign.requests
    assert (request.method, request.content) == ("POST", b"wrap_refresh_token=refresh-1")
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"
    assert TokenCache(tmp_path / "tokens.json", BASE).load() is None


async def test_a_sign_out_in_another_process_ends_this_one_at_the_next_renewal(tmp_path: Path) -> None:
    async with Foreign(answer(200, ITEM), challenge()).client(tmp_path) as client:
        await client.work_items.get(1)
        TokenCache(tmp_path / "tokens.json", BASE).clear()
        with pytest.raises(SignInNeeded):
            await client.work_items.get(1)

        assert not client.auth.signed_in
