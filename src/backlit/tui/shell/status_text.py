"""Texts of title and status lines, derived from the store."""

from dataclasses import replace

from backlit.model.amounts import clock_text, counted
from backlit.model.trees import Totals
from backlit.store.records.changes import Connection, ConnectionState
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.tui.fields.dates import age
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.side_lines import Part

HINTS = ("item.status", "item.estimate", "item.iteration", "item.comment", "list.filter", "app.help")
FEW_HINTS = ("list.filter", "app.help")


def right_title(
    connection: Connection, totals: Totals | None, news: int, now: float, *, is_read_only: bool, unready: int = 0
) -> list[Part]:
    """Return the right of the title: readiness, the permission, news, items and points, freshness, and the user."""
    parts: list[Part] = [(f"  {unready:,} not ready · gq", "muted")] if unready else []
    parts += [("  read only", "pending")] if is_read_only else []
    parts += [(f"  {news:,} new", "accent")] if news else []
    if totals is not None:
        shown = totals if not totals.count else replace(totals, tasks=0)
        parts.append((f"  {shown.words}  {counted(totals.points, 'pt')}", "foreground"))
    parts.append((f"   {_freshness(connection, now)}", "conflict" if _is_bad(connection) else "muted"))
    if connection.user:
        parts.append((f"  {connection.user.username} ", "muted"))
    return parts


def selection_words(selected: Totals) -> list[Part]:
    """Return the numbers of selected items and tasks, and their points; empty without any."""
    number = selected.words if selected.tasks else f"{selected.count:,}"
    is_any = selected.count or selected.tasks
    return [(f" ✓ {number} selected  {counted(selected.points, 'pt')} ", "mark")] if is_any else []


def left_status(store: Store, position: int = 0, count: int = 0) -> list[Part]:
    """Return the left of the status: the cursor's position, unsent changes, the connection, and the timer."""
    connection, outbox = store.connection, store.outbox
    parts: list[Part] = [(f" {position:,} of {count:,}" if count else " ", "muted")]
    if outbox.pending:
        parts.append((f"  ↑ {outbox.pending} pending", "pending"))
    if outbox.refused:
        parts.append((f"  ! {outbox.refused} rejected (go)", "conflict"))
    if outbox.conflicts:
        parts.append((f"  ≠ {counted(outbox.conflicts, 'conflict')} (go)", "conflict"))
    if connection.state in {ConnectionState.LOADING, ConnectionState.PREPARING} and connection.total:
        parts.append((f"  {_progress(connection)}", "muted"))
    elif _is_bad(connection):
        parts.append((f"  {connection.sentence}", "conflict"))
    elif connection.state is ConnectionState.ONLINE and connection.sentence:
        parts.append((f"  {connection.sentence}", "muted"))
    return [*parts, *timer_words(store)]


def project_name(store: Store) -> str:
    """Return the name of the open project; empty while it is not loaded."""
    return next((each.name for each in store.lookups.projects() if each.id == store.project_id), "")


def unread_words(unread: int) -> list[Part]:
    """Return the number of items whose texts are not indexed yet; empty without any."""
    return [(f"  indexing {counted(unread, 'item')} …", "pending")] if unread else []


def explain_empty(items: LineList, store: Store, spec: ViewSpec) -> None:
    """Show the reason for an empty list, and the ways out, in the list."""
    connection = store.connection
    if connection.state is ConnectionState.SIGNED_OUT:
        items.empty_text, items.empty_ways = connection.sentence, (("R", "sign in"), *_ELSEWHERE)
    elif _is_bad(connection):
        items.empty_text, items.empty_ways = connection.sentence, (("R", "try again now"), *_ELSEWHERE)
    elif connection.state in {ConnectionState.PREPARING, ConnectionState.LOADING, ConnectionState.IDLE}:
        items.empty_ways = ()
        words = _progress(connection) if connection.total else connection.sentence
        items.empty_text = words or "Opening the backlog …"
    elif spec.text or spec.query or spec.area_ids is not None or spec.iteration_ids is not None:
        done = () if spec.with_done else (("td", "include done items"),)
        items.empty_text = "No items match the filter."
        items.empty_ways = (("esc", "undo the last filter"), ("f0", "clear all filters"), *done, _SEARCH)
    elif store.has_items():
        items.empty_text = "No open items."
        items.empty_ways = (("a", "add an item"), ("td", "show done items"), ("gP", "open another project"))
    else:
        items.empty_text, items.empty_ways = "Your backlog is empty.", _FIRST_WAYS


_ELSEWHERE = (("gP", "open another workspace"), (":connect URL", "sign in to another server"), ("q", "quit"))
_SEARCH = ("#", "search all items, with texts and comments")
_FIRST_WAYS = (
    ("a", "add an item"),
    ("gi cs", "add sprints"),
    ("backlit items import FILE", "import CSV or JSON"),
    (":connect URL", "join your team's server"),
    ("gP", "open the sample"),
    ("?", "all keys"),
)
"""Ways out of a new workspace."""


def _progress(connection: Connection) -> str:
    return f"{connection.sentence.rstrip(' .…')} … {connection.done:,} of {connection.total:,}"


def _is_bad(connection: Connection) -> bool:
    return connection.state in {ConnectionState.OFFLINE, ConnectionState.FAILED, ConnectionState.SIGNED_OUT}


def _freshness(connection: Connection, now: float) -> str:
    if connection.state is not ConnectionState.ONLINE or connection.synced_at is None:
        return connection.state.value
    since = age(max(0.0, now - connection.synced_at))
    return "synced" if since == "now" else f"synced {since} ago"


def timer_words(store: Store) -> list[Part]:
    """Return the time of the running timer, and its task; empty without one."""
    running = store.timer.running
    if running is None:
        return []
    number = f"#{running.item_id}" if running.item_id > 0 else "a new task"
    return [(f"  ◷ {clock_text(store.timer.seconds())} {number}", "accent")]
