"""The project's settings: what a team agrees on, where each value comes from, and the commands that change it."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult

from backlit.model.errors import BacklitError, Offline
from backlit.store.edits.project_settings import SettingEdit
from backlit.store.records.changes import ConnectionState, Subject
from backlit.store.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import with_keys
from backlit.tui.drawing.text import Line, wrapped
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.settings.setting_editors import ask_for_setting, unset
from backlit.tui.settings.setting_rows import OwnSettings, SettingRow, ValueSource, setting_rows
from backlit.tui.settings.settings_list import FAULT_SIGN, SettingsList
from backlit.tui.shell.status_text import position_words, project_name, status_words
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.workers import work
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.side_lines import Part, RuleLine
from backlit.tui.widgets.text_view import DetailView

WIDE = 100
"""Cells from which the text is beside the list."""
TEXT_SHARE = 42
"""Per cent of the width for the text; the style sheet has the same figure."""
SHORT = 24
"""Lines of a terminal below which the text has fewer of them."""
TALL_TEXT = 12
"""Lines of the text from which there are blanks in it."""
HINTS_TO_READ = ("app.back", "app.help")
HINTS = ("settings.change", "settings.unset", *HINTS_TO_READ)
NOT_OFFERED = "This server keeps no settings of a project: each machine has its own, in config.toml."
NOT_READ_YET = "The settings are not read yet. Wait for the connection, or press [app.refresh]."
LISTED_SUBJECTS = (Subject.PEOPLE, Subject.ITEMS, Subject.CONNECTION)


class RefusedEdit(Struct, frozen=True):
    """A value that was not saved, and the sentence why."""

    edit: SettingEdit
    sentence: str


class SettingsScreen(StoreScreen[None]):
    """The settings of the project by sections, with words about the current one beside or below."""

    COMMAND_GROUPS = ("settings.screen", "widgets.text_view")
    AUTO_FOCUS = "SettingsList"
    PLACE = "app.settings"
    CSS_PATH = "../styles/settings.tcss"

    def __init__(self, store: Store, own: OwnSettings) -> None:
        super().__init__(store)
        self._own = own
        self._refused: dict[tuple[str, str], RefusedEdit] = {}
        """What was not saved, by key and entry; it is lost with the screen, but for the text of a line."""
        self._project_id = store.project_id
        self._is_read = False

    def compose(self) -> ComposeResult:
        self._heading, self._footer = RuleLine("┬", is_of_first=True), FooterLine(id="status")
        self._list, self._text = SettingsList(), DetailView()
        self._frame = PaneFrame(self._list, id="settings-pane")
        self._text_frame = PaneFrame(self._text, id="beside")
        yield from self.compose_panes(self._heading, (self._frame, self._text_frame), self._footer)

    def on_mount(self) -> None:
        self._show()
        self._read_soon()

    def on_resize(self) -> None:
        self._draw_words()

    def store_changed(self, changes: ChangeBatch) -> None:
        if self.store.project_id != self._project_id:
            self._project_id, self._is_read, self._refused = self.store.project_id, False, {}
        if not self._is_read or Subject.PEOPLE in changes:
            self._read_soon()
        if any(subject in changes for subject in LISTED_SUBJECTS):
            self._show()
        self._draw_words()

    # Reading

    def _read_soon(self) -> None:
        if self.store.project_settings.is_offered and self.store.connection.state is ConnectionState.ONLINE:
            self.run_worker(work(self._read), exclusive=True, group="settings")

    async def _read(self) -> None:
        try:
            await self.store.project_settings.read()
        except BacklitError:
            return  # the title says that the service cannot be asked; the values of the last sync stay in sight
        self._is_read = True
        self._show()

    # Showing

    def _show(self) -> None:
        rows = setting_rows(self.store, self._own) if self.store.project_id is not None else []
        self._list.empty_text = "" if rows else with_keys(NOT_READ_YET)
        faults = {
            row.id: self._refused[row.key, row.entry].sentence for row in rows if (row.key, row.entry) in self._refused
        }
        self._list.show_rows(rows, faults)
        self._text.show(self._draw_text)
        self._draw_words()

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._text.show_soon(lambda: self._text.show(self._draw_text))
        self._draw_words()

    def _draw_words(self) -> None:
        width = self.size.width
        self.set_class(width < WIDE, "-below")
        self.set_class(self.size.height < SHORT, "-short")
        for rule in self.query(RuleLine):
            rule.join_at(None if width < WIDE else width - width * TEXT_SHARE // 100)
        heading: list[Part] = [("Project settings", "heading"), (f" {project_name(self.store)}", "muted")]
        hindrance = self._hindrance()
        right: list[Part] = [(hindrance[0], "warn")] if hindrance else []
        self._heading.say(heading, right)
        place, row = self._list.position, self._list.row
        self._frame.say(heading, right, (), position_words(*place))
        self._text_frame.say([(row.title, "heading")] if row else ())
        labels: Mapping[str, str] = {}
        if row is not None and (row.key, row.entry) in self._refused:
            labels = {"settings.change": "correct", "settings.unset": "drop what was not saved"}
        words = status_words(self.store, *(() if self._frame.is_wanted else place))
        self._footer.show(HINTS_TO_READ if hindrance else HINTS, words, labels)

    def _hindrance(self) -> tuple[str, str] | None:
        """Return why nothing can be changed here now, in words for the head and in a sentence; None where it can."""
        settings, connection = self.store.project_settings, self.store.connection
        if connection.state is not ConnectionState.ONLINE and not settings.is_offered:
            return "not known yet", with_keys(NOT_READ_YET)
        if not settings.is_offered:
            return "kept by this machine alone", NOT_OFFERED
        if not settings.is_manager:
            role = self.store.lookups.role()
            sentence = f"Only managers change the settings of a project; you are a {role}. Ask a manager."
            return f"read only: you are a {role}", sentence
        if connection.state is not ConnectionState.ONLINE:
            sentence = "Settings are changed on the server, which cannot be reached now. These are of the last sync."
            return "offline: of the last sync", sentence
        return None

    def _draw_text(self, width: int, height: int, theme: ThemeStyles) -> list[Line]:
        row = self._list.row
        if row is None:
            return []
        first: list[tuple[str, str]] = [] if self._text_frame.is_wanted else [(row.title, "bold")]
        if refused := self._refused.get((row.key, row.entry)):
            first.append((f"{FAULT_SIGN}Not saved. {refused.sentence}", "conflict"))
        first.append((f"{row.sign} {row.words}".strip(), "foreground"))
        rest = [(row.about, "muted")]
        if not (row.source is ValueSource.MACHINE and not self.store.project_settings.is_offered):
            rest.append((row.origin, "muted"))
        if hindrance := self._hindrance():
            rest.append((hindrance[1], "warn"))
        rest.append(("\n".join(row.more), "foreground"))
        lines: list[Line] = []
        for text, colour in (*first, *rest):
            if (text, colour) in rest and height >= TALL_TEXT:
                lines.append([])
            style = theme.style(bold=True) if colour == "bold" else theme.style(colour)
            lines += [[Segment(each, style)] for line in text.splitlines() for each in wrapped(line, width)]
        return lines

    # Commands

    @property
    def rows(self) -> Sequence[SettingRow]:
        return [each for each in self._list.entries if isinstance(each, SettingRow)]

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("settings.change")

    async def _changeable(self) -> SettingRow:
        """Return the setting under the cursor once its value is read; raises CannotAct where it cannot be changed."""
        row, hindrance = self._list.row, self._hindrance()
        if hindrance is not None:
            raise CannotAct(hindrance[1])
        if row is None:
            raise CannotAct(with_keys(NOT_READ_YET))
        if not self._is_read:
            await self.store.project_settings.read()
            self._is_read = True
        return row

    async def change_setting(self, _call: CommandContext) -> None:
        """Ask for another value, and save it. What is refused stays below the setting, to be corrected."""
        row = await self._changeable()
        base, refused = (
            self.store.project_settings.value_of(row.key, row.entry),
            self._refused.get((row.key, row.entry)),
        )
        edit = await ask_for_setting(self, row, base if refused is None else refused.edit.value)
        if edit is not None:
            await self._save(row, edit, base)

    async def unset_setting(self, _call: CommandContext) -> None:
        """Drop a value that was refused; else let the project say nothing of the setting."""
        row = await self._changeable()
        if self._refused.pop((row.key, row.entry), None) is not None:
            self._show()
            return
        edit = unset(row)
        base = self.store.project_settings.value_of(row.key, row.entry)
        if base == edit.value or (edit.value is None and row.source in {ValueSource.DEFAULT, ValueSource.NAME}):
            raise CannotAct(f"{row.title} has its default already.")
        await self._save(row, edit, base)

    async def _save(self, row: SettingRow, edit: SettingEdit, base: object) -> None:
        settings = self.store.project_settings
        try:
            settings.check(edit, row.title)
            await settings.change(edit, base)
        except BacklitError as error:
            self._refused[row.key, row.entry] = RefusedEdit(edit, _sentence_of(error, edit.key))
            self._show()
            raise
        self._refused.pop((row.key, row.entry), None)
        self._show()
        self.say(f"{row.title} saved for everybody in the project.")


def _sentence_of(error: BacklitError, key: str) -> str:
    """Return the service's sentence about the setting; what to do where nothing was said about it."""
    if isinstance(error, Offline):
        return f"{error.message} enter tries again."
    return (error.errors or {}).get(key, error.message)
