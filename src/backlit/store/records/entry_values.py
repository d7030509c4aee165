"""Values of the records, for what reads a copy without their classes."""

UNDELIVERED_STATES = ("waiting", "sending", "refused", "conflict")
"""The states of entries that the service does not have yet."""
TEMPORARY_IDS = -1_000_000_000
"""The base of temporary ids. They ascend by creation and never collide with the service's ids."""
NEW = "new-"
"""Before the number of an item that has none of the server yet."""


def id_of(item_id: int) -> int | str:
    """Return an item's number, or what stands for it until the server gives one."""
    return item_id if item_id > 0 else f"{NEW}{item_id - TEMPORARY_IDS}"
