"""The screen of an import: the mapping with a preview, the question, and the progress."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.timer import Timer

from backlit.imports.faults import faults_file, listed
from backlit.imports.mapping import parse_mapping
from backlit.imports.mapping_rows import MappingRow, MappingTable, with_value
from backlit.imports.progress import ImportProgress
from backlit.imports.reading.source import read_source
from backlit.imports.run import ImportOptions, ImportRun, PreparedImport, mapping_of, prepare, rows_of
from backlit.imports.summary import is_for_customers, question, written_values
from backlit.model.amounts import counted, estimates_without_points, without_points_sentence
from backlit.model.errors import BacklitError, BadRequest
from backlit.model.import_mappings import ImportMapping
from backlit.store.records.changes import ConnectionState
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.dialogs.prompts import TextToSave, file_in, save_file
from backlit.tui.drawing.text import Line, safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.imports.import_list import LEFT_OUT, ImportChoice, ImportList
from backlit.tui.imports.import_text import ImportText, about_row, text_after, text_before
from backlit.tui.imports.row_choices import choices_of, types_with
from backlit.tui.shell.status_text import position_words, project_name, status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.workers import BACKGROUND_GROUP, work
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.side_lines import Part, RuleLine
from backlit.tui.widgets.text_view import DetailView

WIDE = 100
"""Cells from which the text is beside the list."""
TEXT_SHARE = 55
"""Per cent of the width for the text; the style sheet has the same figure."""
DRAW_EVERY = 0.2
"""Seconds between two drawings of the progress."""
READ_HINTS = ("import.run", "import.change", "import.edit", "import.save", "import.back", "app.help")
RUN_HINTS = ("import.cancel", "app.help")
DONE_HINTS = ("app.undo", "import.back", "app.help")
NO_CONNECTION = frozenset({ConnectionState.OFFLINE, ConnectionState.SIGNED_OUT, ConnectionState.FAILED})
OVERWRITE = "Changed here and in the file"
SKIP = "Rows with a fault"


class ImportStage(StrEnum):
    """What an import waits for."""

    READING = "reading"
    REFUSED = "refused"
    READY = "ready"
    WRITING = "writing"
    SENDING = "sending"
    DONE = "done"


class ImportScreen(StoreScreen[None]):
    """A file of another tracker: its mapping, the first items, and what is told of it. Nothing is written before y.

    `faults` is the folder for the file with all faults.
    """

    COMMAND_GROUPS = ("imports.screen", "widgets.text_view")
    AUTO_FOCUS = "ImportList"
    PLACE = "Import"
    CSS_PATH = "../styles/import.tcss"

    def __init__(self, store: Store, path: Path, content: bytes, faults: Path) -> None:
        super().__init__(store)
        self._path, self._content, self._faults = path, content, faults
        self._options = ImportOptions()
        self._prepared: PreparedImport | None = None
        self.stage = ImportStage.READING
        self._said = ImportText([("Reading the file …", "muted")])
        self._edited = ""
        """A mapping that was edited and has faults."""
        self._progress: tuple[ImportProgress, int] | None = None
        self._timer: Timer | None = None
        self._stops = False
        self._project_id = store.project_id

    def compose(self) -> ComposeResult:
        self._heading, self._footer = RuleLine("┬", is_of_first=True), FooterLine(id="status")
        self._list, self._text = ImportList(), DetailView()
        self._frame = PaneFrame(self._list, id="mapping-pane")
        self._text_frame = PaneFrame(self._text, id="beside")
        yield from self.compose_panes(self._heading, (self._frame, self._text_frame), self._footer)

    def on_mount(self) -> None:
        self._draw()
        self.run_worker(work(self._prepare), exclusive=True, group="import")

    def on_resize(self) -> None:
        self._draw_words()

    def store_changed(self, _changes: ChangeBatch) -> None:
        if self.store.project_id != self._project_id and self.stage in {ImportStage.READY, ImportStage.REFUSED}:
            self._project_id = self.store.project_id
            self.run_worker(work(self._prepare), exclusive=True, group="import")
        self._draw_words()

    # Reading

    @property
    def _mapping(self) -> ImportMapping:
        return self.session.import_mappings.get(self._path, ImportMapping())

    @_mapping.setter
    def _mapping(self, mapping: ImportMapping) -> None:
        self.session.import_mappings[self._path] = mapping

    async def _prepare(self) -> None:
        """Read the file and compare it with the project, as the command does. Nothing is written."""
        self.stage = ImportStage.READING
        self._draw_words()
        try:
            prepared = await asyncio.to_thread(
                prepare, self.store, self._content, str(self._path), self._mapping, self._options
            )
            report = await asyncio.to_thread(self._report, prepared)
        except BacklitError as error:
            self._prepared, self.stage = None, ImportStage.REFUSED
            lines = [(f"! {error.message}", "conflict")]
            lines += [("Choose what is the Name among the columns, or press e.", "muted")] * bool(self._columns())
            self._said = ImportText(lines)
        else:
            self._prepared, self.stage = prepared, ImportStage.READY
            self._said = text_before(self.store, prepared, report)
        self._draw()

    def _report(self, prepared: PreparedImport) -> str:
        """Write all faults to a file, and return its name."""
        faults = [*prepared.plan.faults, *prepared.skipped]
        if len(faults) < 2:
            return ""
        path = faults_file(self._faults, self._path.name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{line}\n" for line in listed(faults)), encoding="utf-8")
        except OSError:
            return ""  # the screen has the first ones of each kind
        return str(path)

    def _columns(self) -> list[MappingRow]:
        """Return the columns of a file that is not understood yet."""
        try:
            table = read_source(self._content, str(self._path), self._mapping.encoding).table
        except BadRequest:
            return []
        words = self._mapping.columns
        headings = dict.fromkeys(table.headings if table else ())
        return [MappingRow(MappingTable.COLUMNS, name, words.get(name, LEFT_OUT)) for name in headings if name]

    # Showing

    @property
    def rows(self) -> Sequence[MappingRow]:
        if self._prepared:
            return rows_of(self._prepared)
        # A file that is still being read has no columns yet: "left out" would be wrong of them.
        return self._columns() if self.stage is ImportStage.REFUSED else []

    def _choices(self) -> Iterator[ImportChoice]:
        if self._prepared is None:
            return
        if self._options.skips_faulty or self._prepared.plan.faults:
            yield ImportChoice(SKIP, "left out" if self._options.skips_faulty else "prevent the import")
        if self._options.overwrite or self._prepared.plan.to_check:
            yield ImportChoice(OVERWRITE, "the file's value" if self._options.overwrite else "kept as it is here")

    @property
    def _labels(self) -> Mapping[str, str]:
        return {field.key: field.label for field in self.store.lookups.custom_fields()}

    def _draw(self) -> None:
        if not self.is_attached:
            return
        is_over = self.stage is ImportStage.DONE
        self.set_class(is_over, "-done")
        self._list.empty_text = "" if self.stage is not ImportStage.READY else "backlit's own headings need no mapping."
        self._list.show_rows([] if is_over else self.rows, [] if is_over else [*self._choices()], self._labels)
        self._text.show(self._draw_text)
        self._draw_words()

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._text.show_soon(lambda: self._text.show(self._draw_text))
        self._draw_words()

    def _draw_text(self, width: int, _height: int, theme: ThemeStyles) -> list[Line]:
        row, source = self._list.row, self._prepared.source if self._prepared else None
        return self._said.lines(width, theme, about_row(row, source, self._labels) if row else ())

    def _draw_words(self) -> None:
        if not self.is_attached:
            return
        width = self.size.width
        self.set_class(width < WIDE, "-below")
        for rule in self.query(RuleLine):
            rule.join_at(None if width < WIDE else width - width * TEXT_SHARE // 100)
        heading: list[Part] = [("Import ", "heading"), (safe(self._path.name), "foreground")]
        right: list[Part] = [(f"into {project_name(self.store)}", "muted")]
        beside: list[Part] = []
        if self._progress is not None:
            progress, done = self._progress
            heading, beside = [(f"{progress.bar(done)} ", "bar")], [(progress.words(done), "foreground")]
        elif self.stage is ImportStage.READING:
            right = [("reading …", "muted")]
        self._heading.say([*heading, *beside], right)
        place = self._list.position
        self._frame.say(heading, right, (), position_words(*place))
        self._text_frame.say(beside)
        hints = {
            ImportStage.WRITING: RUN_HINTS,
            ImportStage.SENDING: RUN_HINTS,
            ImportStage.DONE: DONE_HINTS,
        }.get(self.stage, READ_HINTS)
        self._footer.show(hints, status_words(self.store, *(() if self._frame.is_wanted else place)))

    # Commands

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("import.change")

    def _need_mapping(self) -> None:
        if self.stage is ImportStage.READING:
            raise CannotAct("The file is being read. Try again in a moment.")
        if self.stage not in {ImportStage.READY, ImportStage.REFUSED}:
            raise CannotAct("The import has begun; its mapping cannot be changed any more.")

    async def change_row(self, _call: CommandContext) -> None:
        """Ask what a column or a value becomes, and read the file again with it."""
        self._need_mapping()
        row, choice = self._list.row, self._list.choice
        if choice is not None:
            change = "skips_faulty" if choice.name == SKIP else "overwrite"
            self._options = replace(self._options, **{change: not getattr(self._options, change)})
        elif row is None:
            raise CannotAct("Nothing selected.")
        else:
            title = f"{row.name} becomes"
            picked = await self.ask(PickDialog(title, choices_of(self.store, row), row.value))
            if picked is None:
                return
            value = str(picked.value)
            self._mapping = with_value(self._mapping, row, value, types_with(self.store, row, value))
        await self._prepare()

    async def edit_mapping(self, _call: CommandContext) -> None:
        """Open the mapping as a file in the user's editor."""
        self._need_mapping()
        text = self._edited or self._mapping_text()
        edited = self.edit_outside(text, ".toml")
        try:
            self._mapping = parse_mapping(Path("the mapping"), edited.encode())
        except BadRequest as error:
            self._edited = edited
            faults = [(f"! {line}", "conflict") for line in error.message.splitlines()]
            self._said = replace(self._said, head=[*faults, ("e edits it again; nothing is lost.", "muted")])
            self._draw()
            raise BadRequest("The mapping has faults, and is not used yet.") from None
        self._edited = ""
        await self._prepare()

    def _mapping_text(self) -> str:
        if self._prepared is not None:
            return "".join(f"{line}\n" for line in mapping_of(self._prepared))
        lines = ['format = "csv"', "[columns]", *(f'# "{row.name}" = "Name"' for row in self._columns())]
        return "".join(f"{line}\n" for line in lines)

    async def save_mapping(self, _call: CommandContext) -> None:
        """Save the mapping for the command's --map, or for the next import."""
        self._need_mapping()
        text = self._mapping_text()
        saved = TextToSave("Save the mapping", lambda _path: text, file_in)
        await save_file(self, saved, self._path.with_suffix(".map.toml"))

    async def run_import(self, _call: CommandContext) -> None:
        """Ask, and import. The file is compared anew: others may have changed the project meanwhile."""
        if self.stage is ImportStage.DONE:
            raise CannotAct(f"The file is imported. {key_of('app.undo')} takes it back.")
        self._need_mapping()
        self.store.lookups.need_writer()
        await self._prepare()
        prepared = self._prepared
        if prepared is None or prepared.plan.faults:
            raise CannotAct("The import has faults: see the text. Nothing was written.")
        if prepared.plan.is_empty:
            raise CannotAct("Nothing is new or changed in the file.")
        sentence = " ".join(_questions(self.store, prepared))
        answers = [AnswerKey("y", "import"), AnswerKey("e", "edit the mapping")]
        answer = await self.ask(ConfirmDialog("Import", sentence, answers, "cancel: nothing is written"))
        if answer == "e":
            self.run_command("import.edit")
        elif answer == "y":
            self.stage, self._stops = ImportStage.WRITING, False
            self.run_worker(work(self._run, prepared), group=BACKGROUND_GROUP)  # keys are answered meanwhile

    async def _run(self, prepared: PreparedImport) -> None:
        running = ImportRun(self.store, prepared.plan)
        before = self._rejected
        self._timer = self.set_interval(DRAW_EVERY, self._draw_words)
        try:
            written = await self._write(running)
            if self._stops:
                self._end(f"Stopped: {written:,} of {running.total:,} items are in. :import goes on with the file.")
                return
            await self._wait()
            self._said = text_after(self.store, prepared, running.made())
            self._end(self._about_waiting())
            if (rejected := self._rejected - before) > 0:
                self.say(f"The server rejected {counted(rejected, 'change')}. go shows why.", is_bad=True)
        except BacklitError as error:
            self._end("")
            self.say(f"{error.message} :import goes on with the file.", is_bad=True)

    async def _write(self, running: ImportRun) -> int:
        """Write to the journal batch by batch until a key stops it; return how many items are in."""
        progress, done = ImportProgress(running.total, "item"), 0
        self._progress = progress, 0
        async for done in running.write():
            self._progress = progress, done
            if self._stops:
                break
        return done

    @property
    def _rejected(self) -> int:
        return self.store.outbox.refused + self.store.outbox.conflicts

    async def _wait(self) -> None:
        """Show how many changes are sent, until a key leaves them to the background, or the connection is lost."""
        self.stage = ImportStage.SENDING
        total = max(self.store.outbox.pending, 1)
        progress = ImportProgress(total, "change")
        while (pending := self.store.outbox.pending) and not self._stops:
            if self.store.connection.state in NO_CONNECTION:
                return
            self._progress = progress, max(0, total - pending)
            await asyncio.sleep(DRAW_EVERY)

    def _about_waiting(self) -> str:
        waiting = self.store.outbox.pending
        if not waiting:
            return ""
        if self.store.connection.state not in NO_CONNECTION:
            return f"{counted(waiting, 'change is', 'changes are')} being sent in the background."
        verb = "waits" if waiting == 1 else "wait"
        return f"No connection: {counted(waiting, 'change')} {verb} here, and the server gets them when it is back."

    def _end(self, sentence: str) -> None:
        self._progress, self.stage = None, ImportStage.DONE
        if self._timer is not None:
            self._timer.stop()
        self._draw()
        if sentence:
            self.say(sentence)

    def stop_running(self) -> bool:
        """Stop the writing after its batch; what is written is sent. Returns False where nothing runs."""
        if self.stage not in {ImportStage.WRITING, ImportStage.SENDING}:
            return False
        self._stops = True
        return True

    def cancel(self, _call: CommandContext) -> None:
        if not self.stop_running():
            self.dismiss(None)


def _questions(store: Store, prepared: PreparedImport) -> Iterator[str]:
    plan = prepared.plan
    if is_for_customers(plan):
        yield "Customers can see some of these changes."
    if prepared.drafts is None and (odd := estimates_without_points(v.get("Estimate") for v in written_values(plan))):
        yield without_points_sentence(odd)
    yield question(store, plan)
