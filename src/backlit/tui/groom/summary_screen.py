"""The summary of a grooming session: changed, skipped and unchanged items; its screen, Markdown and commands."""

import re
from collections.abc import Callable, Iterator, Sequence

from rich.segment import Segment
from textual.app import ComposeResult
from textual.screen import Screen

from backlit.model.amounts import counted
from backlit.model.reports.formats import escaped
from backlit.store.grooming import Groomed
from backlit.store.records.merge import is_empty
from backlit.store.store import Store
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.prompts import Saved, file_in, save_file
from backlit.tui.drawing.markdown import Line
from backlit.tui.drawing.text import fit, wrapped
from backlit.tui.drawing.themes import ThemeStyles, type_colour, type_sign
from backlit.tui.fields.acts import field_named
from backlit.tui.fields.values import FieldWords
from backlit.tui.shell.paths import downloads
from backlit.tui.shell.status_text import project_name, status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.workers import work
from backlit.tui.widgets.side_lines import FooterLine, Part, RuleLine
from backlit.tui.widgets.text_view import LinesView

HINTS = ("summary.copy", "summary.save", "summary.previous", "summary.close", "app.help")
_NOT_FOR_FILES = re.compile(r"[^\w.-]+")
TITLES = ("Changed", "Skipped", "Unchanged")


SIGN, NUMBER, GAP = 2, 7, 2
NAME_SHARE, CHANGES_SHARE = 0.44, 0.32
"""Shares of the width for names and changes; the rest is for what is still open."""


class SummaryTable(LinesView, can_focus=True, inherit_bindings=False):
    """The results as a table, scrolled by keys: the item, its changes, and the checks it still fails."""

    def __init__(self, store: Store) -> None:
        super().__init__(id="summary")
        self._store = store
        self._sentence = ""
        self._results: Sequence[Groomed] = ()

    def show(self, sentence: str, results: Sequence[Groomed]) -> None:
        """Show the results below a sentence."""
        self._sentence, self._results = sentence, results
        self.lay_out()

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        """Return the sentence, the titles of the columns, and the items under the titles of their groups."""
        lines: list[Line] = [[Segment(line, theme.style())] for line in wrapped(self._sentence, width)]
        titles = (("ID", "muted"), ("", "muted"), ("Item", "muted"), ("Changes", "muted"), ("Still open", "muted"))
        lines += [[], *_cells([[each] for each in titles], width, theme)]
        for title, found in grouped(self._results):
            lines += [
                [],
                [Segment(f"{title}  ", theme.style(bold=True)), Segment(f"{len(found):,}", theme.style("muted"))],
            ]
            for each in found:
                lines += _cells(self._row(each), width, theme)
        return lines

    def _row(self, each: Groomed) -> list[list[Part]]:
        number = f"#{each.item_id}" if each.item_id > 0 else ""
        name = each.name if each.type else f"{each.name} (deleted)"
        changes: list[Part] = [(words, "foreground") for words in changes_of(self._store, each, " ")]
        rules: list[Part] = [(rule.label, "pending") for rule in each.open]
        return [
            [(number, "muted")],
            [(type_sign(each.type), type_colour(each.type))],
            [(name, "foreground")],
            changes,
            rules,
        ]

    def page_by(self, pages: int) -> None:
        """Scroll."""
        self.scroll_relative(y=pages * max(1, self.size.height - 1), animate=False, immediate=True, force=True)


def _cells(row: Sequence[Sequence[Part]], width: int, theme: ThemeStyles) -> Iterator[Line]:
    """Yield a row of cells with several parts each; a long part goes on in the next line."""
    room = max(3, width - NUMBER - SIGN - 2 * GAP)
    name, changes = round(room * NAME_SHARE), round(room * CHANGES_SHARE)
    widths = (NUMBER - 1, SIGN - 1, name, changes, max(1, room - name - changes))
    gaps = (1, 1, GAP, GAP, 0)
    columns = [
        [(line, colour) for text, colour in parts for line in wrapped(text, cells)]
        for parts, cells in zip(row, widths, strict=True)
    ]
    for number in range(max(map(len, columns))):
        line: Line = []
        for parts, cells, gap in zip(columns, widths, gaps, strict=True):
            text, colour = parts[number] if number < len(parts) else ("", "muted")
            line.append(Segment(fit(text, cells) + " " * gap, theme.style(colour)))
        yield line


class GroomSummaryScreen(StoreScreen[None]):
    """Shows the results, which are copied and saved as Markdown; `screen_at` makes the grooming screen at a position.

    The session ends when the summary is closed, not before.
    """

    COMMAND_GROUPS = ("groom.summary_screen",)

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
        self._heading, self._footer, self.text = RuleLine("─"), FooterLine(id="status"), SummaryTable(self.store)
        yield self.title_line
        yield self._heading
        yield self.text
        yield RuleLine("─")
        yield self._footer

    def on_mount(self) -> None:
        """Show the summary."""
        self._show()
        self._heading.say([("Summary", "heading")], [(self.store.batch.words(self.item_ids), "foreground")])
        self._draw_words()

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
        self.text.show(_counts(self.store, self._results, self.item_ids), self._results)

    def _draw_words(self) -> None:
        self._footer.show(HINTS, status_words(self.store))

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
    for title, found in grouped(results):
        lines += ["", f"## {title}", ""]
        for each in found:
            lines += _item(store, each)
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
        before, after = (
            "" if is_empty(value) else words.shown(field, value) for value in (answer.before, answer.after)
        )
        change = f"{before} → {after}" if before and after else after or f"cleared (was {before})"
        by = "" if answer in each.answers else "by someone else: "
        yield f"{by}{field.label}{colon}{change}"
    if each.answers and each.is_skipped:
        yield "skipped"


def _item(store: Store, each: Groomed) -> Iterator[str]:
    number = f"#{each.item_id} " if each.item_id > 0 else ""
    yield f"- {number}{_line(each.name)}{f' ({each.type})' if each.type else ' (deleted)'}"
    yield from (f"  - {_line(change)}" for change in changes_of(store, each, ": "))
    if each.open:
        yield f"  - open: {', '.join(rule.label for rule in each.open)}"


def _line(text: str) -> str:
    return escaped(" ".join(text.split()))


def scroll(target: GroomSummaryScreen, call: Call) -> None:
    """Scroll by a page, in the direction of the command's argument."""
    target.text.page_by(int(call.command.argument))


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
