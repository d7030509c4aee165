"""Hostile and foreign answers: what becomes of them."""

import gzip
import json
import time
import zlib
from datetime import datetime
from pathlib import Path

import httpx
import pytest
from tests.client.foreign import Foreign, Parts, answer

from backlit.client import answers
from backlit.client.answers import BODY_LIMIT
from backlit.model import errors
from backlit.model.errors import BacklitError, Offline, ServiceError, SignInNeeded
from backlit.model.resources import User

TABLE = {
    400: errors.BadRequest,
    403: errors.Forbidden,
    404: errors.NotFound,
    405: errors.MethodNotAllowed,
    409: errors.Conflict,
    412: errors.PreconditionFailed,
    413: errors.TooLarge,
    415: errors.UnsupportedMedia,
    418: errors.BadRequest,
    429: errors.TooManyRequests,
    500: errors.ServiceError,
    408: errors.Unavailable,
    502: errors.Unavailable,
    503: errors.Unavailable,
    504: errors.Unavailable,
}


async def failure_of(folder: Path, reply: httpx.Response) -> BacklitError:
    async with Foreign(reply).client(folder) as client:
        with pytest.raises(BacklitError) as caught:
            await client.work_items.get(1)
    return caught.value


@pytest.mark.parametrize(("status", "kind"), TABLE.items())
async def test_every_status_has_its_error(tmp_path: Path, status: int, kind: type[BacklitError]) -> None:
    failure = await failure_of(tmp_path, answer(status))

    assert type(failure) is kind
    assert failure.message.endswith((".", ")."))


@pytest.mark.parametrize("status", [302, 400, 401, 405, 413, 415, 418, 429, 500, 502, 503, 504])
async def test_a_sentence_about_a_server_names_it(tmp_path: Path, status: int) -> None:
    failure = await failure_of(tmp_path, answer(status))

    assert "tracker.example" in failure.message


@pytest.mark.parametrize("body", ["<html>", "[]", '{"id": 2}'])
async def test_an_answer_that_is_not_of_the_interface_names_its_server(tmp_path: Path, body: str) -> None:
    failure = await failure_of(tmp_path, answer(200, body))

    assert failure.message.startswith("The response of tracker.example to GET /api/v1/workitems/1 ")


@pytest.mark.parametrize("key", ["message", "Message", "error", "ExceptionMessage"])
async def test_the_sentence_is_taken_from_the_key_that_has_it(tmp_path: Path, key: str) -> None:
    failure = await failure_of(tmp_path, answer(400, f'{{"{key}": " Name is required. "}}'))

    assert failure.message == "Name is required."


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"[1]", "You do not have permission for this."),
        (b"7", "You do not have permission for this."),
        (b"null", "You do not have permission for this."),
        (b'""', "You do not have permission for this."),
        (b'{"message": " ", "other": "x"}', "You do not have permission for this."),
        (b'{"message": 4}', "You do not have permission for this."),
        (b'{"message": " ", "error": "Ask Jon."}', "Ask Jon."),
        (b'{"error": "Ask Ada.", "message": "Ask Jon."}', "Ask Jon."),
        (b'"Ask Jon."', "Ask Jon."),
        (b'\xef\xbb\xbf{"message": "Ask Jon."}', "Ask Jon."),
        (b'{"MESSAGE": "Ask Jon."}', "Ask Jon."),
    ],
)
async def test_an_error_without_a_message_has_the_sentence_of_its_status(
    tmp_path: Path, body: bytes, words: str
) -> None:
    assert (await failure_of(tmp_path, answer(403, body))).message == words


async def test_errors_keep_the_faults_of_fields(tmp_path: Path) -> None:
    failure = await failure_of(
        tmp_path, answer(400, '{"message": "No.", "errors": {"Name": "Too long.", "Tags": ["Odd.", "Long."], "x": 4}}')
    )

    assert dict(failure.errors) == {"Name": "Too long.", "Tags": "Odd."}


async def test_errors_keep_the_first_hundred_fields_with_short_keys(tmp_path: Path) -> None:
    keys = [f"{number:03}{'k' * 200}" for number in range(101)]
    failure = await failure_of(tmp_path, answer(400, json.dumps({"errors": dict.fromkeys(keys, "No.")})))

    assert len(failure.errors) == 100
    assert {len(key) for key in failure.errors} == {100}


async def test_terminal_controls_in_an_error_are_made_harmless(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, answer(400, '{"message": "a\\u001b[2Jb\\u202ec\\r\\nd\\u0007"}'))

    assert failure.message == "a�[2Jb�c d�"


async def test_an_error_of_any_length_is_cut(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, answer(400, '{"message": "' + "x" * 10_000 + '"}'))

    assert len(failure.message) == answers.TEXT_LIMIT


async def test_a_plain_text_of_any_length_is_cut_after_the_sentence(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, answer(403, "x" * 10_000))

    assert failure.message.startswith("You do not have permission for this. xxx")
    assert len(failure.message) == answers.TEXT_LIMIT


async def test_an_html_page_instead_of_an_error_is_not_shown(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, answer(404, "<!DOCTYPE html><title>nope</title>", content_type="text/html"))

    assert failure.message == "Not found, or you have no access to it."


async def test_plain_text_in_an_error_is_shown_after_the_sentence(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, answer(403, "project is archived"))

    assert failure.message == "You do not have permission for this. project is archived"


@pytest.mark.parametrize(
    "body", [b"", b"<html>Welcome to the portal</html>", b"{", b"[]", b"null", b"\xff\xfe", b'{"a":1}{"b":2}', b"NaN"]
)
async def test_a_success_that_is_no_json_object_makes_no_sense(tmp_path: Path, body: bytes) -> None:
    failure = await failure_of(tmp_path, answer(200, body))

    assert type(failure) is ServiceError


@pytest.mark.parametrize("body", ["{}", '{"results": 3}', '{"results": [1]}', '{"results": null, "totalResults": 1}'])
async def test_a_list_that_is_none_makes_no_sense(tmp_path: Path, body: str) -> None:
    async with Foreign(answer(200, body)).client(tmp_path) as client:
        with pytest.raises(ServiceError, match="not a list"):
            await client.work_items.page()


def test_a_resource_that_does_not_fit_is_named_by_the_place() -> None:
    with pytest.raises(ServiceError, match=r"\(id\)"):
        User.read({"id": "x", "name": "maya"}, "tracker.example")


async def test_json_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    async with Foreign(answer(200, b'\xef\xbb\xbf{"id": 1}')).client(tmp_path) as client:
        assert await client.work_items.get(1) == {"id": 1}


async def test_a_compressed_answer_is_read(tmp_path: Path) -> None:
    body = gzip.compress(b'{"id": 1}')
    async with Foreign(answer(200, body, content_encoding="gzip")).client(tmp_path) as client:
        assert await client.work_items.get(1) == {"id": 1}


@pytest.mark.parametrize("encoding", ["x-gzip", " GZIP ", "identity, gzip", "gzip,"])
async def test_an_encoding_is_read_in_each_spelling(tmp_path: Path, encoding: str) -> None:
    compressed = answer(200, gzip.compress(b'{"id": 1}'), content_encoding=encoding)
    plain = answer(200, b'{"id": 1}', content_encoding="identity")
    async with Foreign(compressed, plain).client(tmp_path) as client:
        assert [await client.work_items.get(1) for _ in range(2)] == [{"id": 1}] * 2


@pytest.mark.parametrize("length", [-9, 10])
async def test_a_compressed_answer_that_ends_early_is_asked_for_again(tmp_path: Path, length: int) -> None:
    broken = answer(200, gzip.compress(b'{"id": 1}')[:length], content_encoding="gzip")
    async with Foreign(broken, answer(200, '{"id": 1}')).client(tmp_path) as client:
        assert await client.work_items.get(1) == {"id": 1}


@pytest.mark.parametrize("status", [200, 204])
async def test_an_empty_answer_counts_as_compressed(tmp_path: Path, status: int) -> None:
    foreign = Foreign(answer(status, b"", content_encoding="gzip"))
    async with foreign.client(tmp_path) as client:
        await client.comments.delete(1)

    assert len(foreign.requests) == 1


async def test_an_answer_that_is_not_as_compressed_as_it_says_ends_offline(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, answer(200, b'{"id": 1}', content_encoding="gzip"))

    assert type(failure) is Offline


@pytest.mark.slow
async def test_a_compressed_bomb_is_not_read_to_its_end(tmp_path: Path) -> None:
    squeezer = zlib.compressobj()
    bomb = b"".join(squeezer.compress(b" " * 1_000_000) for _ in range(BODY_LIMIT // 1_000_000 + 10))
    parts = [bomb[at : at + 1024] for at in range(0, len(bomb), 1024)]
    unread = AssertionError("read on past the limit")

    failure = await failure_of(
        tmp_path, httpx.Response(200, headers={"content-encoding": "deflate"}, stream=Parts([*parts, unread]))
    )

    assert type(failure) is ServiceError
    assert "too large" in failure.message


async def test_an_answer_that_breaks_off_is_asked_for_again(tmp_path: Path) -> None:
    broken = httpx.Response(200, stream=Parts([b'{"id": ', httpx.RemoteProtocolError("closed")]))
    async with Foreign(broken, answer(200, '{"id": 1}')).client(tmp_path) as client:
        assert await client.work_items.get(1) == {"id": 1}


async def test_a_redirect_is_never_followed(tmp_path: Path) -> None:
    foreign = Foreign(answer(302, location="https://elsewhere.example/api/v1/workitems/1"))
    async with foreign.client(tmp_path) as client:
        with pytest.raises(ServiceError, match="does not follow"):
            await client.work_items.get(1)

    assert [request.url.host for request in foreign.requests] == ["tracker.example"]


async def test_a_cookie_is_never_sent_back(tmp_path: Path) -> None:
    foreign = Foreign(answer(200, '{"id": 1}', set_cookie=".ASPXAUTH=abc; Path=/"))
    async with foreign.client(tmp_path) as client:
        await client.work_items.get(1)
        await client.work_items.get(1)

    assert "cookie" not in foreign.requests[1].headers


async def test_a_401_that_stays_means_signing_in_again(tmp_path: Path) -> None:
    refused = answer(401, '{"message": "no"}')
    granted = answer(200, "wrap_access_token=new&wrap_refresh_token=r2&wrap_access_token_expires_in=3600")
    challenge = answer(401, WWW_Authenticate='WRAP location="/Authenticate/WRAPv0.9", client_id=uri:tracker')
    async with Foreign(challenge, granted, refused).client(tmp_path) as client:
        with pytest.raises(SignInNeeded):
            await client.work_items.get(1)


@pytest.mark.parametrize(
    ("header", "seconds"), [("5", 5.0), (" 12 ", 12.0), ("", None), ("soon", None), ("-3", None), ("٣", None)]
)
def test_retry_after_in_seconds_is_read(header: str, seconds: float | None) -> None:
    assert answers.retry_after({"retry-after": header}) == seconds


@pytest.mark.parametrize(("now", "seconds"), [("07:26:30", 90.0), ("07:28:00", 0.0), ("09:00:00", 0.0)])
def test_retry_after_as_a_date_is_the_time_until_then(
    monkeypatch: pytest.MonkeyPatch, now: str, seconds: float
) -> None:
    moment = datetime.fromisoformat(f"2015-10-21T{now}Z").timestamp()
    monkeypatch.setattr(time, "time", lambda: moment)

    assert answers.retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == seconds
