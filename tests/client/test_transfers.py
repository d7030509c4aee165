"""Files up and down through the client: streamed, resumed, never over what is there."""

import asyncio
import os
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from tests.client.foreign import BASE, Foreign, Parts, answer

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import NotFound, Offline, OutcomeUnknown, ServiceError, StorageError, TooLarge
from backlit.model.resources import Attachment

CONTENT = bytes(range(256)) * 4000
Seen = list[tuple[int, int]]


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def part_in(folder: Path, suffix: str = "part") -> Path:
    (part,) = folder.glob(f".*.{suffix}")
    return part


def quietly(_done: int, _total: int) -> None:
    return


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.bin"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "saved"
    path.mkdir()
    return path


@pytest.fixture
async def attachment(client: Client, file: Path) -> Attachment:
    found = await client.transfers.upload("workitems/1", file, "application/octet-stream", quietly)
    return Attachment.read(found, "tracker.example")


async def test_attached_file_downloads_byte_for_byte(client: Client, file: Path, folder: Path) -> None:
    up: Seen = []
    down: Seen = []
    found = await client.transfers.upload(
        "workitems/1", file, "application/octet-stream", lambda *how_far: up.append(how_far)
    )

    saved = await client.transfers.download(
        Attachment.read(found, "tracker.example"), folder, lambda *how_far: down.append(how_far)
    )

    assert (saved, saved.read_bytes()) == (folder / "plan.bin", CONTENT)
    assert up[-1] == down[-1] == (len(CONTENT), len(CONTENT))
    assert len(up) > 3
    assert len(down) > 3


async def test_a_comment_can_have_a_file_where_the_service_can(client: Client, file: Path) -> None:
    comment = await client.comments.create({"projectId": 1, "workItemId": 1, "description": "See the plan"})

    found = await client.transfers.upload(f"comments/{comment['id']}", file, "text/plain", quietly, "Feedback")

    assert (found["commentId"], found["type"], found["name"]) == (comment["id"], "Feedback", "plan.bin")


async def test_a_file_that_is_there_is_never_written_over(client: Client, attachment: Attachment, folder: Path) -> None:
    (folder / "plan.bin").write_text("mine")

    saved = [await client.transfers.download(attachment, folder, quietly) for _ in range(2)]

    assert [path.name for path in saved] == ["plan (1).bin", "plan (2).bin"]
    assert (folder / "plan.bin").read_text() == "mine"
    assert sorted(names_in(folder)) == ["plan (1).bin", "plan (2).bin", "plan.bin"]


async def test_a_link_that_leads_nowhere_is_never_written_over(
    client: Client, attachment: Attachment, folder: Path
) -> None:
    (folder / "plan.bin").symlink_to(folder / "nowhere")

    saved = await client.transfers.download(attachment, folder, quietly)

    assert saved.name == "plan (1).bin"
    assert sorted(names_in(folder)) == ["plan (1).bin", "plan.bin"]


async def test_a_download_takes_a_name_of_the_callers_choice(
    client: Client, attachment: Attachment, folder: Path
) -> None:
    saved = await client.transfers.download(attachment, folder, quietly, "other/mine.bin")

    assert (saved.parent, saved.suffix, saved.name == "plan.bin") == (folder, ".bin", False)
    assert "mine" in saved.name


@pytest.mark.parametrize(
    ("name", "typed", "saved_as"),
    [
        (".gitignore", "", "gitignore"),
        (".gitignore", ".gitignore", ".gitignore"),
        ("notes.", "", "notes"),
        ("...", "", "file"),
        (". .bashrc", "", "bashrc"),
    ],
)
async def test_dots_of_a_name_stay_on_the_server_unless_they_are_typed(
    client: Client, folder: Path, name: str, typed: str, saved_as: str
) -> None:
    (folder.parent / name).write_bytes(CONTENT)
    found = await client.transfers.upload("workitems/1", folder.parent / name, "text/plain", quietly)

    saved = await client.transfers.download(Attachment.read(found, "tracker.example"), folder, quietly, typed)

    assert found["name"] == name
    assert saved == folder / saved_as


async def test_a_file_gets_a_free_name_where_the_disk_has_no_links(
    client: Client, attachment: Attachment, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_source: Path, _target: Path) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("os.link", refused)

    saved = [await client.transfers.download(attachment, folder, quietly) for _ in range(2)]

    assert [path.read_bytes() for path in saved] == [CONTENT, CONTENT]
    assert sorted(names_in(folder)) == ["plan (1).bin", "plan.bin"]


async def test_a_name_from_the_service_never_leads_out_of_the_folder(
    client: Client, attachment: Attachment, folder: Path
) -> None:
    evil = replace(attachment, name="../../../etc/\x1b[31mpasswd")

    saved = await client.transfers.download(evil, folder, quietly)

    assert saved == folder / "[31mpasswd"


async def test_a_broken_transfer_goes_on_where_it_stopped(client: Client, attachment: Attachment, folder: Path) -> None:
    def break_off(done: int, _total: int) -> None:
        if done > 500_000:
            raise httpx.ReadError("broke")

    with pytest.raises(Offline, match="Start it again to resume"):
        await client.transfers.download(attachment, folder, break_off)
    seen: Seen = []

    saved = await client.transfers.download(attachment, folder, lambda *how_far: seen.append(how_far))

    assert saved.read_bytes() == CONTENT
    assert seen[0][0] > 500_000


TEN = b"0123456789"
ETAG = '"one"'
SMALL = Attachment(id=7, project_id=1, work_item_id=1, name="a.bin", size=10, download_url=f"{BASE}/7")


def broken_after(content: bytes, **headers: str) -> httpx.Response:
    return httpx.Response(200, headers=headers, stream=Parts([content, httpx.ReadError("broke")]))


async def test_a_damaged_part_is_found_by_the_digest_of_the_service(
    client: Client, attachment: Attachment, folder: Path
) -> None:
    def break_off(done: int, _total: int) -> None:
        if done > 500_000:
            raise httpx.ReadError("broke")

    with pytest.raises(Offline):
        await client.transfers.download(attachment, folder, break_off)
    with part_in(folder).open("r+b") as file:
        file.write(b"damaged")

    with pytest.raises(ServiceError, match="arrived damaged"):
        await client.transfers.download(attachment, folder, quietly)
    saved = await client.transfers.download(attachment, folder, quietly)

    assert saved.read_bytes() == CONTENT


async def test_a_pipe_is_not_attached(client: Client, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(StorageError, match="not a regular file"):
        await client.transfers.upload("workitems/1", tmp_path / "pipe", "text/plain", quietly)


async def test_a_download_that_breaks_off_keeps_its_beginning(tmp_path: Path, folder: Path) -> None:
    begin = b"0" * 262_144
    size = len(begin) + 3
    attachment = replace(SMALL, size=size)
    broken = broken_after(begin, etag=ETAG)
    rest = answer(206, b"end", content_range=f"bytes {len(begin)}-{size - 1}/{size}")

    async with Foreign(broken, rest).client(tmp_path) as client:
        with pytest.raises(Offline, match="Start it again to resume"):
            await client.transfers.download(attachment, folder, quietly)
        assert part_in(folder).stat().st_size == len(begin)
        saved = await client.transfers.download(attachment, folder, quietly)

    assert saved.read_bytes() == begin + b"end"
    assert names_in(folder) == ["a.bin"]


async def test_a_beginning_of_no_stated_version_is_not_kept(tmp_path: Path, folder: Path) -> None:
    async with Foreign(broken_after(TEN[:4])).client(tmp_path) as client:
        with pytest.raises(Offline, match=r"Start it again\.$"):
            await client.transfers.download(SMALL, folder, quietly)

    assert names_in(folder) == []


@pytest.mark.parametrize("address", ["", "https://tracker.example:port/7"])
async def test_an_attachment_without_a_usable_address_is_said(tmp_path: Path, folder: Path, address: str) -> None:
    attachment = Attachment(id=7, project_id=1, work_item_id=1, name="a.bin", size=1, download_url=address)
    foreign = Foreign(answer(200, b"0"))

    async with foreign.client(tmp_path) as client:
        with pytest.raises(ServiceError, match=r"tracker\.example names no"):
            await client.transfers.download(attachment, folder, quietly)

    assert foreign.requests == []


async def test_a_cancelled_download_leaves_its_beginning_and_nothing_under_the_name(
    client: Client, attachment: Attachment, folder: Path
) -> None:
    begun = asyncio.Event()
    task = asyncio.create_task(client.transfers.download(attachment, folder, lambda *_: begun.set()))
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])

    assert task.cancelled()
    assert sorted(names_in(folder)) == [part_in(folder, "etag").name, part_in(folder).name]


async def test_an_address_on_a_host_behind_a_tunnel_is_asked_here(
    client: Client, attachment: Attachment, folder: Path
) -> None:
    address = attachment.download_url.replace("http://backlit.local", "https://inner.example:8443")
    moved = replace(attachment, download_url=address)

    assert (await client.transfers.download(moved, folder, quietly)).read_bytes() == CONTENT


async def test_the_first_bytes_are_enough_for_a_look(client: Client, attachment: Attachment) -> None:
    assert await client.transfers.read(attachment, 300) == CONTENT[:300]


async def test_transfers_report_unreadable_and_unwritable_files(
    client: Client, attachment: Attachment, tmp_path: Path
) -> None:
    with pytest.raises(StorageError, match=r"nothing\.txt cannot be read"):
        await client.transfers.upload("workitems/1", tmp_path / "nothing.txt", "text/plain", quietly)
    with pytest.raises(StorageError, match="cannot be written"):
        await client.transfers.download(attachment, tmp_path / "nowhere", quietly)


async def test_an_attachment_that_is_gone_is_not_found(client: Client, attachment: Attachment, folder: Path) -> None:
    await client.attachments.delete(attachment.id)

    with pytest.raises(NotFound):
        await client.transfers.download(attachment, folder, quietly)


class Broken(httpx.AsyncBaseTransport):
    """Reads what is sent, then answers as it was told."""

    def __init__(self, answer: httpx.Response | httpx.RequestError) -> None:
        self.answer = answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        if isinstance(self.answer, httpx.RequestError):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("told", "error"),
    [
        (httpx.ConnectError("no"), Offline),
        (httpx.ReadError("broke"), OutcomeUnknown),
        (answer(201, b"not json"), OutcomeUnknown),
        (answer(302, b'{"id": 7}'), ServiceError),
        (answer(500, b"oops"), ServiceError),
        (answer(502), OutcomeUnknown),
        (answer(504, b"oops"), OutcomeUnknown),
        (httpx.Response(201, stream=Parts([b"{", httpx.ReadError("broke")])), OutcomeUnknown),
        (httpx.Response(500, stream=Parts([b"oops", httpx.ReadError("broke")])), ServiceError),
        (httpx.Response(413, stream=Parts([httpx.ReadTimeout("silent")])), TooLarge),
    ],
)
@pytest.mark.usefixtures("client")
async def test_an_upload_whose_fate_is_unknown_is_not_taken_for_failed(
    tokens: TokenCache,
    file: Path,
    told: httpx.Response | httpx.RequestError,
    error: type[Exception],
) -> None:
    async with Client.at("http://backlit.local", tokens, transport=Broken(told)) as other:
        with pytest.raises(error):
            await other.transfers.upload("workitems/1", file, "text/plain", quietly)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (httpx.ConnectError("no"), "cannot be reached"),
        (httpx.Response(200, stream=Parts([b"0", httpx.ReadError("broke")])), "broke off"),
        (httpx.Response(200, stream=Parts([b"0", httpx.ReadTimeout("silent")])), "broke off"),
    ],
)
@pytest.mark.parametrize("is_preview", [True, False])
async def test_a_download_without_a_whole_answer_is_offline(
    tmp_path: Path, folder: Path, told: httpx.Response | httpx.RequestError, words: str, *, is_preview: bool
) -> None:
    attachment = Attachment(id=7, project_id=1, work_item_id=1, name="a.bin", size=3, download_url=f"{BASE}/7")
    async with Foreign(told).client(tmp_path) as client:
        transfers = client.transfers
        with pytest.raises(Offline, match=words):
            await (transfers.read(attachment, 3) if is_preview else transfers.download(attachment, folder, quietly))


@pytest.mark.parametrize(("limit", "found"), [(2, b"01"), (3, b"012"), (4, b"0123"), (9, b"01234")])
async def test_a_preview_has_no_more_than_its_limit(tmp_path: Path, limit: int, found: bytes) -> None:
    attachment = Attachment(id=7, project_id=1, work_item_id=1, name="a.bin", size=5, download_url=f"{BASE}/7")
    foreign = Foreign(httpx.Response(200, stream=Parts([b"012", b"34"])))
    async with foreign.client(tmp_path) as client:
        assert await client.transfers.read(attachment, limit) == found


@pytest.mark.parametrize("limit", [3, 262_144])
async def test_a_preview_ends_the_transfer_at_its_limit(tmp_path: Path, limit: int) -> None:
    attachment = Attachment(id=7, project_id=1, work_item_id=1, name="a.bin", size=9, download_url=f"{BASE}/7")
    foreign = Foreign(httpx.Response(200, stream=Parts([b"0" * 262_144, httpx.ReadError("broke")])))
    async with foreign.client(tmp_path) as client:
        assert await client.transfers.read(attachment, limit) == b"0" * limit


@pytest.mark.parametrize(("kind", "query"), [(None, b""), ("Feedback", b"type=Feedback")])
async def test_the_type_of_a_file_is_sent_only_where_it_has_one(
    tmp_path: Path, file: Path, kind: str | None, query: bytes
) -> None:
    foreign = Foreign(answer(201, '{"id": 7}'))
    async with foreign.client(tmp_path) as client:
        await client.transfers.upload("comments/3", file, "text/plain", quietly, kind)

    (request,) = foreign.requests
    assert (request.method, request.url.path, request.url.query) == ("POST", "/api/v1/comments/3/attachments", query)


@pytest.mark.parametrize(
    ("addresses", "asked"),
    [
        ({"download_url": f"{BASE}/files/7?version=2%2F3", "url": f"{BASE}/view/7"}, f"{BASE}/files/7?version=2%2F3"),
        ({"url": f"{BASE}/view/7"}, f"{BASE}/view/7"),
        ({"download_url": "/files/7"}, f"{BASE}/files/7"),
    ],
)
async def test_a_file_is_read_at_its_own_address(
    tmp_path: Path, folder: Path, addresses: dict[str, str], asked: str
) -> None:
    attachment = replace(Attachment(id=7, project_id=1, work_item_id=1, name="a.bin", size=1), **addresses)
    foreign = Foreign(answer(200, b"0"))
    async with foreign.client(tmp_path) as client:
        saved = await client.transfers.download(attachment, folder, quietly)

    assert [str(each.url) for each in foreign.requests] == [asked]
    assert saved.stat().st_mode & 0o777 == 0o600


async def test_a_redirect_is_not_followed(tmp_path: Path, folder: Path) -> None:
    foreign = Foreign(answer(302, TEN, location=f"{BASE}/8"), answer(200, TEN))

    async with foreign.client(tmp_path) as client:
        with pytest.raises(ServiceError):
            await client.transfers.download(SMALL, folder, quietly)

    assert names_in(folder) == []
    assert len(foreign.requests) == 1
