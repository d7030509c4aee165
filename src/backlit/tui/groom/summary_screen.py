"""The summary of a grooming session as Markdown: answered, skipped and open items; its screen and commands."""

import re
from collections.abc import Callable, Iterator, Sequence

from textual.app import ComposeResult
from textual.screen import Screen

from backlit.model.amounts import counted
from backlit.model.plain import plain
from backlit.model.reports.formats import escaped
from backlit.store.grooming import Groomed
from backlit.store.store import Store
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.prompts import Saved, file_in, save_file
from backlit.tui.fields.acts import field_named
from backlit.tui.fields.values import FieldWords
from backlit.tui.shell.paths import downloads
from backlit.tui.shell.status_text import project_name, status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.workers import work
from backlit.tui.widgets.side_lines import FooterLine, RuleLine
from backlit.tui.widgets.text_view import TextView

HINTS = ("summary.copy", "summary.save", "summary.previous", "summary.close", "app.help")
_NOT_FOR_FILES = re.compile(r"[^\w.-]+")
Quote = Callable[[str], str]
"""Escapes a line of a user's text for Markdown."""


class SummaryText(TextView, can_focus=True, inherit_bindings=False):
    """The Markdown of the summary, scrolled by keys."""

    def __init__(self) -> None:
        super().__init__(id="summary")


class GroomSummaryScreen(StoreScreen[None]):
    """Shows the Markdown that is copied and saved; `screen_at` makes the grooming screen at a position.

    The session ends when the summary is closed, not before.
    """

    COMMAND_GROUPS = ("groom.summary_screen",)

    AUTO_FOCUS = "SummaryText"
    PLACE = "Grooming"
    CSS_PATH = "../styles/groom.tcss"

    def __init__(self, store: Store, results: Sequence[Groomed], screen_at: Callable[[int], Screen[None]]) -> None:
        super().__init__(store)
        self._results = results
        self._screen_at = screen_at
        self._markdown = summary_of(store, results, self.item_ids)

    @property
    def item_ids(self) -> Sequence[int]:
        """The items of the session, shown or not."""
        return self.store.grooming.item_ids() or [each.item_id for each in self._results]

    def compose(self) -> ComposeResult:
        """Compose title, text and status."""
        self._heading, self._footer, self.text = RuleLine("─"), FooterLine(id="status"), SummaryText()
        yield self.title_line
        yield self._heading
        yield self.text
        yield RuleLine("─")
        yield self._footer

    def on_mount(self) -> None:
        """Show the summary."""
        self.text.show("", self._markdown)
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
            self._markdown = summary_of(self.store, self._results, self.item_ids)
            self.text.show("", self._markdown)

    def _draw_words(self) -> None:
        self._footer.show(HINTS, status_words(self.store))

    def quoted(self) -> str:
        """Return the summary for use outside of backlit, with users' texts escaped."""
        return summary_of(self.store, self._results, self.item_ids, escaped)

    def go_to(self, place: int) -> None:
        """Show the item at a position of the session instead."""
        self.app.switch_screen(self._screen_at(place))


def summary_of(store: Store, results: Sequence[Groomed], item_ids: Sequence[int], quote: Quote = plain) -> str:
    """Return the summary of a session on some items.

    Exported text is quoted, so that no name is read as Markdown; on the screen names are never Markdown.
    """
    head = _head(store, _line(project_name(store), quote), results, item_ids)
    return "\n".join([*head, *_sections(store, results, quote)]).rstrip() + "\n"


def _head(store: Store, project: str, results: Sequence[Groomed], item_ids: Sequence[int]) -> Iterator[str]:
    yield f"# Groomed: {project}, {store.today().isoformat()}"
    yield ""
    changed = sum(bool(each.answers) for each in results)
    skipped = sum(each.is_skipped and not each.answers for each in results)
    parts = [store.batch.words(item_ids), f"{changed:,} changed", f"{skipped:,} skipped"]
    kept = len(results) - changed - skipped
    if kept:
        parts.append(f"{kept:,} unchanged")
    if len(item_ids) > len(results):
        parts.append(f"{len(item_ids) - len(results):,} not shown")
    yield f"{', '.join(parts)}."


def _sections(store: Store, results: Sequence[Groomed], quote: Quote) -> Iterator[str]:
    titled = (
        ("Changed", [each for each in results if each.answers]),
        ("Skipped", [each for each in results if each.is_skipped and not each.answers]),
        ("Unchanged", [each for each in results if not each.is_skipped and not each.answers]),
    )
    for title, found in titled:
        if found:
            yield from ("", f"## {title}", "")
            for each in found:
                yield from _item(store, each, quote)


def _item(store: Store, each: Groomed, quote: Quote) -> Iterator[str]:
    number = f"#{each.item_id} " if each.item_id > 0 else ""
    kind = f" ({each.type})" if each.type else " (deleted)"
    yield f"- {number}{_line(each.name, quote)}{kind}{', skipped' if each.is_skipped and each.answers else ''}"
    words = FieldWords(store)
    for answer in (*each.answers, *each.others):
        field = field_named(answer.key, store.lookups)
        before, after = (_line(words.shown(field, value), quote) for value in (answer.before, answer.after))
        yield f"  - {'' if answer in each.answers else 'by someone else: '}{field.label}: {before} → {after}"
    if each.open:
        yield f"  - open: {', '.join(rule.label for rule in each.open)}"


def _line(text: str, quote: Quote) -> str:
    return quote(" ".join(text.split()))


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
    stop = target.store.grooming.previous_stop(len(target.item_ids))
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
