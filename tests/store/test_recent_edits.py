"""What others did in the last seconds: said of each row, or in a sentence, and gone after a while."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.documents import offline_store
from tests.store.world import until

from backlit.store import Store
from backlit.store.recent_edits import MOST_NAMED, RecentEdits
from backlit.store.records.changes import Signal, StoreChange, Subject
from backlit.store.records.others import OthersAct, OthersEdit

JON = 2


@pytest.fixture
def offline(tmp_path: Path) -> Iterator[Store]:
    with offline_store(tmp_path) as store:
        yield store


def edits(count: int, act: OthersAct = OthersAct.CHANGED) -> list[OthersEdit]:
    return [OthersEdit(number, JON, act, frozenset({"Status"})) for number in range(1, count + 1)]


def test_few_rows_say_who_changed_them(offline: Store) -> None:
    recent = RecentEdits(offline.lookups, Signal())
    recent.note(edits(MOST_NAMED), {})
    recent.note([OthersEdit(9, JON, OthersAct.MOVED)], {})

    assert recent.named_of(1) == "user 2 · now"
    assert recent.named_of(9) == "user 2 moved it"
    assert recent.editor_of(1, "Status") == "user 2"
    assert not recent.editor_of(1, "Name")
    assert not recent.sentence


def test_many_rows_are_said_in_one_sentence(offline: Store) -> None:
    recent = RecentEdits(offline.lookups, Signal())
    recent.note(edits(MOST_NAMED + 1), {})

    assert 1 in recent.item_ids
    assert not recent.named_of(1)
    assert recent.sentence == "user 2 changed 6 items"


def test_a_deletion_is_said_with_the_name_of_the_item(offline: Store) -> None:
    recent = RecentEdits(offline.lookups, Signal())
    recent.note(edits(1, OthersAct.REMOVED), {1: "Pay by card"})

    assert 1 not in recent.item_ids
    assert recent.sentence == "user 2 deleted #1 Pay by card"


async def test_what_is_over_is_taken_away_with_one_change(offline: Store) -> None:
    signal, published = Signal(), list[StoreChange]()
    signal.subscribe(published.append)
    recent = RecentEdits(offline.lookups, signal, shown_seconds=0.0)
    found = edits(2)
    recent.note(found, {})
    recent.show(found)

    await until(lambda: 1 not in recent.item_ids and len(published) > 1)

    assert [each.kind for each in published] == [Subject.OTHERS, Subject.OTHERS]
    assert published[-1].ids == {1, 2}
