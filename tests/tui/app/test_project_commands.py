"""Commands on projects and profiles against an application that is made up: what they offer, open and refuse."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest
from tests.store.documents import item, node, offline_store, put_nouns
from tests.store.world import until
from tests.tui.bare_app import BareApp, lines_of, text_of
from tests.tui.target import FakeTarget, rows_of, run, words_of
from textual.geometry import Size

from backlit.model.errors import BadRequest
from backlit.store import Store
from backlit.store.files.files import WriteContext
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.tui.app.projects import ProjectCommandTarget, complete_profile, complete_project, project_lines
from backlit.tui.commands.command import CannotAct
from backlit.tui.fields.choices import Choice


class FakeProfiles(FakeTarget):
    """An application on the first of several profiles; it leaves a place only where that is allowed."""

    def __init__(self, store: Store, profiles: Sequence[str] = (), answers: Sequence[object] = ()) -> None:
        super().__init__(store, (), answers)
        self.profiles = profiles
        self.navigator = self.here = self
        self.mode = "backlog"
        self.may_leave = True
        self.wanted_profile: str | None = None
        self.join = None
        self.size = Size(120, 40)
        self.is_over = False
        self.jobs: list[Callable[[], Coroutine[object, object, None]]] = []

    async def switch_to(self, mode: str) -> bool:
        assert mode == "backlog"
        return self.may_leave

    def run_worker(
        self, job: Callable[[], Coroutine[object, object, None]], *, group: str = "", exclusive: bool = False
    ) -> None:
        assert (group, exclusive) == ("projects", True)
        self.jobs.append(job)

    def exit(self) -> None:
        self.is_over = True


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    def act(writer: WriteContext) -> None:
        projects = [{"id": 1, "name": "Aurora"}, {"id": 2, "name": "Aurelia"}, {"id": 3, "name": "Beacon"}]
        writer.mirror.put_resources("project", 0, projects)
        told = {"projects": [{"id": 1, "role": "manager"}, {"id": 3, "role": "reader"}]}
        writer.mirror.configure(CAPABILITIES, told)

    with offline_store(tmp_path, [item(1, Estimate="3"), item(2)]) as store:
        store.files.submit(act).result()
        put_nouns(store, user=[{"id": 3, "name": "zoe"}])
        yield store


async def test_a_project_is_chosen_by_the_beginning_of_its_name_or_in_a_list(store: Store) -> None:
    typed = FakeProfiles(store)
    await run(typed, "app.project", text="BEA")
    assert (store.project_id, typed.asked) == (3, [])
    await run(typed, "app.project", text="aur")
    assert store.project_id == 1
    with pytest.raises(BadRequest, match="Unknown project “x”"):
        await run(typed, "app.project", text="x")

    picked = FakeProfiles(store, ["here", "local", "demo"], [Choice(2, "Aurelia")])
    await run(picked, "app.project")

    assert store.project_id == 2
    (dialog,) = picked.asked
    assert words_of(dialog).startswith("Projects on here")
    assert {each.value for each in rows_of(dialog)} == {1, 2, 3, "local", "demo"}
    assert len(picked.jobs) == 1
    assert (picked.wanted_profile, picked.is_over) == (None, False)
    left = FakeProfiles(store, (), [None])
    await run(left, "app.project")
    assert (store.project_id, left.wanted_profile) == (2, None)
    assert words_of(left.asked[0]).startswith("Projects")
    assert [each.text for each in complete_project(cast("ProjectCommandTarget", left), "au", 2)] == [
        "Aurora",
        "Aurelia",
    ]
    assert [each.text for each in complete_profile(cast("ProjectCommandTarget", picked), "d", 1)] == ["demo"]


@pytest.mark.parametrize(
    ("typed", "wanted", "refusal"),
    [
        ("demo", "demo", ""),
        ("demo-", "demo-2", ""),
        ("lo", "local", ""),
        ("de", None, "Unknown profile “de”. Profiles: here, local, demo, demo-2."),
        ("x", None, "Unknown profile “x”. Profiles: here, local, demo, demo-2."),
        ("here", None, "This profile is already open."),
        ("he", None, "This profile is already open."),
    ],
)
async def test_a_profile_is_opened_by_its_name_or_the_only_one_that_begins_so(
    store: Store, typed: str, wanted: str | None, refusal: str
) -> None:
    target = FakeProfiles(store, ["here", "local", "demo", "demo-2"])
    if refusal:
        with pytest.raises((BadRequest, CannotAct)) as raised:
            await run(target, "app.profile", text=typed)
        assert str(raised.value) == refusal
    else:
        await run(target, "app.profile", text=typed)

    assert (target.wanted_profile, target.is_over) == (wanted, wanted is not None)


async def test_a_profile_is_picked_among_the_projects_and_stays_closed_unless_the_place_is_left(
    store: Store,
) -> None:
    picked = FakeProfiles(store, ["here", "local"], [Choice("local", "local")])
    await run(picked, "app.profile")
    kept = FakeProfiles(store, ["here", "local"], [Choice("local", "local")])
    kept.may_leave = False
    await run(kept, "app.project")

    assert (picked.wanted_profile, picked.is_over) == ("local", True)
    assert (kept.wanted_profile, kept.is_over) == (None, False)
    for profiles in ((), ["here"]):
        with pytest.raises(CannotAct, match="No other profile"):
            await run(FakeProfiles(store, profiles), "app.profile")
    with pytest.raises(CannotAct, match="Cannot connect from here"):
        await run(FakeProfiles(store), "app.connect")


async def test_the_counts_of_the_projects_come_into_the_list_while_it_is_shown(store: Store) -> None:
    days = {"startDate": f"{store.today()}T00:00:00", "endDate": f"{store.today()}T00:00:00"}
    put_nouns(store, iterations=[node(20, "Aurora"), node(23, "Sprint 3", 20, **days)])
    app = BareApp()
    async with app.run_test(size=(100, 20)) as pilot:
        target = FakeProfiles(store, ["here", "local"])
        target.shown_on = app
        asked = asyncio.create_task(run(target, "app.project"))
        await until(lambda: target.jobs and target.asked[0].is_attached)
        await target.jobs[0]()
        await pilot.pause()
        shown, lines = rows_of(target.asked[0]), lines_of(app)
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        narrow = text_of(app)
        target.asked[0].dismiss(None)
        await asked

    counted = {each.label: " ".join(each.hint.split()) for each in shown}
    assert counted["Aurora"] == "manager Sprint 3, ends today 2 0"
    assert counted["Beacon"] == "reader loads when opened"
    assert counted["local"] == "profile"
    assert "Current sprint" in narrow
    assert "Open items" not in narrow
    heads = next(line for line in lines if "Your role" in line)
    row = next(line for line in lines if "Aurora" in line)
    assert [heads.index(word) for word in ("Project", "Your role", "Current sprint")] == [
        row.index(word) for word in ("Aurora", "manager", "Sprint 3")
    ]


async def test_the_facts_of_a_project_leave_out_what_it_has_not(store: Store) -> None:
    release = node(22, "R1", 20, isRelease=True)
    iterations = [node(20, "Shop"), node(21, "S1", 20), release, node(23, "S2", 22)]
    put_nouns(store, iterations=iterations, areas=[node(10, "Shop"), node(11, "A", 10), node(12, "B", 11)])
    facts = dict(line.split(maxsplit=1) for line in project_lines(store, 60) if not line.startswith(" "))

    assert {key: facts[key] for key in ("Id", "Iterations", "Areas", "Members")} == {
        "Id": "1", "Iterations": "2 in 1 release", "Areas": "2", "Members": "1: zoe",
    }  # fmt: skip
    assert not {"Description", "Template", "Dates", "Teams"} & facts.keys()
    assert all(len(line) <= 54 for line in project_lines(store, 60))
    target = FakeProfiles(store)
    target.answers = [None]
    await run(target, "app.facts")
    assert words_of(target.asked[0]).startswith("Aurora")
