"""The files of one item, or of one of its comments: the list, the transfers, and the screen."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from rich.cells import cell_len
from textual import on
from textual.strip import Strip
from textual.worker import Worker

from backlit.model.amounts import counted, size_text
from backlit.model.errors import BacklitError, sentence_of
from backlit.store.store import Store
from backlit.store.views.items import AttachmentEntry
from backlit.tui.attachments.file_preview import PREVIEW_BYTES, FilePreview, kind_word, preview_of
from backlit.tui.commands.command import CannotAct
from backlit.tui.drawing.text import fit, fit_right, safe
from backlit.tui.fields.dates import age_of, moment
from backlit.tui.items.item_head import TAB_COMMANDS, ItemRowsScreen
from backlit.tui.items.preview import author_colours
from backlit.tui.shell.store_screen import StoreScreen
from backlit.tui.shell.target import ItemDestination
from backlit.tui.shell.workers import work
from backlit.tui.widgets.line_list import EntryList, LineList
from backlit.tui.widgets.side_lines import HEADING, Part
from backlit.tui.widgets.text_view import RowsOverDetail

SIZE_WIDTH = 7
AUTHOR_WIDTH = 10
AGE_WIDTH = 4
WHEN_WIDTH = AGE_WIDTH + 18
SEEN_WIDTH = 10
KIND_WIDTH, MIN_NAME_WIDTH = 8, 16
NAME_SHARE = 0.4
"""Share of the remaining width that goes to the name at most where a description stands beside it."""
WIDEST, WIDE, MIDDLING = 140, 100, 72
"""Cells from which there is room for the whole time; for its author and the kind; for its description."""
KEPT_PREVIEWS = 10
PREVIEW_DELAY = 0.25
"""Seconds that the cursor rests on a file before the file is read for its preview."""
BAR_WIDTH = 16
DRAW_EVERY = 0.15
"""Seconds between two drawings of the progress."""
KIND_COLOURS: Mapping[str, str] = {"picture": "type-feature", "table": "type-feedback", "document": "type-story"}
_EIGHTHS = " ▏▎▍▌▋▊▉█"


class AttachmentList(EntryList[AttachmentEntry]):
    """A list of files, one to a row; `now` gives the service's time, for the ages, and `local` the user's."""

    HEADER_LINES = 1

    def __init__(
        self,
        now: Callable[[], datetime],
        local: Callable[[datetime], datetime],
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._now = now
        self._local = local
        self.colours: Mapping[str, str] = {}
        """The colours of authors by their names."""

    # Drawing

    def render_header(self, y: int) -> Strip:
        if not self.entries:
            return super().render_header(y)
        titles = (
            "Name",
            "Kind",
            fit_right("Size", SIZE_WIDTH),
            "By",
            fit_right("Age", AGE_WIDTH),
            "Visible to",
            "Description",
        )
        return self.draw_headings(" " + "".join(self._fitted(titles)))

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        entry = self.entries[index]
        size = fit_right(size_text(entry.size) if entry.size is not None else "", SIZE_WIDTH)
        now, at = self._now(), entry.created_at
        when = f"{age_of(at, now):>{AGE_WIDTH}}" + (f"  {moment(at, self._local)}" if self.size.width >= WIDEST else "")
        seen_by, seen_colour = ("team", "muted") if entry.is_internal else ("customers", "type-feedback")
        about = entry.description if entry.comment_id is None else f"(on a comment) {entry.description}"
        kind = kind_word(entry.name)
        cells = self._fitted((entry.name, kind, size, entry.author, when, seen_by, " ".join(about.split())))
        author = self.colours.get(entry.author or "", "muted")
        colours = ("foreground", KIND_COLOURS.get(kind, "muted"), "muted", author, "muted", seen_colour, "foreground")
        return self.draw_parts(list(zip(cells, colours, strict=True)), is_cursor=is_cursor)

    def _fitted(self, cells: Sequence[str]) -> list[str]:
        """Return the cells of a row as wide as their columns; those of a column without room are empty."""
        width = self.size.width
        is_wide = width >= WIDE
        when = WHEN_WIDTH if width >= WIDEST else AGE_WIDTH * self._has_ages()
        seen = SEEN_WIDTH * any(not each.is_internal for each in self.entries)
        facts = KIND_WIDTH * is_wide, SIZE_WIDTH, AUTHOR_WIDTH * is_wide, when, seen
        room = max(8, width - 2 - sum(each + 2 for each in facts if each))
        longest = max((cell_len(safe(each.name)) for each in self.entries), default=0)
        name = min(max(longest, MIN_NAME_WIDTH), round(room * NAME_SHARE)) if width >= MIDDLING else room
        widths = name, *facts, room - name - 2
        return [fit(text, each) + "  " * (each > 0) for text, each in zip(cells, widths, strict=True)]

    def _has_ages(self) -> bool:
        """Return whether a file is older than of just now, which is no news below each other."""
        now = self._now()
        return any(age_of(each.created_at, now) != "now" for each in self.entries)


class Transfer(Struct):
    """A file on its way and its progress; the engine's thread writes it, the screen's reads it."""

    label: str
    done: int = 0
    total: int = 0

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    def begin(self, label: str) -> None:
        self.label, self.done, self.total = label, 0, 0

    def parts(self) -> list[Part]:
        if not self.total:
            return [(f" {self.label} …", "foreground")]
        how_much = f"{size_text(self.done)} of {size_text(self.total)}"
        return [
            (f" ▕{bar(self.done / self.total)}▏ ", "bar"),
            (self.label, "foreground"),
            (f"  {how_much}", "muted"),
        ]


def bar(share: float, width: int = BAR_WIDTH) -> str:
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width, "·")


class TransferRunner:
    """Runs one transfer at a time for a screen, and has it draw the progress."""

    def __init__(self, screen: StoreScreen[None], draw: Callable[[], None]) -> None:
        self._screen = screen
        self._draw = draw
        self._worker: Worker[None] | None = None
        self.current: Transfer | None = None

    def refuse_second(self) -> None:
        """Raise CannotAct while a file is on its way."""
        if self.current is not None:
            raise CannotAct("A file transfer is running. esc to cancel it.")

    def begin(self, label: str, act: Callable[[Transfer], Coroutine[Any, Any, None]]) -> None:
        """Begin a transfer, which goes on while keys are answered; raises CannotAct while another one runs."""
        self.refuse_second()
        self.current = Transfer(label)
        self._worker = self._screen.run_worker(work(self._run, act, self.current), group="transfer")

    def cancel(self) -> bool:
        """Cancel the transfer; returns False without one."""
        if self.current is None or self._worker is None:
            return False
        self._worker.cancel()
        return True

    async def _run(self, act: Callable[[Transfer], Coroutine[Any, Any, None]], transfer: Transfer) -> None:
        timer = self._screen.set_interval(DRAW_EVERY, self._draw)
        try:
            await act(transfer)
        except asyncio.CancelledError:
            if self._screen.is_attached:
                self._screen.say(f"Cancelled: {transfer.label}.")
            raise
        except (CannotAct, BacklitError) as error:
            self._screen.say(sentence_of(error), is_bad=True)
        finally:
            timer.stop()
            self.current = None
            if self._screen.is_attached:
                self._draw()


class AttachmentsScreen(ItemRowsScreen):
    """A list of files."""

    COMMAND_GROUPS = ("attachments.file_commands", *TAB_COMMANDS)
    AUTO_FOCUS = "AttachmentList"
    CSS_PATH = "../styles/attachments.tcss"
    TAB = ItemDestination.ATTACHMENTS
    HINTS = (
        *("attachments.upload", "attachments.look", "attachments.open", "attachments.save", "attachments.describe"),
        *("attachments.delete", "item.next-tab", "attachments.back", "app.help"),
    )
    HINTS_WITHOUT_ROWS = ("attachments.upload", "attachments.upload-open", *ItemRowsScreen.HINTS_WITHOUT_ROWS)
    EMPTY = (
        "No files. [attachments.upload] to attach one, [attachments.upload-open] for one that customers see.",
        "No files in the local copy.",
    )

    def __init__(self, store: Store, item_id: int, comment_id: int | None = None) -> None:
        files = AttachmentList(store.now, store.local, id="files")
        super().__init__(store, item_id, files)
        self.comment_id = comment_id
        self.transfers = TransferRunner(self, self.draw_status)
        self._files = files
        self._pane = self._split = RowsOverDetail(files)
        self._frame = self._split.frame
        self._previews: dict[int, FilePreview] = {}

    @property
    def shown_place(self) -> tuple[int, ItemDestination, int | None]:
        return self.item_id, ItemDestination.ATTACHMENTS, self.comment_id

    def show_rows(self) -> None:
        self._files.colours = author_colours(self.store.lookups.known_people())
        self._files.show([each for each in self._head.files if self.comment_id in {None, each.comment_id}])

    def note(self) -> str:
        """Return the size of the files, and for those of a comment, which the tab does not count, their number."""
        entries = self._files.entries
        total = size_text(sum(each.size or 0 for each in entries)) if entries else ""
        return total if self.comment_id is None else f"{counted(len(entries), 'file')} of a comment  {total}".rstrip()

    def on_resize(self) -> None:
        self._show_preview(self._files.current)

    @on(LineList.Highlighted)
    def _file_highlighted(self) -> None:
        entry = self._files.current
        self._show_preview(entry)
        self.workers.cancel_group(self, "preview")
        if entry is not None and entry.id not in self._previews and not self.session.is_low_bandwidth:
            self.run_worker(work(self._read_preview, entry), group="preview")
        self.update_labels()

    def _show_preview(self, entry: AttachmentEntry | None) -> None:
        if entry is None:
            self._split.show(None)
        else:
            found, about = self._previews.get(entry.id), entry.description if self.size.width < MIDDLING else ""
            facts = (about, found.kind, found.note) if found else (about,)
            heading = [(entry.name, HEADING), *((f" · {each}", "muted") for each in facts if each)]
            self._split.show(found.first_lines if found else lambda *_: [], heading)

    async def _read_preview(self, entry: AttachmentEntry) -> None:
        """Read the beginning of a file for its preview once the cursor rests on it; without a connection, leave it."""
        await asyncio.sleep(PREVIEW_DELAY)
        try:
            content = await self.store.transfers.look(entry.id, PREVIEW_BYTES)
        except BacklitError:
            return
        with_pictures = self.session.images != "off"
        found = await asyncio.to_thread(preview_of, content, entry.name, entry.size, with_pictures=with_pictures)
        self._previews[entry.id] = found
        for oldest in list(self._previews)[:-KEPT_PREVIEWS]:
            del self._previews[oldest]
        if self._files.current == entry:
            self._show_preview(entry)

    def draw_status(self) -> None:
        transfer = self.transfers.current
        if transfer is None:
            super().draw_status()
        else:
            self.footer.show([("esc", "cancel", "attachments.cancel")], transfer.parts())

    def current_file(self) -> AttachmentEntry:
        """Return the file under the cursor; raises CannotAct without one."""
        return self._files.chosen()

    async def may_leave(self) -> bool:
        """Return True; raises CannotAct while a file is on its way."""
        self.transfers.refuse_second()
        return True

    def stop_running(self) -> bool:
        """Cancel the transfer; returns False without one."""
        return self.transfers.cancel()

    @on(LineList.Chosen)
    def _file_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("attachments.look")
