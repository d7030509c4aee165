"""The end of the groom queue: what came of it, to be read, copied and saved."""

import re
from collections.abc import Sequence

from textual.app import ComposeResult

from backlit.model.reports.as_markdown import escaped
from backlit.store.grooming import Groomed
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.gathered import Gathered
from backlit.tui.groom_answers import Usual
from backlit.tui.groom_words import summary_of
from backlit.tui.log_verbs import timer_words
from backlit.tui.paths import downloads
from backlit.tui.screens.backlog_words import left_status
from backlit.tui.screens.base import StoreScreen
from backlit.tui.text_saving import Saved, ask_where, file_in
from backlit.tui.widgets.lines import RuleLine, SidesLine, hints
from backlit.tui.widgets.summary_text import SummaryText
from backlit.tui.work import work

_NOT_FOR_FILES = re.compile(r"[^\w.-]+")
HINTS = ("summary.copy", "summary.save", "summary.previous", "summary.close", "app.help")


class GroomSummaryScreen(StoreScreen[None]):
    """Shows the Markdown that is copied and saved; the queue is over when it is closed, and not before."""

    LOSES_NOTHING = True
    AUTO_FOCUS = "SummaryText"
    CSS_PATH = "../styles/groom.tcss"

    def __init__(self, store: Store, results: Sequence[Groomed], usual: Usual) -> None:
        super().__init__(store)
        progress = store.grooming.progress()
        self._count = progress.count if progress else len(results)
        self._results = results
        self._usual = usual
        self._markdown = summary_of(store, results, self._count)

    def compose(self) -> ComposeResult:
        """Title, text between rules, status."""
        self._title, self._status, self._text = SidesLine(id="title"), SidesLine(id="status"), SummaryText()
        yield self._title
        yield RuleLine("─")
        yield self._text
        yield RuleLine("─")
        yield self._status

    def on_mount(self) -> None:
        """Show it."""
        self._text.show("", self._markdown)
        self._title.say(
            [(" backlit ", "accent"), (" Groom queue", "foreground"), (" › Summary", "muted")],
            [(f"  {self._count:,} {'item' if self._count == 1 else 'items'} ", "foreground")],
        )
        self._draw_words()

    def store_changed(self, gathered: Gathered) -> None:  # noqa: ARG002 - anything may be told in it
        """Tell what became of it since: an answer that was undone is no answer."""
        self.run_worker(work(self._read), exclusive=True, group="queue")
        self._draw_words()

    async def _read(self) -> None:
        if self.store.grooming.progress() is None:
            return
        self._results = await self.store.grooming.results()
        if self.is_attached:
            self._markdown = summary_of(self.store, self._results, self._count)
            self._text.show("", self._markdown)

    def _draw_words(self) -> None:
        left = left_status(self.store.connection, self.store.outbox, 0, 0)
        self._status.say([*left, *timer_words(self.store)], hints(HINTS))

    def _quoted(self) -> str:
        return summary_of(self.store, self._results, self._count, escaped)

    def do_summary_down(self, _count: int | None) -> None:
        """Scroll."""
        self._text.page_by(1)

    def do_summary_up(self, _count: int | None) -> None:
        """Scroll back."""
        self._text.page_by(-1)

    def do_summary_copy(self, _count: int | None) -> None:
        """Copy the Markdown."""
        self.app.copy_to_clipboard(self._quoted())
        self.say(f"Copied the summary, {len(self._markdown.splitlines()):,} lines of Markdown.")

    def do_summary_save(self, _count: int | None) -> None:
        """Ask where to, then save; over nothing that is there, unless that is agreed to."""
        project = next((each.name for each in self.store.projects() if each.id == self.store.project_id), "")
        name = f"groomed-{_NOT_FOR_FILES.sub('-', project).strip('-.').lower()}-{self.store.today().isoformat()}.md"
        ask_where(self, Saved("Save the summary", lambda _path: self._quoted(), file_in), downloads() / name)

    def do_summary_previous(self, _count: int | None) -> None:
        """Go back to the last item."""
        from backlit.tui.screens.groom import GroomScreen

        stop = self.store.grooming.previous_stop(self._count)
        if stop is None:
            raise CannotAct("None of the items is there any more.")
        self.app.switch_screen(GroomScreen(self.store, self._usual, stop.place))

    def do_app_unwind(self, _count: int | None) -> None:
        """Leave it; the queue and its summary stay for the next time."""
        self.say("gq shows the summary again; q there ends the queue.")
        self.dismiss()

    def do_summary_close(self, _count: int | None) -> None:
        """Close it; the queue is forgotten."""
        self.app.run_worker(work(self.store.grooming.end), group="queue")
        self.dismiss()
