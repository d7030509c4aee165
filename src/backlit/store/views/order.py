"""The order of the backlog in SQL, with the indexes that have it. It imports nothing: see `backlit.store.reading`."""

BACKLOG_ORDER = "rank_priority, rank_id, is_task, own_priority, id"
ORDER_INDEXES = {True: "items_in_order", False: "open_items_in_order"}
"""By whether done items belong to the list."""
