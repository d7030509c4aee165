"""The echo of own writes: known by the revision in their answers."""

import asyncio

import pytest

from backlit.client.own_writes import MOST_REVISIONS, OwnWrites

ANSWER = {"backlit-revision": "12"}


@pytest.mark.parametrize(
    ("path", "body", "written"),
    [
        ("api/v1/workitems/7", b"{}", ("item", 7)),
        ("api/v1/workitems/7/rank", b"{}", ("item", 7)),
        ("api/v1/workitems", b'{"id": 7}', ("item", 7)),
        ("api/v1/workitems/batch", b'{"results": [{"id": 7}, {"id": 6}]}', ("item", 7)),
        ("api/v1/comments", b'{"id": 9}', ("comment", 9)),
        ("api/v1/projects/1/views", b'{"id": 3}', ("view", 3)),
        ("api/v1/areas/4", b"", ("area", 4)),
    ],
)
def test_an_answer_covers_its_object_up_to_its_revision(path: str, body: bytes, written: tuple[str, int]) -> None:
    writes = OwnWrites()
    writes.note(path, ANSWER, body)

    assert writes.covers(written, 12)
    assert not writes.covers(written, 13)
    assert not writes.covers((written[0], written[1] + 1), 12)


@pytest.mark.parametrize("headers", [{}, {"backlit-revision": "x"}, {"backlit-revision": "²"}])
def test_an_answer_without_a_revision_covers_nothing(headers: dict[str, str]) -> None:
    writes = OwnWrites()
    writes.note("api/v1/workitems/7", headers, b"{}")

    assert not writes.covers(("item", 7), 0)


def test_the_oldest_writes_are_forgotten() -> None:
    writes = OwnWrites()
    for number in range(1, MOST_REVISIONS + 2):
        writes.note(f"api/v1/workitems/{number}", ANSWER, b"{}")

    assert not writes.covers(("item", 1), 12)
    assert writes.covers(("item", MOST_REVISIONS + 1), 12)


async def test_an_echo_waits_for_the_answer_that_it_overtook() -> None:
    writes = OwnWrites()
    writes.begin()
    settling = asyncio.create_task(writes.settle([(("item", 7), 12)]))
    await asyncio.sleep(0)
    assert not settling.done()

    writes.note("api/v1/workitems/7", ANSWER, b"{}")
    await writes.end()
    await settling

    assert writes.covers(("item", 7), 12)


async def test_an_echo_without_a_write_on_its_way_does_not_wait() -> None:
    async with asyncio.timeout(10):
        await OwnWrites().settle([(("item", 7), 12)])
