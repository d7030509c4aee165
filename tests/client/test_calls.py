"""What is repeated and what never is, and how a question is spelled."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest
from tests.client.foreign import BASE, PACING, Foreign, answer, empty_page

from backlit.client.calls import RetryPolicy, ServiceClock
from backlit.client.client import LONGEST_LIST, REPEATS, Client, EndlessListGuard
from backlit.client.tokens import TokenCache
from backlit.model.errors import (
    BacklitError,
    BadRequest,
    NotFound,
    Offline,
    OutcomeUnknown,
    PreconditionFailed,
    ServiceError,
    TooManyRequests,
    Unavailable,
)
from backlit.model.wrap import TokenGrant

ITEM = '{"id": 7, "type": "Story", "projectId": 1, "fields": {"Name": "Seven", "Odd_cf": 1.0}}'
DEAD = httpx.ConnectError("refused")
SILENT = httpx.ReadTimeout("silent")


async def test_a_query_keeps_its_dollar_sign_and_writes_blanks_as_percent_20(tmp_path: Path) -> None:
    foreign = Foreign(empty_page())
    async with foreign.client(tmp_path) as client:
        await client.work_items.page(top=5, skip=10, filter="Name eq 'a b&c+é/'", order="id")

    assert foreign.requests[0].url.raw_path.decode() == (
        "/api/v1/workitems?$top=5&$skip=10&$filter=Name%20eq%20%27a%20b%26c%2B%C3%A9%2F%27&$orderby=id"
    )


async def test_options_that_are_none_are_not_asked(tmp_path: Path) -> None:
    foreign = Foreign(empty_page())
    async with foreign.client(tmp_path) as client:
        await client.work_items.page(top=None, filter=None)

    assert foreign.requests[0].url.raw_path == b"/api/v1/workitems"
    assert (foreign.requests[0].content, foreign.requests[0].headers.get("content-type")) == (b"", None)


@pytest.mark.parametrize("trouble", [DEAD, SILENT, answer(502), answer(503), answer(504), answer(429)])
async def test_reading_is_repeated_after_what_may_pass(tmp_path: Path, trouble: httpx.Response | Exception) -> None:
    foreign = Foreign(trouble, answer(200, ITEM))
    async with foreign.client(tmp_path) as client:
        item = await client.work_items.get(7)

    assert item["fields"] == {"Name": "Seven", "Odd_cf": 1.0}
    assert len(foreign.requests) == 2


@pytest.mark.parametrize("status", [400, 403, 404, 409, 500, 501])
async def test_a_refusal_is_not_repeated(tmp_path: Path, status: int) -> None:
    foreign = Foreign(answer(status))
    async with foreign.client(tmp_path) as client:
        with pytest.raises(Exception, match=r"."):
            await client.work_items.get(7)

    assert len(foreign.requests) == 1


async def test_reading_from_a_dead_service_ends_offline(tmp_path: Path) -> None:
    foreign = Foreign(DEAD)
    async with foreign.client(tmp_path) as client:
        with pytest.raises(Offline):
            await client.work_items.get(7)

    assert len(foreign.requests) == PACING.attempts


async def test_reading_from_a_silent_service_ends_offline_as_nothing_was_changed(tmp_path: Path) -> None:
    async with Foreign(SILENT).client(tmp_path) as client:
        with pytest.raises(Offline):
            await client.work_items.get(7)


@pytest.mark.parametrize("trouble", [SILENT, httpx.RemoteProtocolError("gone"), answer(502), answer(504)])
async def test_creating_without_an_answer_is_unclear_and_never_sent_again(
    tmp_path: Path, trouble: httpx.Response | Exception
) -> None:
    foreign = Foreign(trouble)
    async with foreign.client(tmp_path) as client:
        with pytest.raises(OutcomeUnknown):
            await client.comments.create({"projectId": 1})

    assert len(foreign.requests) == 1


async def test_creating_on_a_dead_service_is_offline_and_never_sent_again(tmp_path: Path) -> None:
    foreign = Foreign(DEAD)
    async with foreign.client(tmp_path) as client:
        with pytest.raises(Offline):
            await client.comments.create({"projectId": 1})

    assert len(foreign.requests) == 1


async def test_creating_is_not_sent_again_when_asked_to_slow_down(tmp_path: Path) -> None:
    foreign = Foreign(answer(429, retry_after="7"))
    async with foreign.client(tmp_path) as client:
        with pytest.raises(TooManyRequests) as caught:
            await client.comments.create({"projectId": 1})

    assert caught.value.retry_after == 7.0
    assert len(foreign.requests) == 1


@pytest.mark.parametrize("body", [b"", b"<html>created</html>", b"[]"])
async def test_a_created_thing_with_an_unreadable_answer_is_unclear(tmp_path: Path, body: bytes) -> None:
    async with Foreign(answer(201, body)).client(tmp_path) as client:
        with pytest.raises(OutcomeUnknown):
            await client.comments.create({"projectId": 1})


async def test_a_change_without_an_answer_is_unclear_after_all_attempts(tmp_path: Path) -> None:
    foreign = Foreign(SILENT, DEAD)
    async with foreign.client(tmp_path) as client:
        with pytest.raises(OutcomeUnknown):
            await client.work_items.update(7, {"Name": "x"})

    assert len(foreign.requests) == PACING.attempts


@pytest.mark.parametrize(("trouble", "sent"), [(SILENT, 1), (answer(502), 1), (DEAD, PACING.attempts)])
async def test_a_change_that_is_not_repeatable_is_repeated_only_while_it_cannot_have_happened(
    tmp_path: Path, trouble: httpx.Response | Exception, sent: int
) -> None:
    foreign = Foreign(trouble)
    async with foreign.client(tmp_path) as client:
        with pytest.raises(Exception, match=r"."):
            await client.work_items.update(7, {"Name": "x"}, is_repeatable=False)

    assert len(foreign.requests) == sent


@pytest.mark.parametrize(
    ("method", "troubles", "error", "sent"),
    [
        ("PUT", (SILENT, answer(404)), NotFound, 2),
        ("PUT", (SILENT, answer(503)), Unavailable, 4),
        ("PUT", (answer(502), DEAD), OutcomeUnknown, 4),
        ("PUT", (DEAD, answer(502), DEAD), OutcomeUnknown, 4),
        ("PUT", (answer(503), DEAD), Offline, 4),
        ("PUT once", (answer(503), DEAD, SILENT), OutcomeUnknown, 3),
        ("PUT once", (answer(504),), Unavailable, 1),
        ("PUT once", (answer(429), answer(412)), PreconditionFailed, 2),
        ("DELETE", (answer(502), answer(503), answer(404)), None, 3),
        ("DELETE", (answer(503), answer(404)), NotFound, 2),
        ("DELETE", (SILENT, answer(400)), BadRequest, 2),
        ("GET", (SILENT, DEAD), Offline, 4),
        ("GET", (answer(502), SILENT, answer(404)), NotFound, 3),
    ],
)
async def test_several_failures_in_turn_end_as_the_change_may_have_happened(
    tmp_path: Path,
    method: str,
    troubles: tuple[httpx.Response | Exception, ...],
    error: type[Exception] | None,
    sent: int,
) -> None:
    foreign = Foreign(*troubles)
    async with foreign.client(tmp_path) as client:
        items = client.work_items
        acts: dict[str, Callable[[], Awaitable[object]]] = {
            "GET": lambda: items.get(7),
            "PUT": lambda: items.update(7, {"Name": "x"}),
            "PUT once": lambda: items.update(7, {"Name": "x"}, is_repeatable=False),
            "DELETE": lambda: items.delete(7),
        }
        try:
            await acts[method]()
            found = None
        except BacklitError as failure:
            found = type(failure)

    assert (found, len(foreign.requests)) == (error, sent)


async def test_a_wish_to_be_left_alone_is_handed_on_from_503_too(tmp_path: Path) -> None:
    async with Foreign(answer(503, retry_after="3600")).client(tmp_path) as client:
        with pytest.raises(Unavailable) as caught:
            await client.users.me()

    assert caught.value.retry_after == 3600.0


async def test_each_request_is_told_with_its_status(tmp_path: Path) -> None:
    told: list[tuple[str, int]] = []
    async with Foreign(answer(503), SILENT, answer(200, ITEM)).client(tmp_path) as client:
        client.watch(lambda method, status, _: told.append((method, status)))
        await client.work_items.get(7)

    assert told == [("GET", 503), ("GET", 0), ("GET", 200)]


async def test_a_change_sends_only_what_changes_and_takes_any_success(tmp_path: Path) -> None:
    foreign = Foreign(answer(201, ITEM))
    async with foreign.client(tmp_path) as client:
        document = await client.work_items.update(7, {"Name": "x"}, if_match='"9"')

    assert foreign.requests[0].content == b'{"Name":"x"}'
    assert foreign.requests[0].headers["if-match"] == '"9"'
    assert document["fields"]["Odd_cf"] == 1.0


async def test_deleting_what_a_lost_answer_had_deleted_is_a_success(tmp_path: Path) -> None:
    async with Foreign(SILENT, answer(404)).client(tmp_path) as client:
        await client.work_items.delete(7)


async def test_deleting_what_was_never_there_is_not_found(tmp_path: Path) -> None:
    async with Foreign(DEAD, answer(404)).client(tmp_path) as client:
        with pytest.raises(Exception, match="Not found"):
            await client.work_items.delete(7)


@pytest.mark.parametrize("body", [b"", b"gone", b'{"id": 7}'])
async def test_deletion_ignores_the_response_body(tmp_path: Path, body: bytes) -> None:
    async with Foreign(answer(200, body)).client(tmp_path) as client:
        await client.areas.delete(7, reassignment_id=3)


async def test_a_long_retry_after_is_handed_on_rather_than_waited_for(tmp_path: Path) -> None:
    foreign = Foreign(answer(429, '{"message": "slow"}', retry_after="3600"))
    async with foreign.client(tmp_path) as client:
        with pytest.raises(TooManyRequests, match="slow") as caught:
            await client.users.me()

    assert caught.value.retry_after == 3600.0
    assert len(foreign.requests) == 1


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(("wish", "least"), [("7", 7.0), ("20", 20.0), ("0", PACING.first_pause / 2)])
async def test_a_short_retry_after_is_waited_for_and_shortens_no_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, wish: str, least: float
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    async with Foreign(answer(status, retry_after=wish), DEAD, answer(200, ITEM)).client(tmp_path) as client:
        await client.work_items.get(7)

    asked, own = pauses
    assert least <= asked <= least + PACING.first_pause
    assert own < 1.0


async def test_a_service_that_stays_unavailable_is_said_to_be(tmp_path: Path) -> None:
    async with Foreign(answer(503, "<h1>down</h1>")).client(tmp_path) as client:
        with pytest.raises(ServiceError, match="unavailable"):
            await client.users.me()


@pytest.mark.parametrize(("promised", "skipped"), [(99, ["0", "2", "4"]), (1, ["0", "2", "4"]), (2, ["0"])])
async def test_pages_are_walked_by_what_came_unless_it_is_just_what_was_promised(
    tmp_path: Path, promised: int, skipped: list[str]
) -> None:
    page = f'{{"totalResults": {promised}, "top": 50, "results": [{{"id": 1}}, {{"id": 2}}]}}'
    foreign = Foreign(answer(200, page), answer(200, page), empty_page())
    async with foreign.client(tmp_path) as client:
        found = [one["id"] async for page in client.users.pages(top=50) for one in page.results]

    assert found == [1, 2] * max(1, len(skipped) - 1)
    assert [request.url.params["$skip"] for request in foreign.requests] == skipped


@pytest.mark.parametrize(("top", "asked"), [(101, ["101", "100"]), (100, ["100"]), (1, ["1"])])
async def test_a_page_size_that_is_refused_becomes_the_one_that_every_service_allows(
    tmp_path: Path, top: int, asked: list[str]
) -> None:
    foreign = Foreign(answer(400))
    async with foreign.client(tmp_path) as client:
        with pytest.raises(BadRequest):
            await anext(client.users.pages(top=top))

    assert [request.url.params["$top"] for request in foreign.requests] == asked


@pytest.mark.parametrize("sizes", [[1] * (REPEATS + 1), [LONGEST_LIST // 2, LONGEST_LIST - LONGEST_LIST // 2]])
def test_a_walk_ends_with_an_error_just_beyond_its_limits(sizes: list[int]) -> None:
    arrived = EndlessListGuard("team.example", "list")
    for size in sizes:
        arrived.note([{}] * size)

    with pytest.raises(ServiceError):
        arrived.note([{}])


@pytest.mark.parametrize(
    ("call", "sent"),
    [
        (lambda client: client.work_items.tasks(7).page(), "GET workitems/7/tasks"),
        (lambda client: client.work_items.comments(7).page(), "GET workitems/7/comments"),
        (lambda client: client.work_items.attachments(7).page(), "GET workitems/7/attachments"),
        (lambda client: client.work_items.act(7, "rank", {"after": 3}), "POST workitems/7/rank"),
        (lambda client: client.work_items.delete(7, '"9"'), "DELETE workitems/7"),
        (lambda client: client.comments.delete(7), "DELETE comments/7"),
        (lambda client: client.areas.of_project(3).page(), "GET projects/3/areas"),
        (lambda client: client.iterations.of_project(3).page(), "GET projects/3/iterations"),
        (lambda client: client.iterations.delete(7), "DELETE iterations/7"),
        (lambda client: client.areas.delete(7, 0), "DELETE areas/7?reassignmentId=0"),
        (lambda client: client.projects.time_entry_types(3).page(), "GET projects/3/timeentrytypes"),
        (lambda client: client.users.me(), "GET users/me"),
        (lambda client: client.capabilities(), "GET capabilities"),
    ],
)
async def test_each_noun_has_its_address(
    tmp_path: Path, call: Callable[[Client], Awaitable[object]], sent: str
) -> None:
    foreign = Foreign(answer(200, '{"id": 7, "results": []}'))
    async with foreign.client(tmp_path) as client:
        await call(client)

    (request,) = foreign.requests
    assert f"{request.method} {request.url.raw_path.decode().removeprefix('/api/v1/')}" == sent
    assert request.headers.get("if-match") == ('"9"' if "DELETE workitems" in sent else None)


@pytest.mark.parametrize(("first", "second", "count"), [(200, 200, 1), (404, 200, 2), (405, 200, 2)])
async def test_a_file_is_deleted_under_either_spelling(tmp_path: Path, first: int, second: int, count: int) -> None:
    foreign = Foreign(answer(first), answer(second))
    async with foreign.client(tmp_path) as client:
        await client.attachments.delete(7)

    assert [each.url.path for each in foreign.requests] == ["/api/v1/attachments/7", "/api/v1/attachment/7"][:count]


@pytest.mark.parametrize("second", [404, 405, 400])
async def test_a_file_that_neither_spelling_knows_fails_as_the_first_did(tmp_path: Path, second: int) -> None:
    async with Foreign(answer(404, '{"message": "First."}'), answer(second)).client(tmp_path) as client:
        with pytest.raises(NotFound, match=r"^First\."):
            await client.attachments.delete(7)


@pytest.mark.parametrize("asked", [lambda client: client.work_items.get(7), lambda client: client.work_items.fetch(7)])
@pytest.mark.parametrize("body", ['{"id": 8}', "{}", '{"id": "7"}'])
async def test_a_response_about_another_resource_is_refused(
    tmp_path: Path, asked: Callable[[Client], Awaitable[object]], body: str
) -> None:
    async with Foreign(answer(200, body)).client(tmp_path) as client:
        with pytest.raises(ServiceError, match="another resource"):
            await asked(client)


@pytest.mark.parametrize("status", [400, 403, 404, 405])
async def test_projects_are_read_below_api_where_the_resource_root_has_none(tmp_path: Path, status: int) -> None:
    page = '{"totalResults": 1, "top": 1, "results": [{"id": 3, "name": "Third"}]}'
    foreign = Foreign(answer(status), answer(200, page))
    async with foreign.client(tmp_path) as client:
        projects = await client.projects.page()

    assert [project["name"] for project in projects.results] == ["Third"]
    assert foreign.requests[1].url.path == "/api/projects"


async def test_projects_are_learnt_from_root_areas_where_there_is_no_list(tmp_path: Path) -> None:
    areas = (
        '{"totalResults": 5, "top": 5, "results": [{"id": 1, "projectId": 5, "parentId": -1, "name": "Fifth"},'
        ' {"id": 2, "projectId": 5, "parentId": 1, "name": "Below"}, {"id": 3, "parentId": -1, "name": "Nowhere"},'
        ' {"id": 4, "projectId": 6, "parentId": -1}, {"id": 5, "projectId": 7, "parentId": 0}]}'
    )
    async with Foreign(answer(404), answer(405), answer(200, areas)).client(tmp_path) as client:
        page = await client.projects.page()

    assert (page.total, page.results) == (2, [{"id": 5, "name": "Fifth"}, {"id": 6, "name": ""}])


@pytest.mark.parametrize("status", [400, 404, 405])
async def test_a_service_without_capabilities_has_none(tmp_path: Path, status: int) -> None:
    async with Foreign(answer(status)).client(tmp_path) as client:
        assert await client.capabilities() is None


@pytest.mark.parametrize("total", ["", '"totalResults": true,', '"totalResults": null,', '"totalResults": "9",'])
async def test_a_list_without_a_total_has_as_many_as_came(tmp_path: Path, total: str) -> None:
    async with Foreign(answer(200, f'{{{total} "results": [{{"id": 1}}, {{"id": 2}}]}}')).client(tmp_path) as client:
        assert (await client.users.page()).total == 2


async def test_a_walk_begins_where_it_is_asked_to(tmp_path: Path) -> None:
    page = '{"totalResults": 9, "results": [{"id": 1}, {"id": 2}]}'
    foreign = Foreign(answer(200, page), empty_page())
    async with foreign.client(tmp_path) as client:
        assert [len(each.results) async for each in client.users.pages(skip=4)] == [2]

    asked = [(request.url.params["$skip"], request.url.params["$top"]) for request in foreign.requests]
    assert asked == [("4", "200"), ("6", "200")]


@pytest.mark.parametrize(("patience", "connect"), [(2.0, 2.0), (30.0, 5.0)])
def test_a_connection_has_five_seconds_of_the_patience(patience: float, connect: float) -> None:
    assert RetryPolicy(patience=patience).timeout() == httpx.Timeout(patience, connect=connect)


async def test_pauses_between_attempts_grow_up_to_the_longest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    tokens = TokenCache(tmp_path / "tokens.json", BASE)
    tokens.save(TokenGrant("a", "r", 3600))
    async with Client.at(BASE, tokens, RetryPolicy(5, first_pause=1.0, longest_pause=5.0), Foreign(DEAD)) as client:
        with pytest.raises(Offline):
            await client.work_items.get(7)

    limits = [(0.5, 1.0), (1.5, 3.0), (2.5, 5.0), (2.5, 5.0)]
    assert [least <= pause <= most for pause, (least, most) in zip(pauses, limits, strict=True)] == [True] * 4


@pytest.mark.parametrize(("seconds", "offset"), [(-100, 0), (7200, 7200), (7203, 7203), (5400, 5400), (2, 0)])
def test_a_change_just_now_tells_the_zone_and_an_old_stamp_does_not(seconds: int, offset: int) -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    clock = ServiceClock(now.timestamp)
    clock.observe_date_header("Sun, 01 Mar 2026 12:00:00 GMT")

    clock.observe_last_modified_at((now + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat())

    assert clock.offset == timedelta(seconds=offset)


HOUR = 3600


@pytest.mark.parametrize(
    ("heard", "created", "changed", "offset"),
    [
        (0, None, None, 0),
        (90, None, None, 90),
        (4, None, None, 0),
        (90, 9 * HOUR + 90, None, 9 * HOUR + 90),
        (0, -5 * HOUR, None, -5 * HOUR),
        (0, 16 * HOUR, None, 0),
        (0, None, 16 * HOUR, 0),
        (90, None, 9 * HOUR + 88, 9 * HOUR + 88),
        (90, None, 9 * HOUR, 90),
        (0, 9 * HOUR, 40, 9 * HOUR),
        (0, 9 * HOUR, -3 * HOUR, -3 * HOUR),
        (0, 899, 900, 900),
        (None, None, 2 * HOUR, 2 * HOUR),
        (None, None, 2 * HOUR + 6, None),
        (101 * 366 * 86_400, None, None, None),
    ],
)
def test_a_clock_learns_from_the_date_and_from_stamps_of_this_moment(
    heard: int | None, created: int | None, changed: int | None, offset: int | None
) -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    clock = ServiceClock(now.timestamp)

    def stamp(seconds: int) -> str:
        return (now + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()

    clock.observe_date_header(None if heard is None else format_datetime(now + timedelta(seconds=heard), usegmt=True))
    clock.observe_created_at(created and stamp(created))
    clock.observe_last_modified_at(changed and stamp(changed))

    assert clock.offset == (None if offset is None else timedelta(seconds=offset))


@pytest.mark.parametrize("status", [200, 404])
async def test_the_clock_is_read_from_every_response(tmp_path: Path, status: int) -> None:
    ahead = format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)
    async with Foreign(answer(status, ITEM, date=ahead)).client(tmp_path) as client:
        before = client.clock.offset
        with suppress(NotFound):
            await client.work_items.get(7)

    assert before is None
    assert round((client.clock.offset or timedelta()) / timedelta(minutes=1)) == 120


@pytest.mark.parametrize("is_new", [True, False])
async def test_the_clock_is_read_from_what_was_just_written(tmp_path: Path, *, is_new: bool) -> None:
    def reply(_request: httpx.Request) -> httpx.Response:
        written = (datetime.now(UTC) + timedelta(hours=9)).replace(tzinfo=None).isoformat()
        created, changed = (written, "2020-01-01") if is_new else ("2020-01-01", written)
        return answer(200, f'{{"id": 7, "createdAt": "{created}", "lastModifiedAt": "{changed}"}}')

    async with Foreign(reply).client(tmp_path) as client:
        await (client.work_items.create({}) if is_new else client.work_items.update(7, {"Name": "x"}))

    assert round((client.clock.offset or timedelta()) / timedelta(hours=1), 1) == 9.0
