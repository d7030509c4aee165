"""Attachments in an S3-compatible object store, against moto's server."""

import asyncio
import hashlib
import threading
from collections.abc import AsyncIterator, Iterator

import httpx
import obstore
import pytest
from msgspec.structs import replace
from obstore.store import S3Store
from tests.service.signed_in import BASE

from backlit.model.errors import StorageError
from backlit.model.wrap import TOKEN_PATH
from backlit.service.app import Service
from backlit.service.files.object_store import PART_BYTES, ObjectContentStore
from backlit.service.storage.settings import ServiceLimits, ServiceSettings

Client = httpx.AsyncClient
URL = "s3://backlit-test/attached"
PATIENCE = 60.0
"""Seconds for moto, which loads most of itself with its first request."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> S3Store:
    """A bucket that is empty, and the usual variables that lead to it."""
    for name, value in {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    httpx.post(f"{endpoint}/moto-api/reset", timeout=PATIENCE)
    httpx.put(f"{endpoint}/backlit-test", timeout=PATIENCE)
    return S3Store.from_url(URL, client_options={"allow_http": True})


def objects(bucket: S3Store) -> list[str]:
    return [found["path"] for page in obstore.list(bucket) for found in page]


@pytest.fixture
async def jon_in_cloud(bucket: S3Store, settings: ServiceSettings) -> AsyncIterator[Client]:
    service = Service(replace(settings, files=URL, limits=ServiceLimits(probe=-1)))
    await service.start()
    async with Client(transport=httpx.ASGITransport(service.asgi), base_url=f"{BASE}/api/v1/") as client:
        form = {"wrap_client_id": "uri:backlit", "wrap_verification_code": service.invite("jon")}
        grant = httpx.QueryParams((await client.post(f"{BASE}{TOKEN_PATH}", data=form)).text)
        client.headers["authorization"] = f"WRAP access_token={grant['wrap_access_token']}"
        yield client
    await service.stop()


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 10, 2 * PART_BYTES + 5])
@pytest.mark.long_but("0", "10")
async def test_contents_are_kept_in_the_bucket_and_come_back(jon_in_cloud: Client, bucket: S3Store, size: int) -> None:
    content = bytes(index % 251 for index in range(size))
    answer = await jon_in_cloud.post("workitems/1/attachments", files={"files": ("a.bin", content)})

    document = answer.json()
    digest = hashlib.sha256(content).hexdigest()
    assert answer.status_code == 201
    assert objects(bucket) == [f"{digest[:2]}/{digest[2:]}"]
    assert (await jon_in_cloud.get(document["url"])).content == content
    if size > PART_BYTES:
        part = await jon_in_cloud.get(document["url"], headers={"range": f"bytes={PART_BYTES - 3}-{PART_BYTES + 2}"})
        assert part.content == content[PART_BYTES - 3 : PART_BYTES + 3]
    await jon_in_cloud.delete(f"attachments/{document['id']}")
    assert objects(bucket) == []


@pytest.mark.slow
async def test_a_refused_upload_leaves_nothing_in_the_bucket(jon_in_cloud: Client, bucket: S3Store) -> None:
    body = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nbroken of'

    headers = {"content-type": "multipart/form-data; boundary=b"}
    answer = await jon_in_cloud.post("workitems/1/attachments", content=body, headers=headers)

    assert answer.status_code == 400
    assert objects(bucket) == []


@pytest.mark.slow
async def test_only_old_objects_are_offered_as_orphans(bucket: S3Store) -> None:
    files = ObjectContentStore(URL)
    incoming = files.begin()
    await asyncio.to_thread(incoming.write, b"young")
    await asyncio.to_thread(incoming.finish)
    await asyncio.to_thread(files.keep, incoming)

    assert await asyncio.to_thread(lambda: list(files.old())) == []
    assert files.has(incoming.digest)
    assert len(objects(bucket)) == 2


async def test_a_store_that_cannot_be_read_is_said_so(bucket: S3Store, endpoint: str) -> None:
    files = ObjectContentStore("s3://no-such-bucket/x")

    with pytest.raises(StorageError, match="object store"):
        await asyncio.to_thread(lambda: list(files.old()))


async def test_a_service_without_a_usable_store_does_not_start(settings: ServiceSettings) -> None:
    service = Service(replace(settings, files="s3://"))

    with pytest.raises(StorageError, match="object store"):
        await service.start()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("backlit")]


def test_an_object_has_no_place_but_that_of_a_digest(bucket: S3Store) -> None:
    obstore.put(bucket, "secret", b"of the host")
    store = ObjectContentStore(URL)

    for act in (store.has, store.remove, lambda digest: list(store.read(digest, 0, 3))):
        with pytest.raises(StorageError, match="64 lower-case hexadecimal digits"):
            act("../secret")
    assert objects(bucket) == ["secret"]


def sent(files: ObjectContentStore, content: bytes) -> str:
    incoming = files.begin()
    incoming.write(content)
    incoming.finish()
    files.keep(incoming)
    files.forget(incoming)
    return incoming.digest


@pytest.mark.parametrize("size", [0, 10, PART_BYTES, 2 * PART_BYTES])
@pytest.mark.long_but("0", "8388608")
def test_reading_ends_with_the_object(bucket: S3Store, size: int) -> None:
    files = ObjectContentStore(URL)
    digest = sent(files, b"x" * size)

    assert sum(len(piece) for piece in files.read(digest, 0, size + 1)) == size


async def test_a_service_without_its_bucket_does_not_start_and_says_why(
    bucket: S3Store, settings: ServiceSettings
) -> None:
    service = Service(replace(settings, files="s3://no-such-bucket/x"))

    with pytest.raises(StorageError, match="s3://no-such-bucket/x cannot be written"):
        await service.start()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("backlit")]


async def test_a_bucket_that_went_away_is_503_and_not_ready(
    jon_in_cloud: Client, bucket: S3Store, endpoint: str
) -> None:
    content = await jon_in_cloud.post("workitems/1/attachments", files={"files": ("a.bin", b"x")})
    async with Client() as operator:
        await operator.post(f"{endpoint}/moto-api/reset")

    sent = await jon_in_cloud.post("workitems/1/attachments", files={"files": ("a.bin", b"x")})
    ready = await jon_in_cloud.get(f"{BASE}/readyz")

    assert content.status_code == 201
    assert (sent.status_code, "retry-after" in sent.headers) == (503, True)
    assert ready.status_code == 503
