"""Values of the records, for what reads a copy without their classes."""

UNDELIVERED_STATES = ("waiting", "sending", "refused", "conflict")
"""The states of entries that the service does not have yet."""
TEMPORARY_IDS = -1_000_000_000
"""The base of temporary ids. They ascend by creation and never collide with the service's ids."""
