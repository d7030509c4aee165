"""The part of a broken download: it becomes the file whose beginning it is, and no other."""

import asyncio
import base64
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from tests.client.foreign import BASE, Foreign, Parts, answer

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import Offline, ServiceError, StorageError
from backlit.model.resources import Attachment
from backlit.model.wrap import TokenGrant

TEN = b"0123456789"
TEN_DIGEST = f"sha-256=:{base64.b64encode(hashlib.sha256(TEN).digest()).decode()}:"
ETAG = '"one"'
SMALL = Attachment(id=7, project_id=1, work_item_id=1, name="a.bin", size=10, download_url=f"{BASE}/7")


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def part_in(folder: Path, suffix: str = "part") -> Path:
    (part,) = folder.glob(f".*.{suffix}")
    return part


def quietly(_done: int, _total: int) -> None:
    return


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "saved"
    path.mkdir()
    return path


def broken_after(content: bytes, **headers: str) -> httpx.Response:
    return httpx.Response(200, headers=headers, stream=Parts([content, httpx.ReadError("broke")]))


async def break_off(place: Path, folder: Path, content: bytes, **headers: str) -> None:
    """Leave a part of SMALL in the folder."""
    async with Foreign(broken_after(content, **headers)).client(place) as client:
        with pytest.raises(Offline):
            await client.transfers.download(SMALL, folder, quietly)


@pytest.mark.parametrize("received", [1, 9, 10])
@pytest.mark.parametrize(
    "change", ["server", "attachment", "version", "no version", "weak version"], ids=lambda change: change
)
async def test_a_file_never_has_bytes_of_another(tmp_path: Path, folder: Path, change: str, received: int) -> None:
    etag = {"no version": {}, "weak version": {"etag": 'W/"one"'}}.get(change, {"etag": ETAG})
    await break_off(tmp_path, folder, TEN[:received], **etag)
    other = replace(SMALL, id=8) if change == "attachment" else SMALL
    content = b"abcdefghij"

    def serve(request: httpx.Request) -> httpx.Response:
        current = '"two"' if change == "version" else ETAG
        if request.headers.get("range") and request.headers.get("if-range", current) == current:
            begin = int(request.headers["range"].removeprefix("bytes=").removesuffix("-"))
            return answer(206, content[begin:], content_range=f"bytes {begin}-9/10", etag=current)
        return answer(200, content, etag=current)

    cache = TokenCache(tmp_path / "tokens.json", BASE)
    cache.save(TokenGrant("name=maya&HMACSHA256=abc%3D", "refresh-1", 3600))
    at = "https://other.example" if change == "server" else BASE
    async with Client.at(at, cache, transport=Foreign(serve)) as client:
        saved = await client.transfers.download(other, folder, quietly)

    assert saved.read_bytes() == content


@pytest.mark.parametrize("received", [1, 9, 10])
async def test_only_what_is_missing_of_the_same_version_is_asked(tmp_path: Path, folder: Path, received: int) -> None:
    await break_off(tmp_path, folder, TEN[:received], etag=ETAG)
    begin = min(received, 9)
    foreign = Foreign(answer(206, TEN[begin:], content_range=f"bytes {begin}-9/10", etag=ETAG, repr_digest=TEN_DIGEST))

    async with foreign.client(tmp_path) as client:
        saved = await client.transfers.download(SMALL, folder, quietly)

    assert saved.read_bytes() == TEN
    (request,) = foreign.requests
    asked = {name: request.headers.get(name) for name in ("range", "if-range", "accept-encoding")}
    assert asked == {"range": f"bytes={begin}-", "if-range": ETAG, "accept-encoding": "identity"}
    assert names_in(folder) == ["a.bin"]


@pytest.mark.parametrize(
    "unfit",
    [
        answer(206, b"56789", content_range="bytes 5-9/10", etag=ETAG),
        answer(206, b"456789", content_range="bytes 4-9/11", etag=ETAG),
        answer(206, b"456789", content_range="bytes 4-9/10", etag='"two"'),
        answer(206, b"456789"),
        answer(416, content_range="bytes */3"),
    ],
    ids=["elsewhere", "another size", "another version", "no range", "behind its end"],
)
async def test_the_whole_file_is_asked_where_the_rest_does_not_fit(
    tmp_path: Path, folder: Path, unfit: httpx.Response
) -> None:
    await break_off(tmp_path, folder, TEN[:4], etag=ETAG)
    foreign = Foreign(unfit, answer(200, TEN, etag='"two"'))

    async with foreign.client(tmp_path) as client:
        saved = await client.transfers.download(SMALL, folder, quietly)

    assert saved.read_bytes() == TEN
    assert [request.headers.get("range") for request in foreign.requests] == ["bytes=4-", None]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (answer(200, TEN[:9]), "tracker.example declared 10 bytes and sent 9"),
        (answer(200, TEN + b"a"), "tracker.example declared 10 bytes and sent more"),
        (answer(200, b"abcdefghij", repr_digest=TEN_DIGEST, etag=ETAG), "arrived damaged"),
        (answer(206, TEN, content_range="bytes 0-9/10"), "a part of the file"),
    ],
    ids=["short", "long", "damaged", "part"],
)
async def test_a_file_of_another_size_or_digest_than_stated_is_not_saved(
    tmp_path: Path, folder: Path, told: httpx.Response, words: str
) -> None:
    async with Foreign(told).client(tmp_path) as client:
        with pytest.raises(ServiceError, match=words):
            await client.transfers.download(SMALL, folder, quietly)

    assert names_in(folder) == []


@pytest.mark.parametrize("suffix", ["part", "etag"])
@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
async def test_what_is_no_file_in_place_of_the_part_is_neither_followed_nor_waited_for(
    tmp_path: Path, folder: Path, kind: str, suffix: str
) -> None:
    await break_off(tmp_path, folder, TEN[:4], etag=ETAG)
    place = part_in(folder, suffix)
    place.unlink()
    (tmp_path / "other").write_bytes(b"mine")
    make_in_place(place, kind, tmp_path / "other")
    foreign = Foreign(answer(200, TEN))

    async with foreign.client(tmp_path) as client:
        if suffix == "part":
            with pytest.raises(StorageError, match="in the way of the download"):
                await client.transfers.download(SMALL, folder, quietly)
        elif kind == "folder":
            with pytest.raises(StorageError, match="cannot be written"):
                await client.transfers.download(SMALL, folder, quietly)
        else:
            await client.transfers.download(SMALL, folder, quietly)

    assert (tmp_path / "other").read_bytes() == b"mine"


def make_in_place(place: Path, kind: str, other: Path) -> None:
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "link":
        place.symlink_to(other)
    else:
        place.mkdir()


async def test_a_part_that_became_the_users_file_is_left_alone(tmp_path: Path, folder: Path) -> None:
    await break_off(tmp_path, folder, TEN[:4], etag=ETAG)
    os.link(part_in(folder), folder / "mine.bin")

    async with Foreign(answer(200, TEN)).client(tmp_path) as client:
        await client.transfers.download(SMALL, folder, quietly)

    assert (folder / "mine.bin").read_bytes() == TEN[:4]


async def test_two_downloads_of_one_file_do_not_share_a_part(tmp_path: Path, folder: Path) -> None:
    begun, may_go_on = asyncio.Event(), asyncio.Event()

    class Waiting(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield TEN[:4]
            begun.set()
            await may_go_on.wait()
            yield TEN[4:]

    async with Foreign(httpx.Response(200, stream=Waiting())).client(tmp_path) as client:
        first = asyncio.create_task(client.transfers.download(SMALL, folder, quietly))
        await begun.wait()
        with pytest.raises(StorageError, match="is being downloaded"):
            await client.transfers.download(SMALL, folder, quietly)
        may_go_on.set()
        saved = await first

    assert saved.read_bytes() == TEN
    assert names_in(folder) == ["a.bin"]
