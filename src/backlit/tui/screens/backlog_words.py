"""What the backlog's title and status lines say: derived from the store, never kept."""

from backlit.model.trees import Totals
from backlit.store.changes import Connection, ConnectionState, OutboxState
from backlit.store.views_query import ViewSpec
from backlit.store.views_saved import SavedView
from backlit.tui.ages import age
from backlit.tui.filter_words import filter_words
from backlit.tui.list_names import ListNames
from backlit.tui.live_filter import PLAIN
from backlit.tui.node_filter import NodeFilter
from backlit.tui.widgets.lines import Part

HINTS = ("item.status", "item.estimate", "item.iteration", "item.comment", "list.filter", "app.help")
FEW_HINTS = ("list.filter", "app.help")
ROOM_FOR_HINTS = 80


def left_title(names: ListNames, view: SavedView, node: NodeFilter | None, spec: ViewSpec) -> list[Part]:
    """Where we are: program, project, what is shown."""
    store = names.store
    project = next((each.name for each in store.projects() if each.id == store.project_id), "")
    parts: list[Part] = [(" backlit ", "accent"), (f" {project}", "foreground")]
    if not project:
        return parts[:1]
    if view != PLAIN:
        parts.append((f" › {view.name}", "foreground"))
    elif node is None:
        parts.append((" › All items" if spec.with_done else " › Open items", "muted"))
    if node is not None:
        path = store.tree(node.kind).path(node.node_id).removeprefix(f"{project}\\").replace("\\", " › ")
        parts.append((f" › {path}" + (" and below" if node.has_subtree else ""), "foreground"))
    if spec.query != view.spec.query:
        parts.extend((f" › {phrase}", "accent") for phrase in filter_words(spec.query))
    if spec.text:
        parts.append((f" › /{spec.text}", "accent"))
    if not (spec.group or spec.sort) and store.ranking.count_local():
        parts.append(("  local order", "pending"))
    if spec.group:
        parts.append((f"  by {', then '.join(map(names.label, spec.group))}", "muted"))
    if spec.sort:
        keys = [f"{names.label(key.name)} {'↓' if key.descending else '↑'}" for key in spec.sort]
        parts.append((f"  {', '.join(keys)}", "muted"))
    return parts


def right_title(connection: Connection, totals: Totals | None, news: int, now: float) -> list[Part]:
    """How much is new, if anything is and there is room; how much there is, how fresh it is, who looks."""
    parts: list[Part] = [(f"  {news:,} new", "accent")] if news else []
    if totals is not None:
        noun = "item" if totals.count == 1 else "items"
        parts.append((f"  {totals.count:,} {noun}  {totals.points:,.10g} pts", "foreground"))
    parts.append((f"   {_freshness(connection, now)}", "conflict" if _is_bad(connection) else "muted"))
    if connection.user:
        parts.append((f"  {connection.user.username} ", "muted"))
    return parts


def marks_words(marked: Totals) -> list[Part]:
    """How much is marked; nothing where nothing is."""
    return [(f" ✓ {marked.count:,} marked  {marked.points:,.10g} pts ", "mark")] if marked.count else []


def left_status(connection: Connection, outbox: OutboxState, position: int, count: int) -> list[Part]:
    """Where the cursor is and what is under way."""
    parts: list[Part] = [(f" {position:,} of {count:,}" if count else " ", "muted")]
    if outbox.pending:
        parts.append((f"  ↑ {outbox.pending} pending", "pending"))
    if outbox.refused:
        parts.append((f"  ! {outbox.refused} refused (go)", "conflict"))
    if outbox.conflicts:
        noun = "conflict" if outbox.conflicts == 1 else "conflicts"
        parts.append((f"  ≠ {outbox.conflicts} {noun} (go)", "conflict"))
    if connection.state in {ConnectionState.LOADING, ConnectionState.PREPARING} and connection.total:
        parts.append((f"  {_progress(connection)}", "muted"))
    elif _is_bad(connection):
        parts.append((f"  {connection.sentence}", "conflict"))
    elif connection.state is ConnectionState.ONLINE and connection.sentence:
        parts.append((f"  {connection.sentence}", "muted"))
    return parts


def unread_words(unread: int) -> list[Part]:
    """How much a list of words still lacks; nothing where it is whole."""
    noun = "item" if unread == 1 else "items"
    return [(f"  the words of {unread:,} {noun} are still being read", "pending")] if unread else []


def empty_words(connection: Connection, spec: ViewSpec) -> str:
    """Why there are no rows, and the way out."""
    if _is_bad(connection):
        return f"{connection.sentence} R tries again."
    if connection.state in {ConnectionState.PREPARING, ConnectionState.LOADING, ConnectionState.IDLE}:
        return _progress(connection) if connection.total else connection.sentence or "Opening the backlog …"
    if spec.text or spec.query or spec.area_ids is not None or spec.iteration_ids is not None:
        return "No item matches; esc clears the filter, td shows what is done."
    return "Nothing here yet: a adds an item, td shows what is done."


def _progress(connection: Connection) -> str:
    return f"{connection.sentence.rstrip(' .…')} … {connection.done:,} of {connection.total:,}"


def _is_bad(connection: Connection) -> bool:
    return connection.state in {ConnectionState.OFFLINE, ConnectionState.FAILED, ConnectionState.SIGNED_OUT}


def _freshness(connection: Connection, now: float) -> str:
    if connection.state is not ConnectionState.ONLINE or connection.synced_at is None:
        return connection.state.value
    since = age(max(0.0, now - connection.synced_at))
    return "synced" if since == "now" else f"synced {since} ago"
