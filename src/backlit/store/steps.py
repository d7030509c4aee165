"""The journal's steps: what the user did, what of it was taken back, and what may be done again."""

import sqlite3
from collections.abc import Iterable, Iterator
from enum import StrEnum

from backlit.store.database import transaction


class ActState(StrEnum):
    """Where an act stands; one that is over can be neither taken back nor done again."""

    DONE = "done"
    UNDONE = "undone"
    OVER = "over"


class Steps:
    """Writes the tables of steps through the journal's connection.

    An act is a step; taking it back and doing it again are further steps of the same act, and the latest of them is
    what the next one has to take back. An entry may count among those of several acts: what one act has given up of
    another belongs to both when it comes back.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def begin(self) -> int:
        """Begin a new act; what was undone before it cannot be done again any more."""
        with transaction(self._connection):
            self._connection.execute("UPDATE steps SET state = 'over' WHERE state = 'undone'")
            step = self._connection.execute("INSERT INTO steps (act, state) VALUES (0, 'done')").lastrowid or 0
            self._connection.execute("UPDATE steps SET act = id WHERE id = ?", (step,))
        return step

    def go_on(self, act: int, state: ActState) -> int:
        """Begin the step that takes an act back or does it again."""
        with transaction(self._connection):
            self.set_state(act, state)
            return self._connection.execute("INSERT INTO steps (act) VALUES (?)", (act,)).lastrowid or 0

    def set_state(self, act: int, state: ActState) -> None:
        """Say where an act stands."""
        self._connection.execute("UPDATE steps SET state = ? WHERE id = ?", (state.value, act))

    def is_undone(self, step: int) -> bool:
        """Whether the act that a step belongs to was taken back."""
        sql = "SELECT 1 FROM steps WHERE id = (SELECT act FROM steps WHERE id = ?) AND state = ?"
        return self._connection.execute(sql, (step, ActState.UNDONE.value)).fetchone() is not None

    def to_undo(self) -> Iterator[int]:
        """The acts that may be taken back, the latest first."""
        sql = "SELECT id FROM steps WHERE state = 'done' ORDER BY id DESC"
        return (act for (act,) in self._connection.execute(sql))

    def to_redo(self) -> Iterator[int]:
        """The acts that may be done again, the one that was undone last first."""
        sql = "SELECT id FROM steps WHERE state = 'undone' ORDER BY id"
        return (act for (act,) in self._connection.execute(sql))

    def latest(self, act: int) -> int:
        """The step that last did an act or took it back."""
        return int(self._connection.execute("SELECT max(id) FROM steps WHERE act = ?", (act,)).fetchone()[0] or act)

    def states(self, step: int) -> dict[str, int]:
        """How many entries of a step are in each state."""
        return dict(
            self._connection.execute("SELECT state, count(*) FROM entries WHERE step = ? GROUP BY state", (step,))
        )

    def withdraw(self, entry_ids: Iterable[int], step: int) -> None:
        """Note that a step gave up entries before they were sent."""
        rows = [(entry_id, step) for entry_id in entry_ids]
        self._connection.executemany("INSERT OR REPLACE INTO withdrawn VALUES (?, ?)", rows)

    def withdrawn(self, step: int) -> list[int]:
        """The entries that a step gave up."""
        found = self._connection.execute("SELECT entry_id FROM withdrawn WHERE step = ? ORDER BY entry_id", (step,))
        return [entry_id for (entry_id,) in found]

    def take_up(self, entry_ids: Iterable[int]) -> None:
        """Note that entries were not given up after all, by whatever step."""
        self._connection.executemany("DELETE FROM withdrawn WHERE entry_id = ?", [(each,) for each in entry_ids])

    def stand_for(self, entry_id: int, original: int, step: int) -> None:
        """Have an entry count among those of a step, and of the latest of every act that another one belongs to."""
        self._connection.execute(
            "INSERT OR IGNORE INTO shared SELECT ?1, max(id) FROM steps WHERE act IN (SELECT act FROM steps"
            " WHERE id = ?3 OR id = (SELECT step FROM entries WHERE id = ?2)"
            " OR id IN (SELECT step FROM shared WHERE entry_id = ?2)) GROUP BY act",
            (entry_id, original, step),
        )

    def forget_old(self) -> None:
        """Drop the steps of acts whose entries were forgotten."""
        self._connection.execute("DELETE FROM steps WHERE act NOT IN (SELECT step FROM entries)")
        self._connection.execute("DELETE FROM withdrawn WHERE step NOT IN (SELECT id FROM steps)")
        self._connection.execute("DELETE FROM shared WHERE entry_id NOT IN (SELECT id FROM entries)")
