"""A service that lies, or is broken: each answer ends with one error that has a sentence, and memory stays small."""

import asyncio
import gzip
import json
import os
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path

import httpx
import pytest
from tests.client.foreign import CHALLENGE, PACING, Foreign, answer

from backlit.client.calls import ServiceClock
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import BacklitError, NotFound, Offline, OutcomeUnknown, ServiceError
from backlit.model.resources import Attachment
from backlit.model.wrap import TokenGrant

MEGABYTE = 2**20


@cache
def bomb(size: int) -> bytes:
    """So many bytes of blanks, compressed."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(squeezer.compress(b" " * MEGABYTE) for _ in range(size // MEGABYTE)) + squeezer.flush()


@asynccontextmanager
async def raw_service(folder: Path, *replies: bytes) -> AsyncIterator[Client]:
    """A client of a socket that says these bytes, whatever it is asked, the last ones for ever."""
    left = list(replies)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(left.pop(0) if len(left) > 1 else left[0])
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    tokens = TokenCache(folder / "tokens.json", base)
    tokens.save(TokenGrant("name=maya&HMACSHA256=abc%3D", "refresh-1", 3600))
    async with server, Client.at(base, tokens, PACING) as client:
        yield client


def http(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


async def failure_of(client: Client) -> BacklitError:
    with pytest.raises(BacklitError) as caught:
        await client.work_items.get(1)
    return caught.value


@pytest.mark.parametrize("encoding", ["gzip, gzip", "gzip,deflate,gzip", "br", "zstd", "compress", "x" * 10_000])
async def test_an_encoding_that_was_not_asked_for_is_refused_unread(tmp_path: Path, encoding: str) -> None:
    body = gzip.compress(bomb(64 * MEGABYTE))
    async with raw_service(tmp_path, http(body, f"Content-Encoding: {encoding}")) as client:
        failure = await failure_of(client)

    assert type(failure) is ServiceError
    server = client.base_url.removeprefix("http://").rstrip("/")
    assert failure.message == f"The response of {server} to GET /api/v1/workitems/1 uses an unsupported compression."


@pytest.mark.slow
async def test_a_bomb_in_one_piece_takes_no_more_memory_than_its_limit(tmp_path: Path) -> None:
    body = bomb(400 * MEGABYTE)
    async with raw_service(tmp_path, http(body, "Content-Encoding: gzip")) as client:
        tracemalloc.start()
        try:
            failure = await failure_of(client)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert "too large" in failure.message
    assert peak < 150 * MEGABYTE


@pytest.mark.slow
@pytest.mark.parametrize("status", ["404 Not Found", "401 Unauthorized", "503 Gone Fishing"])
async def test_a_bomb_in_a_refusal_is_not_read_to_its_end(tmp_path: Path, status: str) -> None:
    body = bomb(200 * MEGABYTE)
    async with raw_service(tmp_path, http(body, "Content-Encoding: gzip", status=status)) as client:
        tracemalloc.start()
        try:
            await failure_of(client)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak < 20 * MEGABYTE


async def test_a_refusal_that_cannot_be_decoded_is_still_that_refusal(tmp_path: Path) -> None:
    async with raw_service(tmp_path, http(b"junk", "Content-Encoding: br", status="404 Not Found")) as client:
        failure = await failure_of(client)

    assert type(failure) is NotFound


async def test_deflate_without_its_head_is_read(tmp_path: Path) -> None:
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = squeezer.compress(b'{"id": 1}') + squeezer.flush()
    async with raw_service(tmp_path, http(body, "Content-Encoding: deflate")) as client:
        assert await client.work_items.get(1) == {"id": 1}


async def test_a_compressed_answer_that_is_cut_off_is_not_taken_for_whole(tmp_path: Path) -> None:
    body = gzip.compress(json.dumps({"id": 1, "text": list(range(1000))}).encode())[:-20]
    async with raw_service(tmp_path, http(body, "Content-Encoding: gzip")) as client:
        failure = await failure_of(client)

    assert type(failure) is Offline
    assert failure.message == "The response of 127.0.0.1 is not compressed as its headers declare."


async def test_a_sign_in_answered_without_end_is_refused(tmp_path: Path) -> None:
    foreign = Foreign(answer(401, www_authenticate=CHALLENGE), answer(200, b"x=1&" * 200_000))
    async with foreign.client(tmp_path, signed_in=False) as client:
        with pytest.raises(ServiceError, match="too large"):
            await client.auth.sign_in("maya", "secret")


async def test_a_creation_whose_answer_cannot_be_read_may_have_happened(tmp_path: Path) -> None:
    async with Foreign(answer(201, b"", content_encoding="gzip, gzip")).client(tmp_path) as client:
        with pytest.raises(OutcomeUnknown):
            await client.work_items.create({})


@pytest.mark.parametrize(
    "reply",
    [
        http(b'{"id": 1}', length=5000),
        http(b'{"id": 1}', "X-Long: " + "x" * 2 * MEGABYTE),
        http(b'{"id": 1}', "ETag: " + "x" * MEGABYTE),
        http(b"", "Transfer-Encoding: chunked"),
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\0" * 1000,
    ],
    ids=["content-length", "header", "etag", "two lengths", "ssh", "zeros"],
)
async def test_client_reports_a_response_that_is_not_http(tmp_path: Path, reply: bytes) -> None:
    async with raw_service(tmp_path, reply) as client:
        failure = await failure_of(client)

    assert type(failure) is Offline
    assert failure.message.endswith("broke off its response or does not speak HTTP. Check the port and the scheme.")


@pytest.mark.parametrize("location", ["http://[", "//", "https://elsewhere.example/", "/api/v1/workitems/1", "\x07"])
async def test_redirects_go_nowhere_whatever_they_say(tmp_path: Path, location: str) -> None:
    async with raw_service(tmp_path, http(b"", f"Location: {location}", status="302 Found")) as client:
        failure = await failure_of(client)

    assert isinstance(failure, ServiceError | Offline)


@pytest.mark.parametrize(
    ("fault", "field"),
    [
        ('"id": 9223372036854775808', "results.0.id is 9223372036854775808"),
        ('"id": 0', "results.0.id is 0"),
        ('"id": -1000000001', "results.0.id is -1000000001"),
        ('"id": 1, "projectId": 18446744073709551615', "results.0.projectId is 18446744073709551615"),
        ('"id": 1, "fields": {"ParentID": -1000000001}', "results.0.fields.ParentID is -1000000001"),
        ('"id": 1, "fields": {"X": {"a": [1, 9223372036854775808]}}', "results.0.fields.X.a.1 is 9223372036854775808"),
        ('"id": 1, "fields": {"WorkRemaining": 1e308}', "results.0.fields.WorkRemaining is 1e+308"),
        ('"id": 1, "size": -1', "results.0.size is -1"),
        ('"id": 1, "\\u001b[2J": 9223372036854775808', "results.0.�[2J is 9223372036854775808"),
    ],
)  # fmt: skip
async def test_a_number_that_cannot_be_is_named_by_service_address_and_field(
    tmp_path: Path, fault: str, field: str
) -> None:
    async with Foreign(answer(200, f'{{"totalResults": 1, "results": [{{{fault}}}]}}')).client(tmp_path) as client:
        with pytest.raises(ServiceError) as caught:
            await client.work_items.page()

    assert caught.value.message == (
        f"The response of tracker.example to GET /api/v1/workitems cannot be used: {field}, which is not a valid value."
    )


async def test_only_the_ids_of_resources_begin_at_one(tmp_path: Path) -> None:
    item = {"id": 1, "projectId": -1, "size": 0, "fields": {"id": 0, "ParentID": -1, "Odd_cf": {"id": -7, "n": -1e300}}}
    body = json.dumps({"id": -1, "totalResults": 0, "results": [item]})
    async with Foreign(answer(200, body.replace('"id": -1, ', "", 1))).client(tmp_path) as client:
        assert (await client.work_items.page()).results == [item]


@pytest.mark.parametrize("total", ["9223372036854775808", "-1", "1e400", "NaN", "Infinity"])
async def test_a_total_that_cannot_be_is_an_error(tmp_path: Path, total: str) -> None:
    async with Foreign(answer(200, f'{{"totalResults": {total}, "results": []}}')).client(tmp_path) as client:
        with pytest.raises(ServiceError):
            await client.work_items.page()


@pytest.mark.parametrize("depth", [70, 300, 1000, 2000, 200_000])
async def test_an_answer_that_is_nested_too_deep_is_an_error(tmp_path: Path, depth: int) -> None:
    body = '{"id": 1, "fields": {"Own": ' + "[" * depth + "]" * depth + "}}"
    async with Foreign(answer(200, body)).client(tmp_path) as client:
        failure = await failure_of(client)

    assert type(failure) is ServiceError


async def test_ordinary_odd_numbers_are_taken(tmp_path: Path) -> None:
    item = {"id": 2**63 - 1, "parentId": -1, "fields": {"Own": -(2**63), "ParentID": None, "BacklogPriority": -1e20}}
    async with Foreign(answer(200, json.dumps({"totalResults": 1, "results": [item]}))).client(tmp_path) as client:
        assert (await client.work_items.page()).results == [item]


@pytest.mark.parametrize("etag", ['"é"', '"a\x01b"', '"' + "x" * 5000 + '"'])
async def test_an_etag_that_could_not_be_sent_back_counts_as_none(tmp_path: Path, etag: str) -> None:
    reply = httpx.Response(200, headers=[(b"etag", etag.encode())], stream=httpx.ByteStream(b'{"id": 1}'))
    async with Foreign(reply).client(tmp_path) as client:
        assert (await client.work_items.fetch(1)).etag is None


@pytest.mark.parametrize(
    "date",
    [
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Mon, 01 Jan 99999999999 00:00:00 GMT",
        "Mon, 01 Jan 2020 00:00:00 +99999999999999",
        "Sat, 01 Jan 0100 00:00:00 GMT",
    ],
)
async def test_a_date_that_cannot_be_is_no_time_and_no_wait(tmp_path: Path, date: str) -> None:
    clock = ServiceClock()

    clock.observe_date_header(date)
    async with Foreign(answer(429, retry_after=date)).client(tmp_path) as client:
        failure = await failure_of(client)

    assert clock.skew in {None, timedelta(0)}
    assert (getattr(failure, "retry_after", None) or 0.0) <= 6 * 3600.0


async def test_a_wish_to_wait_for_years_is_six_hours(tmp_path: Path) -> None:
    async with Foreign(answer(429, retry_after="1000000000")).client(tmp_path) as client:
        failure = await failure_of(client)

    assert getattr(failure, "retry_after", None) == 6 * 3600.0


def attachment(size: int | None) -> Attachment:
    return Attachment(id=5, project_id=1, work_item_id=1, name="a.bin", size=size, url="/file")


@pytest.mark.parametrize("size", [0, 1000])
async def test_a_file_larger_than_it_was_said_to_be_is_not_read_to_its_end(tmp_path: Path, size: int) -> None:
    foreign = Foreign(answer(200, bomb(64 * MEGABYTE), content_encoding="gzip"))
    written: list[int] = []
    async with foreign.client(tmp_path) as client:
        with pytest.raises(ServiceError, match="sent more"):
            await client.transfers.download(attachment(size), tmp_path, lambda done, _: written.append(done))

    assert max(written) <= MEGABYTE
    assert [each for _, _, names in os.walk(tmp_path) for each in names if each.startswith(".backlit")] == []


async def test_the_first_bytes_of_a_bomb_are_enough_for_a_look(tmp_path: Path) -> None:
    async with Foreign(answer(200, bomb(64 * MEGABYTE), content_encoding="gzip")).client(tmp_path) as client:
        assert await client.transfers.read(attachment(None), 100) == b" " * 100


Walk = Callable[[int], dict[str, object]]


@pytest.mark.parametrize(
    "page",
    [
        lambda _skip: {"totalResults": 10**12, "results": [{"name": "the same"}]},
        lambda skip: {"totalResults": 10**12, "results": [{"id": skip % 3 + 1}]},
    ],
    ids=["the same for ever", "three in turn"],
)
async def test_pages_that_come_again_end_the_walk(tmp_path: Path, page: Walk) -> None:
    def reply(request: httpx.Request) -> httpx.Response:
        return answer(200, json.dumps(page(int(request.url.params.get("$skip", 0)))))

    foreign = Foreign(reply)
    async with foreign.client(tmp_path) as client:
        with pytest.raises(ServiceError, match="the same page endlessly"):
            await all_of(client)
    assert len(foreign.requests) < 10


async def all_of(client: Client) -> list[object]:
    return [each async for page in client.users.pages() for each in page.results]
