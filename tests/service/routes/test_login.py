"""The login page, the code page, the login cookie and signing out, as a browser and as old programs use them."""

import base64
import hashlib
import re
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from html.parser import HTMLParser
from urllib.parse import quote

import httpx
import pytest
from sqlalchemy import Connection, select, update

from backlit.model.wrap import LOGIN_PATH, TOKEN_PATH, parse_challenge, parse_grant
from backlit.service.app import Service
from backlit.service.auth.callers import LOGIN_COOKIE, form_token, hash_password
from backlit.service.routes.login import LOGOUT_PATH
from backlit.service.storage.schema import login_sessions, users
from backlit.service.tables import users as user_table
from backlit.service.tables.changes import Stamp
from backlit.service.tables.sign_ins import digest

BASE = "http://backlit.test"
CLIENT_ID = "uri:backlit"
PASSWORD = "lantern"
TITLE = re.compile(r"<title>Authentication Delegation, code=([a-z0-9]+)</title>")

Client = httpx.AsyncClient


class Form(HTMLParser):
    """The fields of the page's form, as a browser without scripts would find them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.labelled: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "input":
            self.fields[given["name"] or ""] = given.get("value") or ""
        if tag == "label":
            self.labelled.add(given["for"] or "")


@pytest.fixture
async def browser(service: Service) -> AsyncIterator[Client]:
    transport = httpx.ASGITransport(service.asgi, raise_app_exceptions=False)
    async with Client(transport=transport, base_url=BASE) as client:
        yield client


async def fill_in(browser: Client, username: str, password: str, **others: str) -> httpx.Response:
    form = Form((await browser.get(LOGIN_PATH)).text).fields
    return await browser.post(LOGIN_PATH, data=form | {"username": username, "password": password} | others)


async def log_in(browser: Client, username: str = "maya") -> str:
    """Sign in; returns the code on the page."""
    answer = await fill_in(browser, username, PASSWORD)
    assert (answer.status_code, answer.headers["location"]) == (303, LOGIN_PATH)
    found = TITLE.search((await browser.get(LOGIN_PATH)).text)
    assert found is not None
    return found[1]


async def me(client: Client) -> httpx.Response:
    return await client.get("/api/v1/users/me")


def in_database(service: Service, work: Callable[[Connection], object]) -> object:
    return service.shared.database.write.submit(work).result()


async def test_the_login_page_is_a_form_that_needs_no_script(browser: Client) -> None:
    answer = await browser.get(LOGIN_PATH)

    form = Form(answer.text)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "script" not in answer.text
    style = answer.text.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert answer.headers["content-security-policy"].split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "img-src data:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert form.labelled == {"username", "password"}
    assert set(form.fields) == {"username", "password", "form_token"}


async def test_after_signing_in_the_code_is_on_the_page_and_in_its_title(browser: Client) -> None:
    code = await log_in(browser)

    page = await browser.get(LOGIN_PATH)
    assert "Signed in as <strong>maya</strong>" in page.text
    assert "10&nbsp;minutes" in page.text
    assert code not in page.text  # each page has a code of its own
    form = {"wrap_client_id": CLIENT_ID, "wrap_verification_code": f" {code}\n"}
    grant = await browser.post(TOKEN_PATH, data=form)
    assert (grant.status_code, grant.headers["cache-control"]) == (200, "no-store")


async def test_the_token_endpoint_answers_a_cookie_with_the_same_title(browser: Client) -> None:
    await log_in(browser)

    page = await browser.get(TOKEN_PATH, params={"wrap_client_id": CLIENT_ID})

    found = TITLE.search(page.text)
    assert found is not None
    form = {"wrap_client_id": CLIENT_ID, "wrap_verification_code": found[1]}
    grant = parse_grant((await browser.post(TOKEN_PATH, data=form)).text, "tracker.example")
    assert "maya" in grant.access_token


async def test_the_token_endpoint_without_a_cookie_challenges(browser: Client) -> None:
    answer = await browser.get(TOKEN_PATH, params={"wrap_client_id": CLIENT_ID})
    unknown = await browser.get(TOKEN_PATH, params={"wrap_client_id": "uri:other"})

    assert answer.status_code == 401
    assert parse_challenge(answer.headers["www-authenticate"]) is not None
    assert unknown.status_code == 400


@pytest.mark.parametrize(
    ("username", "password"), [("maya", "wrong"), ("nobody", PASSWORD), ("uma", PASSWORD), ("", "")]
)
async def test_a_wrong_password_says_the_same_for_everybody(browser: Client, username: str, password: str) -> None:
    answer = await fill_in(browser, username, password)

    assert "Wrong user name or password." in answer.text
    assert LOGIN_COOKIE not in browser.cookies
    assert 'role="alert"' in answer.text
    assert Form(answer.text).fields["username"] == username
    assert Form(answer.text).fields["password"] == ""


async def test_login_page_shows_the_name_as_text(browser: Client) -> None:
    hostile = '"><script>alert(1)</script>'

    answer = await fill_in(browser, hostile, "x")

    assert "<script" not in answer.text
    assert Form(answer.text).fields["username"] == hostile


@pytest.mark.parametrize("token", ["", "0" * 64, None])
async def test_a_form_without_the_right_token_is_refused(browser: Client, token: str | None) -> None:
    await browser.get(LOGIN_PATH)
    form = {"username": "maya", "password": PASSWORD} | ({} if token is None else {"form_token": token})

    answer = await browser.post(LOGIN_PATH, data=form)

    assert answer.status_code == 403
    assert "expired" in answer.text
    assert LOGIN_COOKIE not in browser.cookies


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
async def test_a_form_sent_from_another_site_is_refused(browser: Client, headers: dict[str, str]) -> None:
    form = Form((await browser.get(LOGIN_PATH)).text).fields | {"username": "maya", "password": PASSWORD}

    answer = await browser.post(LOGIN_PATH, data=form, headers=headers)

    assert answer.status_code == 403
    assert LOGIN_COOKIE not in browser.cookies


async def test_a_page_for_another_client_is_refused(browser: Client) -> None:
    known = await browser.get(LOGIN_PATH, params={"wrap_client_id": CLIENT_ID})
    unknown = await browser.get(LOGIN_PATH, params={"wrap_client_id": "uri:other"})

    assert f'action="{LOGIN_PATH}?wrap_client_id={quote(CLIENT_ID, safe="")}"' in known.text
    assert unknown.status_code == 400
    assert unknown.headers["content-type"].startswith("text/html")


async def test_too_many_attempts_are_slowed_down_on_the_page_too(browser: Client) -> None:
    answers = [await fill_in(browser, "maya", "wrong") for _ in range(11)]

    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    assert 50 <= int(answers[-1].headers["retry-after"]) <= 60
    assert f"Too many attempts. Wait {answers[-1].headers['retry-after']} seconds" in answers[-1].text


async def test_signing_in_rightly_is_no_attempt(browser: Client) -> None:
    for _ in range(12):
        assert (await fill_in(browser, "maya", PASSWORD)).status_code == 303
        browser.cookies.clear()


async def test_the_cookie_is_out_of_reach_and_kept_as_a_digest(browser: Client, service: Service) -> None:
    answer = await fill_in(browser, "maya", PASSWORD)

    line = next(value for value in answer.headers.get_list("set-cookie") if value.startswith(f"{LOGIN_COOKIE}="))
    value = line.partition(";")[0].removeprefix(f"{LOGIN_COOKIE}=")
    assert "=" not in value
    assert {"HttpOnly", "Max-Age=43200", "Path=/", "SameSite=lax"} <= set(line.split("; "))
    assert "Secure" not in line
    kept = in_database(service, lambda c: c.execute(select(login_sessions.c.digest)).scalars().all())
    assert kept == [digest(value)]


async def test_the_cookie_is_secure_under_https(service: Service) -> None:
    transport = httpx.ASGITransport(service.asgi)
    async with Client(transport=transport, base_url="https://backlit.test") as browser:
        answer = await fill_in(browser, "maya", PASSWORD)

    assert all("; Secure" in line for line in answer.headers.get_list("set-cookie"))


async def test_the_cookie_stands_in_for_a_token(browser: Client) -> None:
    await log_in(browser)

    assert (await me(browser)).json()["name"] == "maya"
    assert (await browser.get("/Authentication/Restrict")).status_code == 200
    assert (await browser.put("/api/v1/workitems/1", json={"Name": "x"})).json()["lastModifiedBy"] == "maya"


async def test_a_token_goes_before_the_cookie(browser: Client, service: Service) -> None:
    await log_in(browser)
    form = {"wrap_client_id": CLIENT_ID, "wrap_verification_code": service.invite("jon")}
    grant = parse_grant((await browser.post(TOKEN_PATH, data=form)).text, "tracker.example")
    wrap = {"authorization": f"WRAP access_token={quote(grant.access_token, safe='')}"}

    assert (await browser.get("/api/v1/users/me", headers=wrap)).json()["name"] == "jon"
    assert (await browser.get("/api/v1/users/me", headers={"authorization": "WRAP access_token=x"})).status_code == 401
    assert (await browser.get("/api/v1/users/me", headers={"authorization": "Basic eA=="})).json()["name"] == "maya"


OWN = [{}, {"origin": BASE}, {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}, {"origin": f"{BASE}:80"}]
FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "https://backlit.test"},
    {"origin": f"{BASE}:8080"},
    {"origin": "http://[::"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site", "origin": BASE},
]


@pytest.mark.parametrize(("headers", "status"), [*((h, 201) for h in OWN), *((h, 403) for h in FOREIGN)])
async def test_a_change_by_cookie_has_to_come_from_the_service_itself(
    browser: Client, headers: dict[str, str], status: int
) -> None:
    await log_in(browser)

    changed = await browser.put("/api/v1/workitems/1", json={"Name": "x"}, headers=headers)
    read = await browser.get("/api/v1/workitems/1", headers=headers)

    assert (changed.status_code, read.status_code) == (status, 200)


@pytest.mark.parametrize("cookie", ["", "x", "\x00", "a=b", "é"])
async def test_a_made_up_cookie_is_nobody(browser: Client, cookie: str) -> None:
    headers = {b"cookie": f"{LOGIN_COOKIE}={cookie}".encode()}

    answer = await browser.get("/api/v1/users/me", headers=headers)

    assert answer.status_code == 401
    assert "WRAP" in answer.headers["www-authenticate"]
    assert "Sign in" in (await browser.get(LOGIN_PATH, headers=headers)).text


async def test_a_session_ends_after_its_time_and_with_the_licence(browser: Client, service: Service) -> None:
    await log_in(browser)
    in_database(service, lambda c: c.execute(update(users).where(users.c.name == "maya").values(is_licensed=False)))
    unlicensed = await me(browser)
    in_database(service, lambda c: c.execute(update(users).where(users.c.name == "maya").values(is_licensed=True)))
    licensed = await me(browser)
    past = service.shared.clock.now() - timedelta(seconds=1)
    in_database(service, lambda c: c.execute(update(login_sessions).values(expires_at=past)))

    assert [answer.status_code for answer in (unlicensed, licensed, await me(browser))] == [401, 200, 401]


async def test_blanks_around_a_name_are_no_part_of_it(browser: Client) -> None:
    await log_in(browser, " Maya\t")

    assert (await me(browser)).json()["name"] == "maya"


async def test_another_sign_in_ends_the_session_before_it(browser: Client) -> None:
    form = Form((await browser.get(LOGIN_PATH)).text).fields | {"password": PASSWORD}
    await browser.post(LOGIN_PATH, data=form | {"username": "maya"})
    first = browser.cookies[LOGIN_COOKIE]
    answer = await browser.post(LOGIN_PATH, data=form | {"username": "jon"})
    now = await me(browser)
    browser.cookies.clear()
    before = await browser.get("/api/v1/users/me", headers={"cookie": f"{LOGIN_COOKIE}={first}"})

    assert (answer.status_code, now.json()["name"]) == (303, "jon")
    assert before.status_code == 401


async def test_signing_out_ends_the_session_for_good(browser: Client) -> None:
    await log_in(browser)
    cookie = browser.cookies[LOGIN_COOKIE]
    form = Form((await browser.get(LOGIN_PATH)).text).fields

    refused = await browser.post(LOGOUT_PATH, data={}, headers={"sec-fetch-site": "same-origin"})
    answer = await browser.post(LOGOUT_PATH, data=form, headers={"sec-fetch-site": "same-origin"})

    assert refused.status_code == 403
    assert answer.status_code == 303
    assert LOGIN_COOKIE not in browser.cookies
    assert "You are signed out." in (await browser.get(answer.headers["location"])).text
    again = await browser.get("/api/v1/users/me", headers={"cookie": f"{LOGIN_COOKIE}={cookie}"})
    assert again.status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        *(({"sec-fetch-site": site}, 403) for site in ("cross-site", "same-site")),
        *(({"origin": origin}, 403) for origin in ("https://evil.example", "null", "https://backlit.test")),
        *(({"origin": BASE}, 303), ({}, 303)),
    ],
)
async def test_only_the_service_itself_signs_a_browser_out(
    browser: Client, headers: dict[str, str], status: int
) -> None:
    await log_in(browser)
    form = Form((await browser.get(LOGIN_PATH)).text).fields
    cookie = {"cookie": f"{LOGIN_COOKIE}={browser.cookies[LOGIN_COOKIE]}"}

    answer = await browser.post(LOGOUT_PATH, data=form, headers=headers)

    left = await browser.get("/api/v1/users/me", headers=cookie)
    assert (answer.status_code, left.status_code) == (status, 200 if status == 403 else 401)


async def granted(client: Client, **form: str) -> httpx.Response:
    return await client.post(TOKEN_PATH, data={"wrap_client_id": CLIENT_ID, **form})


async def wrap(client: Client, access_token: str) -> int:
    return (
        await client.get("/api/v1/users/me", headers={"authorization": f"WRAP access_token={access_token}"})
    ).status_code


async def test_a_program_ends_its_own_sign_in_by_its_refresh_token(browser: Client, service: Service) -> None:
    one, other = [
        parse_grant((await granted(browser, wrap_verification_code=service.invite("maya"))).text, "tracker.example")
        for _ in range(2)
    ]

    answer = await browser.post(LOGOUT_PATH, data={"wrap_refresh_token": one.refresh_token})

    assert answer.status_code == 200
    assert (await granted(browser, wrap_refresh_token=one.refresh_token)).status_code == 401
    assert await wrap(browser, one.access_token) == 401
    assert await wrap(browser, other.access_token) == 200
    assert (await browser.post(LOGOUT_PATH, data={"wrap_refresh_token": "unknown"})).status_code == 200


async def test_a_program_ends_all_sign_ins_of_its_user_by_its_access_token(browser: Client, service: Service) -> None:
    await log_in(browser)
    grant = parse_grant((await granted(browser, wrap_verification_code=service.invite("maya"))).text, "tracker.example")
    jons = parse_grant((await granted(browser, wrap_verification_code=service.invite("jon"))).text, "tracker.example")

    answer = await browser.post(LOGOUT_PATH, headers={"authorization": f"WRAP access_token={grant.access_token}"})

    assert answer.status_code == 200
    assert await wrap(browser, grant.access_token) == 401
    assert (await granted(browser, wrap_refresh_token=grant.refresh_token)).status_code == 401
    assert (await me(browser)).status_code == 401
    assert await wrap(browser, jons.access_token) == 200


async def test_signing_out_takes_somebody_who_is_signed_in(browser: Client) -> None:
    assert (await browser.post(LOGOUT_PATH)).status_code == 401
    assert (await browser.get(LOGOUT_PATH)).status_code == 405


@pytest.mark.slow
async def test_a_new_password_ends_every_sign_in(browser: Client, service: Service) -> None:
    code = await log_in(browser)
    grant = parse_grant((await granted(browser, wrap_verification_code=service.invite("maya"))).text, "tracker.example")
    now = service.shared.clock.now()

    def change(connection: Connection) -> None:
        account = user_table.account(connection, "maya")
        assert account is not None
        user_table.set_password(connection, account.id, hash_password("new"), Stamp(None, "backlit", now))

    in_database(service, change)

    assert (await me(browser)).status_code == 401
    assert await wrap(browser, grant.access_token) == 401
    assert (await granted(browser, wrap_refresh_token=grant.refresh_token)).status_code == 401
    assert (await granted(browser, wrap_verification_code=code)).status_code == 401
    assert (await granted(browser, wrap_username="maya", wrap_password=PASSWORD)).status_code == 401
    assert (await granted(browser, wrap_username="maya", wrap_password="new")).status_code == 200


async def test_a_form_token_is_worthless_without_a_cookie(browser: Client) -> None:
    form = {"username": "maya", "password": PASSWORD, "form_token": form_token("")}

    assert (await browser.post(LOGIN_PATH, data=form)).status_code == 403
