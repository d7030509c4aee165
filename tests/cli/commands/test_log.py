"""`backlit log` on a sample workspace."""

import json
from typing import Any

import pytest
from tests.cli.home import DEMO, Home
from tests.store.service_items import of_type
from tests.store.world import Said, World, raised, sent

from backlit.cli.commands.items import logged
from backlit.store import EntryState, Store
from backlit.store.edits.work_log import LoggedWork


@pytest.fixture(scope="module")
def task(synced_home: Home) -> dict[str, Any]:
    found = synced_home.run(*DEMO, "items", "list", "--query", "type:task WorkRemaining>2", "--limit", "1", "--json")
    task: dict[str, Any] = json.loads(found.stdout)[0]
    return task


@pytest.mark.slow
def test_hours_are_tried_out_logged_and_then_on_the_service(demo_home: Home, task: dict[str, Any]) -> None:
    number, fields = str(task["id"]), task["fields"]
    completed = float(fields["WorkCompleted"] or 0)
    words = ("log", number, "1:30", "--type", "te", "--note", "both browsers")

    tried = demo_home.run(*DEMO, *words, "--dry-run")
    rest = demo_home.run(*DEMO, "log", number, "1", "--remaining", "0", "--dry-run")
    done = demo_home.run(*DEMO, *words)
    after = json.loads(demo_home.run(*DEMO, "items", "show", number, "--json").stdout)["fields"]

    assert tried.stdout.splitlines()[-1].startswith("entry      "), tried.stderr
    assert tried.stdout.splitlines()[-1].endswith(" 1.5h Testing both browsers")
    assert tried.stdout.splitlines()[1].startswith(f"remaining  {fields['WorkRemaining']:g} h → ")
    assert rest.stdout.splitlines()[1] == f"remaining  {fields['WorkRemaining']:g} h → 0 h"
    assert done.stdout.splitlines()[:3] == tried.stdout.splitlines()
    assert done.stdout.splitlines()[-1].startswith("Logged"), done.stderr
    assert after["WorkCompleted"] == completed + 1.5
    assert after["WorkRemaining"] == fields["WorkRemaining"] - 1.5


def test_log_errors_are_one_sentence(demo_home: Home, task: dict[str, Any]) -> None:
    number = str(task["id"])
    for words, sentence in (
        ((number, "soon"), "Hours: enter hours such as 2"),
        ((number, "2", "--type", "zzz"), "Type: choose one of Development"),
        (("1", "2"), "Only tasks take logged work."),
        (("987654", "2"), "Work item 987654 does not exist here"),
    ):
        done = demo_home.run(*DEMO, "log", *words)

        assert done.returncode == (4 if words[0] == "987654" else 6)
        assert not done.stdout
        assert sentence in done.stderr


async def test_a_refused_change_of_another_item_does_not_concern_the_logged_work(world: World, store: Store) -> None:
    story, task = await of_type(world), await of_type(world, "Task")
    refused = {story}
    addresses = {story: f"/workitems/{story}", task: "/timeentries"}
    world.faults.says = lambda method, path: (
        Said(400) if method in {"PUT", "POST"} and path.endswith(tuple(addresses[each] for each in refused)) else None
    )
    await store.items.edit([story], {"Name": "Refused"})
    await sent(store)

    async def log() -> str:
        item = store.item(task)
        assert item is not None
        return await logged(store, item, LoggedWork(1.0))

    said = await log()

    assert [(each.item_id, each.state) for each in store.outbox_entries()] == [(story, EntryState.REFUSED)]
    assert said.startswith("Logged")
    refused.add(task)
    assert "rejected the change" in str(await raised(log()))
