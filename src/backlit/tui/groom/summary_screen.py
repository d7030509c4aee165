"""The summary of a grooming session: changed, skipped and unchanged items; its screen, Markdown and commands."""

import re
from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from backlit.model.amounts import counted
from backlit.model.ready_check import Ground
from backlit.model.reports.formats import escaped
from backlit.store.grooming import Groomed
from backlit.store.records.merge import is_empty
from backlit.store.store import Store
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.prompts import Saved, file_in, save_file
from backlit.tui.drawing.text import fit, fit_right, literal, wrapped
from backlit.tui.drawing.themes import type_colour, type_sign
from backlit.tui.fields.acts import field_named
from backlit.tui.fields.values import FieldWords
from backlit.tui.items.preview import Preview, surroundings_of
from backlit.tui.shell.paths import downloads
from backlit.tui.shell.status_text import project_name, status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.target import ItemPlace
from backlit.tui.shell.workers import work
from backlit.tui.widgets.line_list import BOLD, LineList, heads_line
from backlit.tui.widgets.side_lines import FooterLine, RuleLine

HINTS = ("summary.open", "summary.copy", "summary.save", "summary.previous", "summary.close", "app.help")
_NOT_FOR_FILES = re.compile(r"[^\w.-]+")
NONE = "–"
"""An empty value, before or after a change."""
TITLES = ("Changed", "Skipped", "Unchanged")


RESULT, NUMBER, GAP = 11, 7, 2
"""Cells of the first columns, and between the others."""
LEAST_NAMES, LEAST_OPEN = 24, 14
"""Cells that names have at least, and below which there is no column for open checks."""
MOST = 0.5
"""Share of the screen's height that rows of two lines may take."""
NAME_SHARE = 0.45
"""Share of the width that names may take from the other columns."""


class SummaryTable(LineList):
    """The shown items by their result, with their changes and the checks they still fail."""

    HEADER_LINES = 1

    def __init__(self, store: Store) -> None:
        super().__init__(id="summary")
        self._store = store
        self._rows: Sequence[tuple[str, Groomed]] = ()
        self._texts: Sequence[tuple[str, str, str]] = ()
        """The name, the changes and the open checks of each row."""
        self._needed = (GAP, GAP, GAP)
        """Cells that each of these columns needs for its longest text."""

    def show(self, results: Sequence[Groomed]) -> None:
        """Show the results; the cursor stays on its line."""
        self._rows = [(title, each) for title, found in grouped(results) for each in found]
        ground = self._store.ready_check.ground()
        self._texts = [self._texts_of(each, ground) for _, each in self._rows]
        columns = zip(*self._texts, ("", "", ""), strict=True)
        longest = (max(map(cell_len, column)) for column in columns)
        name, changes, still = (each and each + GAP for each in longest)
        self._needed = name, changes, still
        self.rows_replaced(self.cursor)

    @property
    def current(self) -> Groomed | None:
        """Return the result under the cursor."""
        return self._rows[self.cursor][1] if self.cursor < len(self._rows) else None

    def row_count(self) -> int:
        """Return the number of items."""
        return len(self._rows)

    def render_header(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the titles of the columns."""
        name, changes, still = self._widths()
        first = f" {'Result':<{RESULT}}{'ID':>{NUMBER - 1}}   "
        return heads_line(self, f"{first}{fit('Item', name)}{fit('Changes', changes)}{fit('Still open', still)}")

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        """Draw a line of an item; the first item of a result names the result."""
        title, each = self._rows[index]
        is_first = not line and (index == 0 or self._rows[index - 1][0] != title)
        columns = zip(self._texts[index], self._widths(), ("foreground", "foreground", "pending"), strict=True)
        number, sign = (str(each.item_id) if each.item_id > 0 else "", type_sign(each.type)) if not line else ("", "")
        parts = [
            (fit(title if is_first else "", RESULT), BOLD),
            (fit_right(number, NUMBER - 1) + " ", "muted"),
            (f"{sign or ' '} ", type_colour(each.type)),
            *((self._line_of(text, width, line), colour) for text, width, colour in columns),
        ]
        return self.draw_parts(parts, is_cursor=is_cursor)

    def _line_of(self, text: str, width: int, line: int) -> str:
        """Return a line of a text in its column; the last line of a row has the rest of the text."""
        if width <= GAP:
            return ""
        lines, last = wrapped(text, width - GAP), self.ROW_LINES - 1
        lines = [*lines[:last], " ".join(lines[last:]), ""]
        return fit(lines[line] if line < len(lines) else "", width - GAP) + " " * GAP

    def _widths(self) -> tuple[int, int, int]:
        """Return the cells of names, changes and open checks; columns are as wide as their texts where they can be."""
        room = self.size.width - RESULT - NUMBER - 4
        name, changes, still = self._needed
        name = min(name, max(LEAST_NAMES, room - changes - still, round(room * NAME_SHARE)))
        changes = max(0, min(changes, room - name))
        still = room - name - changes
        return (name, changes, still) if still >= LEAST_OPEN else (min(room - changes, name + still), changes, 0)

    def share(self, height: int) -> None:
        """Take the lines of all rows: two for each row where a text needs them and the height has room."""
        has_room = self.HEADER_LINES + 2 * len(self._rows) <= height * MOST
        self.ROW_LINES = 2 if has_room and any(self._is_cut(each, 1) for each in self._texts) else 1
        self.styles.height = self.HEADER_LINES + self.ROW_LINES * max(1, len(self._rows))
        self.refresh()

    def _is_cut(self, texts: Sequence[str], lines: int) -> bool:
        pairs = zip(texts, self._widths(), strict=True)
        return any(len(wrapped(text, max(1, width - GAP))) > lines for text, width in pairs if text)

    @property
    def is_cut(self) -> bool:
        """Return whether the row under the cursor leaves out a part of its changes or open checks."""
        return bool(self._texts) and self._is_cut(("", *self._texts[self.cursor][1:]), self.ROW_LINES)

    def _texts_of(self, each: Groomed, ground: Ground) -> tuple[str, str, str]:
        name = each.name if each.type else f"{each.name} (deleted)"
        return name, ", ".join(changes_of(self._store, each, " ")), _listed(open_words(each, ground))


def open_words(each: Groomed, ground: Ground) -> list[str]:
    """Return the checks that an item fails, in the words that the other screens use for them."""
    return [rule.said(ground).rstrip(".") for rule in each.open]


def _listed(words: Sequence[str]) -> str:
    """Return several sentences as one."""
    return ", ".join(each if not at else f"{each[:1].lower()}{each[1:]}" for at, each in enumerate(words))


class GroomSummaryScreen(StoreScreen[None]):
    """Shows the results, which are copied and saved as Markdown; `screen_at` makes the grooming screen at a position.

    The session ends when the summary is closed, not before.
    """

    COMMAND_GROUPS = ("groom.summary_screen", "widgets.text_view")

    AUTO_FOCUS = "SummaryTable"
    PLACE = "Grooming"
    CSS_PATH = "../styles/groom.tcss"

    def __init__(self, store: Store, results: Sequence[Groomed], screen_at: Callable[[int], Screen[None]]) -> None:
        super().__init__(store)
        self._results = results
        self._screen_at = screen_at

    @property
    def item_ids(self) -> Sequence[int]:
        """The items of the session, shown or not."""
        return self.store.grooming.item_ids() or [each.item_id for each in self._results]

    def compose(self) -> ComposeResult:
        """Compose title, text and status."""
        self._heading, self._footer = RuleLine("─"), FooterLine(id="status")
        self.table, self._preview = SummaryTable(self.store), Preview()
        self._changes = Static(id="changes")
        yield self.title_line
        yield self._heading
        yield self.table
        yield RuleLine("─")
        yield self._changes
        yield self._preview
        yield RuleLine("─")
        yield self._footer

    def on_mount(self) -> None:
        """Show the summary."""
        self._show()

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._preview.show_soon(self._show_current)
        self._draw_status()

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("summary.open")

    def store_changed(self, changes: ChangeBatch) -> None:  # noqa: ARG002 - anything may be told in it
        """Read the results again, as an undo removes answers."""
        self.run_worker(work(self._read), exclusive=True, group="queue")
        self._draw_words()

    async def _read(self) -> None:
        if self.store.grooming.progress() is None:
            return
        self._results = await self.store.grooming.results()
        if self.is_attached:
            self._show()

    def _show(self) -> None:
        self.table.show(self._results)
        self.table.share(self.size.height)
        self._show_current()
        self._draw_words()

    def _show_current(self) -> None:
        """Show the item under the cursor below the table, after its changes where the table cuts them."""
        each = self.table.current
        item = self.store.item(each.item_id) if each is not None else None
        comments = self.store.comments.of_item(item.id) if item is not None else None
        faults = self.store.ready_check.sentences(item.id) if item is not None else ()
        self._preview.show(item, comments, surroundings_of(self.store, item, faults))
        self._show_changes()

    def _show_changes(self) -> None:
        """Show the changes of the item under the cursor where the table cuts them."""
        each = self.table.current if self.table.is_cut else None
        self._changes.display = each is not None
        if each is not None:
            self._changes.update(Content("\n").join(map(literal, changes_of(self.store, each, " "))))

    def on_resize(self) -> None:
        """Show whole changes where they fit."""
        self.call_after_refresh(self._share)

    def _share(self) -> None:
        """Lay the table out for its width, and show the changes that it cuts."""
        self.table.share(self.size.height)
        self._show_changes()

    def _draw_words(self) -> None:
        counts = _counts(self.store, self._results, self.item_ids).rstrip(".").replace(", ", " · ")
        self._heading.say([("Summary", "heading"), (f" · {counts}", "foreground")])
        self._draw_status()

    def _draw_status(self) -> None:
        self._footer.show(HINTS, status_words(self.store, self.table.cursor + 1, self.table.row_count()))

    def quoted(self) -> str:
        """Return the summary for use outside of backlit."""
        return summary_of(self.store, self._results, self.item_ids)

    def go_to(self, place: int) -> None:
        """Show the item at a position of the session instead."""
        self.app.switch_screen(self._screen_at(place))


def summary_of(store: Store, results: Sequence[Groomed], item_ids: Sequence[int]) -> str:
    """Return the summary of a session on some items, in Markdown with users' texts escaped."""
    head = f"# Groomed: {_line(project_name(store))}, {store.today().isoformat()}"
    lines = [head, "", _counts(store, results, item_ids)]
    ground = store.ready_check.ground()
    for title, found in grouped(results):
        lines += ["", f"## {title}", ""]
        for each in found:
            lines += _item(store, each, ground)
    return "\n".join(lines).rstrip() + "\n"


def _counts(store: Store, results: Sequence[Groomed], item_ids: Sequence[int]) -> str:
    """Return the numbers of items: all, and those of each group."""
    parts, found = [store.batch.words(item_ids)], dict(grouped(results))
    titles = TITLES if TITLES[-1] in found else TITLES[:-1]
    parts += [f"{len(found.get(title, ())):,} {title.lower()}" for title in titles]
    if len(item_ids) > len(results):
        parts.append(f"{len(item_ids) - len(results):,} not shown")
    return f"{', '.join(parts)}."


def grouped(results: Sequence[Groomed]) -> Iterator[tuple[str, list[Groomed]]]:
    """Yield the items by their result, without empty groups."""
    groups: dict[str, list[Groomed]] = {title: [] for title in TITLES}
    for each in results:
        groups[TITLES[0] if each.answers else TITLES[1] if each.is_skipped else TITLES[2]].append(each)
    yield from ((title, found) for title, found in groups.items() if found)


def changes_of(store: Store, each: Groomed, colon: str) -> Iterator[str]:
    """Yield the changed fields with their values, those of other users named as such."""
    words = FieldWords(store)
    for answer in (*each.answers, *each.others):
        field = field_named(answer.key, store.lookups)
        values = (answer.before, answer.after)
        before, after = (NONE if is_empty(value) else words.shown(field, value) for value in values)
        by = "" if answer in each.answers else "by someone else: "
        yield f"{by}{field.label}{colon}{before} → {after}"
    if each.answers and each.is_skipped:
        yield "skipped"


def _item(store: Store, each: Groomed, ground: Ground) -> Iterator[str]:
    number = f"#{each.item_id} " if each.item_id > 0 else ""
    yield f"- {number}{_line(each.name)}{f' ({each.type})' if each.type else ' (deleted)'}"
    yield from (f"  - {_line(change)}" for change in changes_of(store, each, ": "))
    if each.open:
        yield f"  - open: {_listed(open_words(each, ground))}"


def _line(text: str) -> str:
    return escaped(" ".join(text.split()))


def open_item(target: GroomSummaryScreen, call: Call) -> None:
    """Open the item under the cursor at the place of the command's argument."""
    each = target.table.current
    if each is None or not each.type:
        raise CannotAct("The item no longer exists.")
    target.open(each.item_id, ItemPlace(call.command.argument))


def copy(target: GroomSummaryScreen, _call: Call) -> None:
    """Copy the Markdown."""
    markdown = target.quoted()
    target.copy(markdown, f"Copied the summary, {counted(len(markdown.splitlines()), 'line')} of Markdown")


async def save(target: GroomSummaryScreen, _call: Call) -> None:
    """Ask for a path and save the summary there; asks before it replaces a file."""
    store, markdown = target.store, target.quoted()
    project = project_name(store)
    name = f"groomed-{_NOT_FOR_FILES.sub('-', project).strip('-.').lower()}-{store.today().isoformat()}.md"
    await save_file(target, Saved("Save the summary", lambda _path: markdown, file_in), downloads() / name)


def go_back(target: GroomSummaryScreen, _call: Call) -> None:
    """Go back to the last item."""
    progress = target.store.grooming.progress()
    stop = target.store.grooming.previous_stop(progress.count if progress else 0)
    if stop is None:
        raise CannotAct("None of the items exists any more.")
    target.go_to(stop.place)


def leave(target: GroomSummaryScreen, _call: Call) -> None:
    """Close the summary without ending the session."""
    target.say("Grooming is not finished. gq shows the summary again.")
    target.dismiss(None)


async def close(target: GroomSummaryScreen, _call: Call) -> None:
    """Close the summary and end the session."""
    target.dismiss(None)
    await target.store.grooming.end()
