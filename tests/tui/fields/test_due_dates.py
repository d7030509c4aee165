"""Due dates in lists."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

from tests.store.documents import item, offline_store, state_project

from backlit.tui.fields.names import ListNames

NOW = datetime(2026, 3, 11, 12, tzinfo=timezone(timedelta()))
DAYS = {1: ("2026-03-10", "Not Done"), 2: ("2026-03-09", "Done"), 3: ("2026-03-13", "Not Done"), 4: (None, "Not Done")}
STATED = {"dueField": "End_cf", "customFields": [{"key": "End_cf", "kind": "date", "types": ["Story"], "choices": []}]}


def test_an_open_item_that_is_overdue_has_a_mark(tmp_path: Path) -> None:
    items = [item(number, End_cf=day, Status=status) for number, (day, status) in DAYS.items()]
    with offline_store(tmp_path, items, lambda: NOW) as store:
        state_project(store, **STATED)

        cells = ListNames(store).cells([*DAYS], ["End_cf"])

    assert {number: cell for number, [cell] in cells.items()} == {1: "10 Mar!", 2: "9 Mar", 3: "13 Mar", 4: ""}
