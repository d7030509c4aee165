"""Attachments: uploads, lists, addresses, ranges, safety, limits, and what becomes of the contents."""

import asyncio
import base64
import hashlib
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from tests.service.signed_in import BASE, SignIn

from backlit.model.plain import file_name
from backlit.model.wrap import TOKEN_PATH
from backlit.service.app import Service
from backlit.service.files.uploads import content_type, is_inline
from backlit.service.storage.settings import ServiceSettings

Client = httpx.AsyncClient
TEXT = b"0123456789"


async def attached(
    client: Client, content: bytes = TEXT, name: str = "a.txt", kind: str = "text/plain", **options: Any
) -> dict[str, Any]:
    place = options.pop("place", "workitems/1")
    answer = await client.post(f"{place}/attachments", files={"files": (name, content, kind)}, params=options)
    assert answer.status_code == 201, answer.text
    document: dict[str, Any] = answer.json()
    return document


def stored(service: Service) -> list[str]:
    """The digests of all contents in the folder."""
    folder = Path(service.settings.files)
    return [f"{path.parent.name}{path.name}" for path in folder.glob("*/*") if path.parent.name != "incoming"]


def part(field: str, name: str) -> bytes:
    """One file of a multipart body."""
    return f'--b\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\nx\r\n'.encode()


def unfinished(service: Service) -> list[Path]:
    return list((Path(service.settings.files) / "incoming").glob("*"))


async def test_a_file_is_attached_read_listed_and_fetched(maya: Client, service: Service) -> None:
    answer = await maya.post("workitems/1/attachments", files={"files": ("a b.txt", TEXT, "text/plain")})

    document = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"] == f"{BASE}/api/v1/attachments/{document['id']}"
    assert list(document) == [
        "id", "projectId", "workItemId", "commentId", "name", "description", "size", "friendlySize", "url",
        "downloadUrl", "type", "createdBy", "createdAt", "lastModifiedBy", "lastModifiedAt",
    ]  # fmt: skip
    assert (document["name"], document["size"], document["friendlySize"]) == ("a b.txt", 10, "10.00 B")
    assert (document["commentId"], document["description"], document["type"]) == (None, None, "Service")
    assert document["url"] == f"{BASE}/attachments/stream/{document['id']}/a%20b.txt"
    assert document["downloadUrl"] == f"{BASE}/attachments/download/{document['id']}/a%20b.txt"
    assert (await maya.get(f"attachments/{document['id']}")).json() == document
    for path in ("attachments", "workitems/1/attachments"):
        assert (await maya.get(path)).json() == {"totalResults": 1, "top": 1, "results": [document]}
    assert (await maya.get("workitems/2/attachments")).json()["totalResults"] == 0
    assert (await maya.get(document["url"])).content == (await maya.get(document["downloadUrl"])).content == TEXT
    assert (await maya.get(f"{BASE}/Attachments/STREAM/{document['id']}/a%20b.txt")).content == TEXT
    assert stored(service) == [hashlib.sha256(TEXT).hexdigest()]
    assert unfinished(service) == []


async def test_a_comment_can_have_attachments(maya: Client, service: Service) -> None:
    comment = (await maya.post("comments", json={"projectId": 1, "workItemId": 1, "description": "x"})).json()

    document = await attached(maya, place=f"comments/{comment['id']}")

    assert (document["commentId"], document["workItemId"]) == (comment["id"], 1)
    assert (await maya.get(f"comments/{comment['id']}/attachments")).json()["results"] == [document]
    await maya.delete(f"comments/{comment['id']}")
    assert (await maya.get(document["url"])).status_code == 404
    assert stored(service) == []


@pytest.mark.parametrize(("sent", "kept"), [("Feedback", "Feedback"), ("Service", "Service"), ("backlit", "Service")])
async def test_the_type_is_given_in_the_address(maya: Client, sent: str, kept: str) -> None:
    assert (await attached(maya, type=sent))["type"] == kept
    wrong = await maya.post("workitems/1/attachments?type=Loud", files={"files": ("a", b"a")})
    assert set(wrong.json()["errors"]) == {"type"}


async def test_only_the_description_can_be_changed(maya: Client, jon: Client) -> None:
    document = await attached(maya)
    path = f"attachments/{document['id']}"
    etag = (await maya.get(path)).headers["etag"]

    changed = await jon.put(path, json={"description": "Seen", "name": "b", "size": 0}, headers={"if-match": etag})

    assert changed.status_code == 200
    assert changed.json() == document | {
        "description": "Seen", "lastModifiedBy": "jon", "lastModifiedAt": changed.json()["lastModifiedAt"],
    }  # fmt: skip
    assert (await maya.put(path, json={"description": None}, headers={"if-match": etag})).status_code == 412
    assert (await maya.delete(path, headers={"if-match": etag})).status_code == 412
    assert (await maya.put(path, json={"description": 5})).status_code == 400
    for same in ({"name": "b"}, {"description": "Seen"}):
        assert (await maya.put(path, json=same)).json() == changed.json()
    assert (await maya.put(path, json={"description": ""})).json()["description"] == ""
    assert (await maya.put(path, json={"description": None})).json()["description"] is None
    assert (await maya.get("attachments?$filter=size eq 10 and name eq 'a.txt'")).json()["totalResults"] == 1


async def test_attachments_are_listed_in_pages_with_their_whole_total(maya: Client) -> None:
    made = [(await attached(maya, name=name))["id"] for name in ("c", "a", "b")]

    pages: list[tuple[dict[str, str | int], list[int]]] = [
        ({"$top": 2}, made[:2]),
        ({"$top": 2, "$skip": 1}, made[1:]),
        ({"$skip": 2}, made[2:]),
        ({"$skip": 3}, []),
        ({"$orderby": "name", "$skip": 1}, [made[2], made[0]]),
    ]
    for options, found in pages:
        answer = (await maya.get("workitems/1/attachments", params=options)).json()
        assert ([each["id"] for each in answer["results"]], answer["totalResults"]) == (found, 3), options


async def test_contents_go_with_their_last_attachment(maya: Client, service: Service) -> None:
    first, second = await attached(maya), await attached(maya, place="workitems/2", name="b")
    assert len(stored(service)) == 1

    await maya.delete(f"attachments/{first['id']}")
    assert (await maya.get(second["url"])).content == TEXT
    answer = await maya.delete(f"attachment/{second['id']}")

    assert (answer.status_code, answer.json()) == (200, {"id": second["id"]})
    assert stored(service) == []


async def test_deleting_an_item_deletes_the_files_of_its_tasks_too(maya: Client, service: Service) -> None:
    story = (await maya.post("workitems", json={"type": "Story", "projectId": 1, "fields": {"Name": "x"}})).json()["id"]
    fields = {"Name": "x", "ParentID": story}
    task = (await maya.post("workitems", json={"type": "Task", "projectId": 1, "fields": fields})).json()["id"]
    await attached(maya, b"one", place=f"workitems/{story}")
    below = await attached(maya, b"two", place=f"workitems/{task}")

    await maya.delete(f"workitems/{story}")

    assert stored(service) == []
    assert (await maya.get(f"attachments/{below['id']}")).status_code == 404


async def test_uploading_while_the_same_contents_are_deleted_loses_nothing(maya: Client, service: Service) -> None:
    for _ in range(5):
        old = await attached(maya)
        new, _gone = await asyncio.gather(attached(maya), maya.delete(f"attachments/{old['id']}"))
        assert (await maya.get(new["url"])).content == TEXT
        await maya.delete(f"attachments/{new['id']}")
    assert stored(service) == []


@pytest.mark.parametrize(
    ("asked", "status", "content"),
    [
        ("bytes=0-3", 206, b"0123"), ("bytes=4-", 206, b"456789"), ("bytes=-2", 206, b"89"), ("bytes=8-99", 206, b"89"),
        ("bytes=0-", 206, TEXT), ("bytes=-99", 206, TEXT), ("bytes=10-", 416, b""), ("bytes=-0", 416, b""),
        ("bytes=5-2", 200, TEXT), ("bytes=0-1,3-4", 200, TEXT), ("lines=1-2", 200, TEXT), ("bytes=x", 200, TEXT),
        (f"bytes={'9' * 30}-", 200, TEXT),
    ],
)  # fmt: skip
async def test_a_range_can_be_fetched(maya: Client, asked: str, status: int, content: bytes) -> None:
    url = (await attached(maya))["url"]

    answer = await maya.get(url, headers={"range": asked})

    assert (answer.status_code, answer.content) == (status, content)
    assert (answer.headers["accept-ranges"], answer.headers["content-length"]) == ("bytes", str(len(content)))
    if status == 206:
        first = TEXT.index(content)
        assert answer.headers["content-range"] == f"bytes {first}-{first + len(content) - 1}/10"
    if status == 416:
        assert answer.headers["content-range"] == "bytes */10"


async def test_if_range_and_head(maya: Client) -> None:
    url = (await attached(maya))["url"]
    etag = (await maya.get(url)).headers["etag"]

    same = await maya.get(url, headers={"range": "bytes=0-0", "if-range": etag})
    other = await maya.get(url, headers={"range": "bytes=0-0", "if-range": '"other"'})
    head = await maya.head(url)

    assert (same.content, other.content) == (b"0", TEXT)
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", "10")


@pytest.mark.parametrize("asked", [{}, {"range": "bytes=2-3"}], ids=["whole", "range"])
async def test_contents_carry_the_digest_of_the_whole_file(maya: Client, asked: dict[str, str]) -> None:
    answer = await maya.get((await attached(maya))["downloadUrl"], headers=asked)

    digest = base64.b64encode(hashlib.sha256(TEXT).digest()).decode()
    assert answer.headers["repr-digest"] == f"sha-256=:{digest}:"


async def test_an_empty_file_is_a_file(maya: Client) -> None:
    document = await attached(maya, b"", "empty.bin", "")

    answer = await maya.get(document["url"])

    assert (document["size"], document["friendlySize"]) == (0, "0.00 B")
    assert (answer.status_code, answer.content) == (200, b"")
    assert (await maya.get(document["url"], headers={"range": "bytes=0-"})).status_code == 416


@pytest.mark.parametrize(
    ("name", "sent", "served", "shown"),
    [
        ("a.png", "image/png", "image/png", True),
        ("a.txt", "text/plain; charset=UTF-8", "text/plain; charset=UTF-8", True),
        ("a.pdf", "application/octet-stream", "application/pdf", True),
        ("a.html", "text/html", "text/html", False),
        ("a.svg", "image/svg+xml", "image/svg+xml", False),
        ("a.png", "TEXT/HTML", "text/html", False),
        ("a.xhtml", "application/xhtml+xml", "application/xhtml+xml", False),
        ("a.unknown", "", "application/octet-stream", False),
        ("a.png", "no type", "image/png", True),
    ],
)
async def test_content_types_with_scripts_are_not_inline(
    maya: Client, name: str, sent: str, served: str, shown: bool
) -> None:
    document = await attached(maya, name=name, kind=sent)

    stream, download = await maya.get(document["url"]), await maya.get(document["downloadUrl"])

    assert stream.headers["content-type"] == download.headers["content-type"] == served
    assert stream.headers["x-content-type-options"] == "nosniff"
    assert stream.headers["content-disposition"].startswith("inline" if shown else "attachment")
    assert download.headers["content-disposition"].startswith("attachment")
    assert "default-src 'none'" in stream.headers["content-security-policy"]
    assert shown or "sandbox" in stream.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a.txt", "a.txt"),
        ("a\r\nSet-Cookie: x.txt", "aSet-Cookie: x.txt"),
        ("evil\u202etxt.exe", "eviltxt.exe"),
        (".gitignore", ".gitignore"),
        ("notes.", "notes."),
        ("...", "..."),
        ("..", "file"),
        (" .\u200b. ", "file"),
        ("a/.", "file"),
        ("", "file"),
        ("  name .txt ", "name .txt"),
        ("é" * 300 + ".txt", "é" * 98 + ".txt"),
        ("日本.pdf", "日本.pdf"),
    ],
)
def test_names_are_made_harmless(given: str, kept: str) -> None:
    assert file_name(given) == kept


@pytest.mark.parametrize("name", [".gitignore", "..hidden", "notes.", "...", ".env.", "a.tar..gz"])
async def test_dots_of_a_name_are_kept(maya: Client, name: str) -> None:
    document = await attached(maya, name=name)

    answer = await maya.get(document["downloadUrl"])
    assert document["name"] == name
    assert f'filename="{name}"' in answer.headers["content-disposition"]


async def test_an_odd_name_survives_the_whole_way(maya: Client) -> None:
    name = "日本 100%;x='y', #1.txt"

    document = await attached(maya, name=name)

    answer = await maya.get(document["url"])
    assert document["name"] == name
    assert answer.content == TEXT
    assert "filename*=UTF-8''%E6%97%A5%E6%9C%AC" in answer.headers["content-disposition"]
    assert is_inline(content_type("", "a.mp3"))


async def test_contents_are_only_for_those_who_may_see_the_item(
    maya: Client, rex: Client, visitor: Client, sign_in: SignIn
) -> None:
    items = await maya.get("workitems", params={"$filter": "projectId eq 2", "$top": "1"})
    hidden = await attached(maya, place=f"workitems/{items.json()['results'][0]['id']}")
    seen = await attached(maya)

    for path in ("url", "downloadUrl"):
        assert (await rex.get(hidden[path])).status_code == 404
        assert (await rex.get(hidden[path].replace(str(hidden["id"]), "987654"))).status_code == 404
        assert (await rex.get(seen[path])).content == TEXT
        assert (await visitor.get(seen[path])).status_code == 401
    assert [a["id"] for a in (await rex.get("attachments")).json()["results"]] == [seen["id"]]


@pytest.fixture
async def small(settings: ServiceSettings) -> AsyncIterator[Service]:
    service = Service(replace(settings, max_upload=1000))
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def jon_of_small(small: Service) -> AsyncIterator[Client]:
    async with Client(transport=httpx.ASGITransport(small.asgi), base_url=f"{BASE}/api/v1/") as client:
        form = {"wrap_client_id": "uri:backlit", "wrap_verification_code": small.invite("jon")}
        grant = httpx.QueryParams((await client.post(f"{BASE}{TOKEN_PATH}", data=form)).text)
        client.headers["authorization"] = f"WRAP access_token={grant['wrap_access_token']}"
        yield client


async def test_a_file_over_the_limit_is_refused_and_not_kept(jon_of_small: Client, small: Service) -> None:
    fits = await jon_of_small.post("workitems/1/attachments", files={"files": ("a", b"x" * 1000)})
    over = await jon_of_small.post("workitems/1/attachments", files={"files": ("a", b"x" * 1001)})

    assert (fits.status_code, over.status_code) == (201, 413)
    assert over.headers["connection"] == "close"
    assert set(over.json()) == {"message", "errors"}
    assert len(stored(small)) == 1
    assert unfinished(small) == []
    assert (await jon_of_small.get("capabilities")).json()["limits"]["upload"] == 1000


async def test_a_large_body_is_not_read_on(jon_of_small: Client) -> None:
    sent = []

    async def endless() -> AsyncIterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'
        for _ in range(10_000):
            sent.append(65536)
            yield b"x" * 65536

    headers = {"content-type": "multipart/form-data; boundary=b"}
    answer = await jon_of_small.post("workitems/1/attachments", content=endless(), headers=headers)

    assert answer.status_code == 413
    assert sum(sent) < 2_000_000
    announced = headers | {"content-length": "10000000"}
    assert (await jon_of_small.post("workitems/1/attachments", content=b"", headers=announced)).status_code == 413


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("application/json", b"{}", 415),
        ("multipart/form-data", b"", 400),
        ("multipart/form-data; boundary=b", b"", 400),
        ("multipart/form-data; boundary=b", b"nonsense", 400),
        ("multipart/form-data; boundary=" + "b" * 300, b"", 400),
        ("multipart/form-data; boundary=b", b"--b--\r\n", 400),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="files"\r\n\r\nx\r\n--b--',
            400,
        ),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nbroken of',
            400,
        ),
        (
            "multipart/form-data; boundary=b",
            part("files", "a") + part("files", "b") + b"--b--\r\n",
            400,
        ),
        (
            "multipart/form-data; boundary=b",
            part("note", "b") + part("files", "a") + b"--b--\r\n",
            201,
        ),
    ],
)
async def test_bodies_of_every_shape_are_answered(
    maya: Client, service: Service, kind: str, body: bytes, status: int
) -> None:
    answer = await maya.post("workitems/1/attachments", content=body, headers={"content-type": kind})

    assert answer.status_code == status, answer.text
    assert unfinished(service) == []


def make_old(service: Service, except_for: str) -> None:
    """Set back the age of all contents but one, and of one unfinished upload."""
    long_ago = time.time() - 7200
    for path in (*Path(service.settings.files).glob("??/*"), unfinished(service)[0]):
        if path.name != except_for[2:]:
            os.utime(path, (long_ago, long_ago))


async def test_orphans_are_collected_once_they_are_old(maya: Client, service: Service) -> None:
    await attached(maya)
    contents = service.shared.contents
    orphan, young = contents.store.begin(), contents.store.begin()
    for incoming, data in ((orphan, b"orphan"), (young, b"young")):
        incoming.write(data)
        incoming.finish()
        contents.store.keep(incoming)
        contents.store.forget(incoming)
    contents.store.begin().finish()
    make_old(service, except_for=young.digest)

    removed = await asyncio.to_thread(contents.sweep)

    assert removed == 1
    assert set(stored(service)) == {hashlib.sha256(TEXT).hexdigest(), young.digest}
    assert unfinished(service) == []
