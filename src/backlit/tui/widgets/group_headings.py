"""What stands in the heading of a group of rows."""

from collections.abc import Sequence

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.store.views.groups import GroupLine


class KeyedHeading(Struct, frozen=True):
    """The value of a group that keys show alone: the keys, and words for it."""

    keys: str
    words: str

    def __str__(self) -> str:
        return self.words


def group_counts(line: GroupLine) -> Sequence[str]:
    """Return the number of a group's items, and that of its tasks if it has both; of tasks below an item, theirs.

    Where the group has fewer rows than items, these are its first ones.
    """
    if line.key == "ParentID":
        return [counted(line.count, "task")]
    if line.rows < line.count:
        return [f"{line.rows:,} of {counted(line.count, 'item')}"]
    tasks = [counted(line.rows - line.count, "task")] if line.rows > line.count else []
    return [*([counted(line.count, "item")] if line.count or not tasks else []), *tasks]
