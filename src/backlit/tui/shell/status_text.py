"""The title line, and the texts of headings and footers, derived from the store."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from backlit.model.amounts import clock_text, counted
from backlit.model.trees import NO_TOTALS, NodeTotals
from backlit.store.grooming import MANY_UNREADY
from backlit.store.records.changes import ConnectionState, ConnectionStatus
from backlit.store.store import Store
from backlit.store.views.lookups import NO_PROJECT
from backlit.store.views.query import ViewSpec
from backlit.tui.commands.command import DIGITS
from backlit.tui.commands.table import COMMAND_BY_ID, key_of
from backlit.tui.drawing.themes import CURRENT_ITERATION, KEY, WORDMARK
from backlit.tui.fields.dates import age, current_sprint, days_until
from backlit.tui.fields.values import user_colour
from backlit.tui.widgets.item_rows import UNREADY_SIGN
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.side_lines import (
    EDGE,
    FIGURE,
    PLACE_COLOUR,
    Drawn,
    Part,
    TwoSidedLine,
    Word,
    length,
    tab_of,
    tabs_within,
)
from backlit.tui.widgets.storage_errors import StorageErrorGuard

if TYPE_CHECKING:
    from backlit.tui.widgets.empty_list import EmptyList

TABS = ("app.backlog", "app.board", "app.plan", "app.iterations", "app.reports", "app.inbox")
"""The commands that go to the places; other screens add a tab while they are open."""
ALWAYS_SHOWN_COLOURS = frozenset({"pending", "conflict"})
"""Colours of states that stay in a narrow terminal, where tabs give way to them."""
PENDING_WORD = " pending"
LIT_WIDTH, WORDMARK_WIDTH = 64, 90
"""Columns of a terminal with half of the program's name in the title, and with all of it."""
SYNC_SIGN = "  ● "
"""The sign before the word that all is synced."""
AGE_CHECK = 15.0
"""Seconds between updates of the time since the last sync."""


class TitleLine(StorageErrorGuard, TwoSidedLine):
    """Tabs and state; `place` is the command that goes to the screen, or the name of a screen without one."""

    def __init__(self, store: Store, place: str) -> None:
        super().__init__(id="title")
        self.place = place
        self._store = store

    def on_mount(self) -> None:
        self.draw()
        self.set_interval(AGE_CHECK, self.draw)

    def draw(self) -> None:
        places = TABS if self.place in TABS else (*TABS, self.place)
        words = state_words(self._store, time.time())
        state = [
            each for each in words if each[1] in ALWAYS_SHOWN_COLOURS or self.place not in each
        ]  # no key that leads here
        self.say([self._tab(each) for each in places], state)

    @staticmethod
    def name_of(place: str) -> str:
        command = COMMAND_BY_ID.get(place)
        return command.label.capitalize() if command else place

    def _tab(self, place: str) -> Drawn:
        name = self.name_of(place)
        unread = self._store.inbox.unread() if place == "app.inbox" else 0
        words, colour = (name, "faint" if is_unreached(self._store) else "muted")
        if unread:
            words, colour = f"{name} {unread:,}", "foreground"
        return tab_of(words, place, is_current=place == self.place, colour=colour, current=PLACE_COLOUR)

    def fitted(self, width: int) -> tuple[list[Drawn], list[Drawn]]:
        """Return the tabs and states that fit: first goes the age, then other states without need, then far tabs.

        A screen without a tab is named alone where the tabs do not fit, not even with the sign alone of what is unsent:
        each answer of grooming is unsent for a moment.
        """
        mark = wordmark(width)
        tabs, right, width = list(self._left), list(self._right), width - len(EDGE) - length(mark)

        def has_no_room() -> bool:
            return length(tabs) + length(each for each in right if each[1] in ALWAYS_SHOWN_COLOURS) > width

        if self.place not in TABS and has_no_room():
            right = [(each[0].removesuffix(PENDING_WORD), *each[1:]) for each in right]
            if has_no_room():
                tabs, right = tabs[-1:], list(self._right)
        while length(right) > width - length(tabs) and (
            spare := [each for each in right if each[1] not in ALWAYS_SHOWN_COLOURS]
        ):
            right.remove(next((each for each in spare if _is_age(each)), spare[-1]))
            if right and right[-1][0] == SYNC_SIGN:
                right.pop()
        room = width - length(right)
        right.append((EDGE, "muted", ""))
        return [*mark, *tabs_within(tabs, room)], right


def wordmark(width: int) -> Sequence[Drawn]:
    """Return the program's name before the tabs of a title: half of it in a narrow terminal, nothing in the least."""
    if width < LIT_WIDTH:
        return ()
    start = [(" ", "foreground", ""), ("back", "wordmark-start", "")][: 1 + (width >= WORDMARK_WIDTH)]
    return (*start, ("lit", WORDMARK, ""), ("  ", "foreground", ""))


def _is_age(state: Drawn) -> bool:
    """Return whether a state says when the last sync was, which matters less than whose and which data is shown."""
    return state[1:] == ("muted", "app.refresh")


def state_words(store: Store, now: float) -> list[Word]:
    connection, outbox, project = store.connection, store.outbox, project_name(store)
    words: list[Word] = [("  demo", "mark")] if store.is_sample else []
    words += [(f"  {project}", "foreground", "app.project")] if project else []
    if store.lookups.is_read_only:
        words.append(("  read only", "warn"))
    if outbox.pending and not _has_kept_edits(store):
        words.append((f"  ↑ {outbox.pending}{PENDING_WORD}", "pending", "app.outbox"))
    rejected, conflicts = f"! {outbox.refused} rejected", f"≠ {counted(outbox.conflicts, 'conflict')}"
    for count, said in ((outbox.refused, rejected), (outbox.conflicts, conflicts)):
        parts = ((f"  {said}", "conflict"), (f" {key_of('app.outbox')}", KEY), (" outbox", "muted")) if count else ()
        words += [(text, colour, "app.outbox") for text, colour in parts]
    is_bad, synced_at = _is_bad(connection), store.synced_at()
    is_synced = connection.state is ConnectionState.ONLINE and synced_at is not None
    if not is_synced:
        colour = "conflict" if is_bad else "muted"
        words.append((f"  {'! ' * is_bad}{connection.state.value}", colour, "app.refresh"))
    since = "now" if synced_at is None else age(max(0.0, now - synced_at))
    has_age = synced_at is not None and (is_synced or since != "now")  # "preparing" stands without "synced"
    if has_age and (is_bad or not (outbox.pending or outbox.refused or outbox.conflicts)):
        ago = f" {since} ago" if since != "now" else ""
        if is_synced:
            words.append((SYNC_SIGN, "status-done", "app.refresh"))
        word = _followed_word(store) if is_synced else ""
        word = word or f"synced{ago}"
        words.append((word if is_synced else f"  {word}", "muted", "app.refresh"))
    if connection.user:
        words.append((f"  {connection.user.username}", user_colour(store, connection.user.id)))
    return words


def _followed_word(store: Store) -> str:
    """Return how the changes of others come; nothing for a service that is asked now and then for want of a way."""
    connection = store.connection
    return "local" if store.is_local else "live" if connection.is_live else "polling" if connection.is_polling else ""


def totals_words(totals: NodeTotals | None, among: int | None = None) -> list[Word]:
    """Return the number of items and their points; `among` is the number of items without what is being typed."""
    if totals is None or totals == NO_TOTALS:
        return []
    shown = replace(totals, tasks=0) if totals.count else totals
    tasks = f" + {counted(totals.tasks, 'task')}" if totals.count and totals.tasks else ""
    (count, noun), points = shown.words.split(" ", 1), counted(totals.points, "pt").split(" ", 1)
    counts = f"of {counted(among, 'item')}" if among is not None and totals.count else noun
    items: list[Word] = [(f" {count}", FIGURE), (f" {counts}{tasks}", "muted")]
    summed: list[Word] = [(" · ", "muted"), (points[0], FIGURE), (f" {points[1]}", "muted")]
    return [*items, *(summed if totals.count else ())]  # tasks have no points


def unready_words(unready: int, *, has_key: bool) -> list[Word]:
    """Return the number of items that are not ready, and the key that grooms them, if it does."""
    number = f"{unready:,}{'+' * (unready >= MANY_UNREADY)}"
    key = ((key_of("app.groom"), KEY), (" groom", "muted")) if has_key else ()
    sign = f"{UNREADY_SIGN} ", "warn"
    words = sign, (number, "foreground"), (" not ready " if has_key else " not ready", "muted"), *key
    return [(text, colour, "app.groom") for text, colour in words] if unready else []


def position_words(position: int = 0, count: int = 0, noun: str = "") -> list[Word]:
    """Return the place of the cursor among the rows."""
    name = f"{noun} " if noun not in {"", "row"} else ""
    return [(f"{name}{position:,} of {count:,}", "muted")] if count else []


def selection_words(selected: NodeTotals, *, is_growing: bool) -> list[Word]:
    """Return how much is selected, what Features have beside their items, and the key that ends a growing range."""
    end: list[Word] = [(key_of("list.range"), KEY, "list.range"), (" end range  ", "muted", "list.range")]
    number = selected.words if selected.tasks and selected.count else f"{selected.count or selected.tasks:,}"
    points = f"  {counted(selected.points, 'pt')}" if selected.points else ""
    points += f" + {counted(selected.left_out, 'pt').split()[0]} of Features" if points and selected.left_out else ""
    words: list[Word] = [(f"✓ {number} selected{points}  ", "mark"), *(end if is_growing else ())]
    return words if selected != NO_TOTALS else []


def status_words(store: Store, position: int = 0, count: int = 0, noun: str = "") -> list[Word]:
    connection = store.connection
    parts: list[Word] = []
    if connection.state in {ConnectionState.LOADING, ConnectionState.PREPARING} and connection.total:
        parts.append((f"  {_progress(connection)}", "muted"))
    elif connection.state is ConnectionState.SIGNED_OUT and store.has_items():
        parts += [(text, colour, "app.refresh") for text, colour in _sign_in_words()]
    elif _is_bad(connection) and store.has_items():  # an empty list says it itself
        again: list[Word] = [(f"  {key_of('app.refresh')}", KEY, "app.refresh"), (" try again", "muted", "app.refresh")]
        if _has_kept_edits(store):  # the title says that it is offline
            pending = store.outbox.pending
            kept = (f"  ↑ {counted(pending, 'edit')} kept", "pending") if pending else ("  edits are kept", "muted")
            then = f" · next try {connection.next_try:%H:%M:%S}" if connection.next_try else ""
            parts += [(*kept, "app.outbox"), (then, "faint"), *again]
        else:
            parts.append((f"  {connection.sentence.removesuffix('.')}", "conflict"))
    elif connection.state is ConnectionState.ONLINE and connection.sentence:
        parts.append((f"  {connection.sentence}", "muted"))
    if store.recent_edits.sentence:
        parts.append((f"  {store.recent_edits.sentence}", "muted"))
    parts += timer_words(store)
    if not count:
        return parts or now_words(store)
    return [*parts, (f"  {noun}{' ' * bool(noun)}{position:,} of {count:,}", "muted")]


def now_words(store: Store) -> list[Word]:
    """Return the current sprint and its end."""
    today = store.today()
    running = current_sprint(store.lookups.iterations().values(), today)
    if running is None:
        return []
    end = days_until(running.start, running.end, today)
    return [(f"  {running.name}", CURRENT_ITERATION), (f" {end}", "muted")]


def project_name(store: Store) -> str:
    return next((each.name for each in store.lookups.projects() if each.id == store.project_id), "")


def unread_words(unread: int) -> list[Part]:
    return [(f"  indexing {counted(unread, 'item')} …", "pending")] if unread else []


def is_loading(store: Store) -> bool:
    return store.connection.state in {ConnectionState.PREPARING, ConnectionState.LOADING, ConnectionState.IDLE}


def is_unreached(store: Store) -> bool:
    """Return whether nothing was ever loaded, and the server does not let it be now."""
    return _is_bad(store.connection) and not store.has_items()


def is_first_loading(store: Store) -> bool:
    """Return whether the first copy of the project is not whole yet."""
    return store.synced_at() is None and is_loading(store)


def explain_empty(
    items: LineList,
    store: Store,
    spec: ViewSpec,
    filters: Sequence[str] = (),
    done_matches: int | None = None,
    *,
    near: Sequence[tuple[str, int]] = (),
    meant: str = "",
    is_alone: bool = True,
    can_clear: bool = True,
    is_unread: bool = False,
) -> None:
    """Show in an empty list the reason and the ways out; `near` are changes of the filter with their matches.

    Where it is not alone, these have their keys in headings below. `meant` is a word in the place of a mistyped
    one. Not `can_clear` means that all filters are the view's own.
    """
    connection = store.connection
    empty: EmptyList | None = None
    if is_unreached(store):
        empty = _unreached(store)
    elif is_unread or is_loading(store):
        words = _progress(connection) if connection.total else connection.sentence
        items.empty_text = words or "Opening the backlog …"
    elif store.project_id is None:
        empty = _empty_list(NO_PROJECT, _with_keys(("app.refresh", "try again now"), *_ELSEWHERE))
    elif count := len(filters) + sum(ids is not None for ids in (spec.area_ids, spec.iteration_ids)):
        question = f". Did you mean “{meant}”?" if meant else ""
        text = _unmatched(filters, None if meant else done_matches, with_done=spec.with_done) + question
        done = () if spec.with_done or done_matches == 0 else (("list.done", "include done items"),)
        one = ("list.unwind", "clear the filter")
        every = ("list.no-filter", "clear all filters")
        last = ("list.unwind", f"clear “{filters[-1]}”" if filters else "clear the last filter")
        clear = (one,) if count == 1 else (every,) if near or not is_alone else (last, every)
        wider = ((near_keys(at), f"{words}: {counted(found, 'item')}") for at, (words, found) in enumerate(near, 1))
        ways = (("list.filter", "change the filter"), *(clear if can_clear else ()), *done, *wider)
        empty = _empty_list(text, _with_keys(*ways), is_alone=is_alone)
    elif store.has_items():
        ways = (("item.add", "add an item"), ("list.done", "show done items"), ("app.project", "open another project"))
        empty = _empty_list("No open items.", _with_keys(*ways))
    else:
        has_sprints = len(store.lookups.iterations()) > 1  # the root is one
        steps = _with_keys(*_first_steps(has_sprints=has_sprints), *_OTHER_WAYS[: None if store.is_inside else -1])
        empty = _empty_list("Your backlog is empty. Three steps to a first sprint:", steps, has_mark=True)
    items.show_empty(empty)


def _empty_list(
    text: str,
    ways: Sequence[tuple[str, str]],
    *,
    facts: Sequence[tuple[str, str, str]] = (),
    has_mark: bool = False,
    is_alone: bool = True,
) -> "EmptyList":
    from backlit.tui.widgets.empty_list import EmptyList  # most lists never need it

    if not (has_mark or facts):
        return EmptyList(text, ways, is_alone=is_alone)
    from backlit.tui.widgets.wordmark import HALVES

    return EmptyList(text, ways, mark=HALVES, facts=facts)


def explain_unreached(items: LineList, store: Store) -> None:
    """Show in a list of anything why nothing was ever loaded, and the ways out, where that is so."""
    items.show_empty(_unreached(store) if is_unreached(store) else None)


def _unreached(store: Store) -> "EmptyList":
    if store.connection.state is ConnectionState.SIGNED_OUT:
        return _empty_list("Not signed in", _with_keys(("app.refresh", "sign in"), *_ELSEWHERE), facts=_facts(store))
    add = (("item.add", "add an item"),) if store.project_id is not None else ()
    ways = _with_keys(("app.refresh", "try again now"), *add, *_ELSEWHERE)
    return _empty_list("Nothing loaded yet", ways, facts=_facts(store))


def _facts(store: Store) -> Sequence[tuple[str, str, str]]:
    """Return what is known where the first rows cannot be read, with labels and colours."""
    connection = store.connection
    copy = "none yet: nothing to work on offline"
    times = (("Last try", connection.tried_at), ("Next try", connection.next_try))
    facts = (
        ("Server", connection.server.rstrip("/"), "foreground"),
        ("Problem", f"! {connection.sentence}", "error"),
        *((label, f"{at:%H:%M:%S}" if at else "", "foreground") for label, at in times),
        ("Copy here", copy if store.project_id is None else "no items yet", "foreground"),
    )
    return [each for each in facts if each[1]]


def _sign_in_words() -> Sequence[tuple[str, str]]:
    return ("  sign-in needed", "conflict"), (f"  {key_of('app.refresh')}", KEY), (" sign in", "muted")


def _with_keys(*ways: tuple[str, str]) -> Sequence[tuple[str, str]]:
    """Return ways with the keys of the commands that they name by id."""
    return tuple((key_of(way) if way in COMMAND_BY_ID else way, words) for way, words in ways)


def near_keys(number: int) -> str:
    """Return the keys that filter by a change of the filter, by its number from 1."""
    return key_of("filter.near").replace(DIGITS, str(number))


def _unmatched(filters: Sequence[str], done_matches: int | None, *, with_done: bool) -> str:
    """Return the heading of a list without matches: the filters, and the matches among done items."""
    named = " and ".join(map(_filter_named, filters)) or "the filter"
    elsewhere = f" · {counted(done_matches, 'done item does', 'done items do')}" if done_matches else ""
    scope = ", open or done" if done_matches == 0 and not with_done else ""
    return f"No {'' if with_done or scope else 'open '}item matches {named}{scope}{elsewhere}"


def _filter_named(words: str) -> str:
    """Return a filter in quotes; a text after a slash is looked for in names alone, if it is no number."""
    return f"“{words.removeprefix('/')}”{' in its name' if words[:1] == '/' and words[1:2] != '#' else ''}"


_ELSEWHERE = (
    ("app.project", "open another workspace"),
    (":connect URL", "sign in to another server"),
    ("app.back", "quit"),
)
_OTHER_WAYS = (
    ("app.project", "open another workspace"),
    ("app.help", "all keys"),
    (":connect URL", "sign in to a server"),
)
"""Ways out of a new workspace; the last leads away from one in this program."""


def _first_steps(*, has_sprints: bool) -> Sequence[tuple[str, str]]:
    """Return the way to a first sprint; a step that was taken has a tick in the place of its number."""
    return (
        ("item.add", "1  add an item; :import FILE brings a whole backlog"),
        (f"{key_of('app.iterations')} {key_of('tree.series')}", f"{'✓' if has_sprints else '2'}  add sprints"),
        ("app.plan", f"3  plan: {key_of('plan.send')} moves an item into the sprint"),
    )


def _progress(connection: ConnectionStatus) -> str:
    return f"{connection.sentence.rstrip(' .…')} … {connection.done:,} of {connection.total:,}"


def _is_bad(connection: ConnectionStatus) -> bool:
    return connection.state in {ConnectionState.OFFLINE, ConnectionState.FAILED, ConnectionState.SIGNED_OUT}


def _has_kept_edits(store: Store) -> bool:
    """Return whether a footer says how many edits wait for the connection."""
    return store.connection.state is ConnectionState.OFFLINE and store.has_items()


def timer_words(store: Store) -> list[Part]:
    running = store.timer.running
    if running is None:
        return []
    number = f"#{running.item_id}" if running.item_id > 0 else "a new task"
    return [(f"  ◷ {clock_text(store.timer.seconds())} {number}", "pending")]
