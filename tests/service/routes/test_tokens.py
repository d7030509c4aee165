"""The challenge, the three grants, refresh families, key rotation and login limits."""

import asyncio
import re
import time
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import parse_qs, quote, unquote

import httpx
import pytest
from sqlalchemy import Connection, insert, select, update

from backlit.model.wrap import TOKEN_PATH, Challenge, TokenGrant, parse_challenge, parse_grant
from backlit.service.admin.users import rotate_key
from backlit.service.app import Service
from backlit.service.auth.callers import ACCESS_TOKEN_LIFETIME, KEY_AGE
from backlit.service.storage.schema import refresh_tokens, signing_keys, users, verification_codes
from backlit.service.tables.sign_ins import REFRESH_GRACE, digest

BASE = "http://backlit.test"
ADDRESS = f"{BASE}{TOKEN_PATH}"
CLIENT_ID = "uri:backlit"
PASSWORD = "lantern"

Client = httpx.AsyncClient


async def ask(client: Client, **form: str) -> httpx.Response:
    return await client.post(ADDRESS, data={"wrap_client_id": CLIENT_ID, **form})


async def granted(client: Client, **form: str) -> TokenGrant:
    answer = await ask(client, **form)
    assert answer.status_code == 200, answer.text
    return parse_grant(answer.text, "tracker.example")


async def by_code(client: Client, service: Service, username: str = "maya") -> TokenGrant:
    return await granted(client, wrap_verification_code=service.invite(username))


async def me(client: Client, authorization: str) -> httpx.Response:
    return await client.get("users/me", headers={"authorization": authorization})


async def me_elsewhere(service: Service, authorization: str) -> httpx.Response:
    """Ask another service on the same database, which remembers no token."""
    other = Service(service.settings)
    await other.start()
    transport = httpx.ASGITransport(other.asgi, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=f"{BASE}/api/v1/") as client:
        answer = await me(client, authorization)
    await other.stop()
    return answer


def in_database(service: Service, work: Callable[[Connection], object]) -> None:
    service.shared.database.write.submit(work).result()


async def test_a_request_without_a_token_is_challenged(visitor: Client) -> None:
    answer = await visitor.get("workitems")

    header = answer.headers["www-authenticate"]
    assert answer.status_code == 401
    assert header == f'WRAP location="{ADDRESS}", client_id={CLIENT_ID}'
    assert parse_challenge(header) == Challenge(ADDRESS, CLIENT_ID)
    assert answer.json()["errors"] == {}


async def test_a_password_is_exchanged_for_tokens(visitor: Client) -> None:
    answer = await ask(visitor, wrap_username="Maya", wrap_password=PASSWORD)

    names = [pair.partition("=")[0] for pair in answer.text.split("&")]
    assert answer.headers["content-type"] == "application/x-www-form-urlencoded; charset=utf-8"
    assert names == ["wrap_access_token", "wrap_refresh_token", "wrap_access_token_expires_in"]
    assert "+" not in answer.text
    assert parse_grant(answer.text, "tracker.example").expires_in == 3600
    claims = parse_qs(parse_grant(answer.text, "tracker.example").access_token)
    assert claims["http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name"] == ["maya"]
    assert {"TokenId", "Issuer", "Audience", "ExpiresOn", "HMACSHA256"} <= claims.keys()


@pytest.mark.parametrize("write", [lambda t: quote(t, safe=""), lambda t: t, lambda t: f'"{t}"'])
async def test_the_access_token_is_accepted_escaped_raw_and_quoted(
    visitor: Client, service: Service, write: Callable[[str], str]
) -> None:
    grant = await by_code(visitor, service)

    answer = await me(visitor, f"WRAP access_token={write(grant.access_token)}")

    assert answer.json()["name"] == "maya"


async def test_a_changed_token_is_refused(visitor: Client, service: Service) -> None:
    token = (await by_code(visitor, service, "jon")).access_token

    for bad in (
        token.replace("=jon", "=maya"),
        token[:-6],
        "x",
        "",
        re.sub(r"ExpiresOn=\d+", "ExpiresOn=9999999999", token),
    ):
        answer = await me(visitor, f"WRAP access_token={quote(bad, safe='')}")
        assert answer.status_code == 401
        assert "www-authenticate" in answer.headers
    assert (await me(visitor, "Bearer abc")).status_code == 401


async def test_a_token_ends_although_it_was_verified_a_moment_before(
    visitor: Client, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = f"WRAP access_token={quote((await by_code(visitor, service)).access_token, safe='')}"
    begun, statuses = time.time(), []

    for seconds in (ACCESS_TOKEN_LIFETIME - 10, ACCESS_TOKEN_LIFETIME + 10):
        monkeypatch.setattr(time, "time", lambda moment=begun + seconds: moment)
        statuses.append((await me(visitor, header)).status_code)

    assert statuses == [200, 401]


async def test_the_form_may_be_multipart_and_the_client_id_in_the_query(visitor: Client, service: Service) -> None:
    files = {"wrap_verification_code": (None, service.invite("ada"))}

    answer = await visitor.post(f"{ADDRESS}?wrap_client_id={quote(CLIENT_ID)}", files=files)

    assert answer.status_code == 200
    assert "ada" in unquote(answer.text)


@pytest.mark.parametrize(
    "form",
    [
        {"wrap_username": "maya", "wrap_password": "wrong"},
        {"wrap_username": "nobody", "wrap_password": PASSWORD},
        {"wrap_username": "uma", "wrap_password": PASSWORD},
        {"wrap_verification_code": "wrong"},
        {"wrap_refresh_token": "wrong"},
    ],
)
async def test_bad_credentials_are_refused_with_the_challenge(visitor: Client, form: dict[str, str]) -> None:
    answer = await ask(visitor, **form)

    assert answer.status_code == 401
    assert "www-authenticate" in answer.headers
    assert answer.json()["message"]


@pytest.mark.parametrize(
    "form", [{}, {"wrap_client_id": "uri:other"}, {"wrap_client_id": CLIENT_ID, "wrap_username": "maya"}]
)
async def test_an_incomplete_form_is_a_bad_request(visitor: Client, form: dict[str, str]) -> None:
    assert (await visitor.post(ADDRESS, data=form)).status_code == 400


async def test_right_credentials_are_refused_for_another_client(visitor: Client, service: Service) -> None:
    grants = (
        {"wrap_verification_code": service.invite("maya")},
        {"wrap_refresh_token": (await by_code(visitor, service)).refresh_token},
        {"wrap_username": "maya", "wrap_password": PASSWORD},
    )
    clients: tuple[dict[str, str], ...] = ({"wrap_client_id": "uri:other"}, {})

    answers = [await visitor.post(ADDRESS, data={**grant, **client}) for grant in grants for client in clients]

    assert [answer.status_code for answer in answers] == [400] * 6


async def test_a_code_works_once(visitor: Client, service: Service) -> None:
    code = service.invite("maya")

    first, second = [await ask(visitor, wrap_verification_code=f" {code}\n") for _ in range(2)]

    assert (first.status_code, second.status_code) == (200, 401)


async def test_a_code_runs_out_after_ten_minutes(visitor: Client, service: Service) -> None:
    code = service.invite("maya")
    expired = service.shared.clock.now()
    in_database(service, lambda c: c.execute(update(verification_codes).values(expires_at=expired)))

    assert (await ask(visitor, wrap_verification_code=code)).status_code == 401


async def test_invitation_requires_a_known_licensed_user(service: Service) -> None:
    for username in ("uma", "nobody"):
        with pytest.raises(Exception, match="no licensed user"):
            service.invite(username)


async def test_lost_licence_ends_access_and_refresh(visitor: Client, service: Service) -> None:
    grant = await by_code(visitor, service, "jon")
    in_database(service, lambda c: c.execute(update(users).where(users.c.name == "jon").values(is_licensed=False)))

    assert (await me(visitor, f"WRAP access_token={grant.access_token}")).status_code == 401
    assert (await ask(visitor, wrap_refresh_token=grant.refresh_token)).status_code == 401


async def test_a_refresh_gives_new_tokens_that_work(visitor: Client, service: Service) -> None:
    old = await by_code(visitor, service)

    new = await granted(visitor, wrap_refresh_token=old.refresh_token)

    assert new.refresh_token != old.refresh_token
    assert (await me(visitor, f"WRAP access_token={new.access_token}")).status_code == 200


async def test_processes_that_race_all_get_tokens(visitor: Client, service: Service) -> None:
    old = await by_code(visitor, service)

    race = [granted(visitor, wrap_refresh_token=old.refresh_token) for _ in range(8)]
    winners = await asyncio.gather(*race)

    assert len({grant.refresh_token for grant in winners}) == 8
    for grant in winners:
        await granted(visitor, wrap_refresh_token=grant.refresh_token)


async def test_an_old_refresh_token_revokes_its_family_after_the_grace(visitor: Client, service: Service) -> None:
    stolen = await by_code(visitor, service)
    other = await by_code(visitor, service)
    current = await granted(visitor, wrap_refresh_token=stolen.refresh_token)
    long_ago = service.shared.clock.now() - REFRESH_GRACE - timedelta(seconds=1)
    mine = refresh_tokens.c.digest == digest(stolen.refresh_token)
    in_database(service, lambda c: c.execute(update(refresh_tokens).where(mine).values(used_at=long_ago)))

    assert (await ask(visitor, wrap_refresh_token=stolen.refresh_token)).status_code == 401
    assert (await ask(visitor, wrap_refresh_token=current.refresh_token)).status_code == 401
    assert (await ask(visitor, wrap_refresh_token=other.refresh_token)).status_code == 200


async def test_secrets_are_kept_as_digests_only(visitor: Client, service: Service) -> None:
    grant = await by_code(visitor, service)
    kept = service.shared.database.fast.submit(lambda c: c.execute(select(refresh_tokens.c.digest)).scalars().all())

    assert digest(grant.refresh_token) in kept.result()
    assert grant.refresh_token.encode() not in kept.result()


async def test_keys_rotate_and_the_one_before_still_counts(visitor: Client, service: Service) -> None:
    old = await by_code(visitor, service)
    aged = service.shared.clock.now() - KEY_AGE - timedelta(days=1)
    in_database(service, lambda c: c.execute(update(signing_keys).values(created_at=aged)))
    new = await by_code(visitor, service)

    for grant in (old, new):
        assert (await me_elsewhere(service, f"WRAP access_token={grant.access_token}")).status_code == 200
    in_database(service, lambda c: c.execute(insert(signing_keys).values(secret=b"newer", created_at=aged)))
    assert (await me_elsewhere(service, f"WRAP access_token={old.access_token}")).status_code == 401


async def test_a_forgotten_key_is_refused(visitor: Client, service: Service) -> None:
    before = await by_code(visitor, service)
    in_database(service, rotate_key)
    rotated = await me_elsewhere(service, f"WRAP access_token={before.access_token}")
    in_database(service, lambda connection: rotate_key(connection, forget=True))
    forgotten = await me_elsewhere(service, f"WRAP access_token={before.access_token}")

    assert [answer.status_code for answer in (rotated, forgotten)] == [200, 401]
    assert (await ask(visitor, wrap_refresh_token=before.refresh_token)).status_code == 200


async def test_a_forgotten_key_is_refused_at_once_where_its_token_was_verified_before(
    visitor: Client, service: Service
) -> None:
    grant = await by_code(visitor, service)
    authorization = f"WRAP access_token={grant.access_token}"
    verified = await me(visitor, authorization)
    in_database(service, lambda connection: rotate_key(connection, forget=True))

    assert verified.status_code == 200
    assert (await me(visitor, authorization)).status_code == 401


async def test_too_many_wrong_passwords_are_slowed_down(visitor: Client) -> None:
    answers = [await ask(visitor, wrap_username="maya", wrap_password="wrong") for _ in range(11)]

    assert [answer.status_code for answer in answers] == [401] * 10 + [429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert "www-authenticate" not in answers[-1].headers
    assert (await ask(visitor, wrap_username="maya", wrap_password=PASSWORD)).status_code == 429


async def test_wrong_passwords_of_one_user_keep_nobody_else_at_the_address_out(
    visitor: Client, service: Service
) -> None:
    for _ in range(11):
        refused = await ask(visitor, wrap_username="maya", wrap_password="wrong")

    assert refused.status_code == 429
    assert (await ask(visitor, wrap_username="jon", wrap_password=PASSWORD)).status_code == 200
    assert (await ask(visitor, wrap_verification_code=service.invite("maya"))).status_code == 200


async def test_right_passwords_at_once_are_no_failures(visitor: Client) -> None:
    one = {"wrap_username": "maya", "wrap_password": PASSWORD}

    answers = await asyncio.gather(*(ask(visitor, **one) for _ in range(20)))

    assert {answer.status_code for answer in answers} == {200}


async def test_wrong_passwords_at_once_learn_no_more_than_the_limit(visitor: Client) -> None:
    one = {"wrap_username": "maya", "wrap_password": "wrong"}

    answers = await asyncio.gather(*(ask(visitor, **one) for _ in range(20)))

    assert sorted(answer.status_code for answer in answers) == [401] * 10 + [429] * 10


async def test_wrong_codes_are_slowed_down_by_the_limit_of_the_address(visitor: Client) -> None:
    for _ in range(10):
        wrong = await ask(visitor, wrap_verification_code="wrong")

    assert wrong.status_code == 401
    assert (await ask(visitor, wrap_username="maya", wrap_password=PASSWORD)).status_code == 200
    for _ in range(91):
        wrong = await ask(visitor, wrap_verification_code="wrong")
    assert wrong.status_code == 429
    assert (await ask(visitor, wrap_username="maya", wrap_password=PASSWORD)).status_code == 429


async def test_restrict_says_whether_one_is_signed_in(visitor: Client, service: Service) -> None:
    address = f"{BASE}/Authentication/Restrict"
    grant = await by_code(visitor, service)

    assert (await visitor.get(address)).status_code == 401
    token = {"authorization": f"WRAP access_token={grant.access_token}"}
    assert (await visitor.get(address, headers=token)).status_code == 200
