"""The application: one store, the modes over it, and the distribution of the store's changes."""

import asyncio
import gc
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from textual.scrollbar import ScrollBar

from backlit.config.notify import NO_NOTICES, NotifySettings
from backlit.config.settings import DEFAULT_THEME, ESTIMATE_SCALE, Motion
from backlit.model.settings.key_sequences import KeyChange, KeyPreset
from backlit.model.settings.own_commands import OwnCommand
from backlit.model.settings.user_settings import USUAL_BOARD, BoardSettings, OwnCapacities
from backlit.store.store import Store
from backlit.store.views.preferences import START_PROBLEMS
from backlit.store.views.view_files import ViewFiles
from backlit.tui.app.screen_navigator import BACKLOG, LOCKED, ScreenNavigator
from backlit.tui.commands.keymap import use_keys
from backlit.tui.commands.table import OWN_GROUP, WRITER_COMMANDS
from backlit.tui.drawing import textual_private
from backlit.tui.drawing.frame import KeptFrame
from backlit.tui.drawing.themes import offered_themes, use_themes
from backlit.tui.lists.filtering import NodeFilterRequested
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.store_screen import ChangeBatch, ChangeFeed, StoreScreen
from backlit.tui.shell.target import ItemDestination, OpenItem, OpenProfile, UiSession
from backlit.tui.shell.workers import work
from backlit.tui.widgets.storage_errors import is_survivable, show_error, storage_error_of
from backlit.tui.widgets.text_view import PlainScrollBar

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.theme import Theme

    from backlit.model.settings.user_settings import Template
    from backlit.tui.app.locked import LockedScreen
    from backlit.tui.app.sign_in import ProfileSignInFactory
    from backlit.tui.app.start_target import StartTarget, TargetOpener
    from backlit.tui.app.terminal_notices import TerminalNotices

STYLES = Path(__file__).parent.parent / "styles"
FRAME_SECONDS = 1 / 30
PASSING_WIDGETS = "#title, ItemPreview"
"""Selects what depends on the time or the connection."""
MAX_FRAME_HOLD = 2.0
"""Seconds after which frames are sent even if the first rows are not painted."""
NO_OWN_KEYS: Mapping[str, KeyChange] = MappingProxyType({})
KEEP_LOCATION_EVERY = 2.0
"""Seconds between two looks whether there is another place to keep, for an application that is killed."""
START_SECONDS = 2.0
"""Seconds after the first rows in which the imports behind them are over."""
GARBAGE_COLLECTION_TIMES = (15.0, 120.0)
"""Seconds after the first rows: once the first screens, and the rest are loaded."""


class BacklitApp(ChordApp, inherit_bindings=False):
    """The application on one profile; another profile is opened by its caller, once this one has ended."""

    COMMAND_GROUPS = (
        "app.global_commands",
        "app.navigation",
        "app.command_line",
        "app.history",
        "app.projects",
        OWN_GROUP,
        "shell.macros",
    )
    # Without a mode Textual first lays out and paints a blank screen: a twentieth of a start until the rows.
    DEFAULT_MODE = BACKLOG
    TITLE = "backlit"
    CSS_PATH = [STYLES / "app.tcss"]
    # Commands have a palette of their own, which looks items up in the local copy: Textual's matched 2,000 rows in
    # Python, 0.3 s a key.
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        store: Store,
        theme: str = DEFAULT_THEME,
        theme_folder: Path | None = None,
        estimate_scale: Sequence[float] = ESTIMATE_SCALE,
        *,
        images: str = "auto",
        motion: Motion = Motion.AUTO,
        is_low_bandwidth: bool = False,
        editor: str = "",
        opener: str = "",
        notify: NotifySettings = NO_NOTICES,
        board: BoardSettings | None = None,
        capacities: OwnCapacities | None = None,
        view_files: ViewFiles | None = None,
        templates: Sequence["Template"] = (),
        profiles: Sequence[str] = (),
        join: "ProfileSignInFactory | None" = None,
        preset: KeyPreset = KeyPreset.VIM,
        keys: Mapping[str, KeyChange] = NO_OWN_KEYS,
        commands: Sequence[OwnCommand] = (),
        problems: Sequence[str] = (),
        greets: bool = False,
        opens: "StartTarget | None" = None,
    ) -> None:
        if store.connection.is_locked:
            self.DEFAULT_MODE = LOCKED  # type: ignore[misc] # the first screen has no rows, not even for a frame
        super().__init__()
        key_problems = use_keys(preset, keys, commands)  # first: widgets are made with the names of keys
        self.store = store
        self.session = UiSession(estimate_scale, templates, capacities, images, motion)
        self.session.is_low_bandwidth = is_low_bandwidth
        self.session.editor, self.session.opener = editor, opener
        self.own_commands = {each.id: each for each in commands}
        self.dispatch.hidden = lambda: WRITER_COMMANDS if store.lookups.is_read_only else frozenset()
        self.navigator = ScreenNavigator(self, store, board or USUAL_BOARD, join, greets=greets)
        self.history_lock = asyncio.Lock()
        self.interrupted_at = float("-inf")
        self.profiles = profiles
        self.join = join
        self.wanted_profile: str | None = None
        """The profile to open after this application."""
        self.last_frame: KeptFrame | None = None
        """What the screen showed at the end, if the next start shows it too."""
        self._view_files = view_files
        self._opens = opens
        self._opener: TargetOpener | None = None
        self._changes = ChangeFeed(self, FRAME_SECONDS, self._publish, lambda: store.connection.is_live)
        self._notify = notify
        self._notices: TerminalNotices | None = None
        self._unsubscribe: Callable[[], None] | None = None
        theme_problems = use_themes(self, theme, theme_folder)
        self._theme_folder = theme_folder
        self._problems = [*problems, *key_problems, *theme_problems]
        """Faults of the configuration, shown at the start."""

    # Life

    def on_load(self) -> None:
        ScrollBar.renderer = PlainScrollBar
        self._unsubscribe = self.store.subscribe(self._changes.take)

    def on_mount(self) -> None:
        self._say_problems(self._problems)
        self.set_timer(MAX_FRAME_HOLD, self.show_frames)
        self.set_interval(KEEP_LOCATION_EVERY, self.navigator.keep)

    def on_backlog_screen_painted(self) -> None:
        """Read the views and start the store's engine, which imports much, after the first rows are painted."""
        if self._view_files is not None and self.navigator.backlog is not None:
            found = self.navigator.shared.views.read(self._view_files)
            problems = [each for each in found if each not in self._problems]  # a repository's file has both
            self._say_problems(problems)
            self._problems += problems
        if self.navigator.backlog is not None:
            self.navigator.shared.follow_views()
            self.navigator.backlog.update_labels()
        # a slower drawing is no reason for a message at each start: only `backlit doctor` tells it
        to_keep = [*self._problems]
        if fault := textual_private.fault():
            to_keep.append(f"Textual draws the screens itself, which is slower: {fault}. Update backlit.")
        if (self.store.kept.find(START_PROBLEMS) or []) != to_keep:
            self.store.kept.keep(START_PROBLEMS, to_keep)
        self.dispatch.begin(self._show_last)
        self._start_store()

    def on_locked_screen_shown(self) -> None:
        self.show_frames()
        self._start_store()

    def _start_store(self) -> None:
        if self._notify.is_on:
            from backlit.tui.app.terminal_notices import TerminalNotices

            self._notices = TerminalNotices(self, self.store, self._notify)
        self.set_timer(FRAME_SECONDS, self.store.start)
        if not self.is_headless:  # tests make many applications in one process
            self.set_timer(START_SECONDS, begin_garbage_collection)
            for seconds in GARBAGE_COLLECTION_TIMES:
                self.set_timer(seconds, spare_garbage_collection)

    def _say_problems(self, problems: Sequence[str]) -> None:
        """Say what is wrong with the configuration; of several faults the first, as a toast has room for one."""
        if len(problems) == 1:
            self.say(problems[0], is_bad=True)
        elif problems:
            for each in problems:
                self._messages.keep(each, is_bad=True)
            words = f"{len(problems)} faults at the start; :messages shows all. The first: {problems[0]}"
            self.say(words, is_bad=True)

    @property
    def has_unsaved_text(self) -> bool:
        return isinstance(self.screen, StoreScreen) and self.screen.has_unsaved_text

    async def _show_last(self) -> None:
        try:
            if self._opens is None:
                await self.navigator.show_last()
            else:
                from backlit.tui.app.start_target import TargetOpener

                self._opener = TargetOpener(self, self.store, self.navigator, self._opens)
                await self._opener.show()
        finally:
            self.call_after_refresh(self.show_frames)

    def exit(self, result: None = None, return_code: int = 0, message: "RenderableType | None" = None) -> None:
        """End, and keep the place, and the screen if it is the one that the next start shows."""
        backlog = self.navigator.backlog
        if self.is_running:
            self.navigator.keep()
        if backlog is not None and self.screen is backlog and backlog.is_as_at_start and not backlog.query("Toast"):
            self.last_frame = self.kept_frame(PASSING_WIDGETS)
        super().exit(result, return_code, message)

    def on_unmount(self) -> None:
        if self._unsubscribe:
            self._unsubscribe()

    # The store's changes

    def _publish(self, changes: ChangeBatch) -> None:
        self.navigator.publish(changes)
        if self._opener is not None:
            self._opener.take(changes)
        if self._notices is not None:
            self._notices.take(changes)

    def catch_up(self) -> None:
        """Publish the changes that wait for the next frame; keys wait until the screen shows them."""
        self._changes.publish()
        if self.screen_stack and isinstance(self.screen, StoreScreen):  # there is none when the application ends
            self.screen.readings.want_newest()

    def survives(self, error: Exception) -> bool:
        """Show a StorageError; exit with its message where it ended a message pump."""
        failed = storage_error_of(error)
        if failed is None:
            return False
        if is_survivable(error):
            show_error(self, failed)
        else:
            self.exit(return_code=1, message=failed.message)
        return True

    # The target of commands

    @cached_property
    def offered_themes(self) -> "Sequence[Theme]":
        return offered_themes(self, self._theme_folder)

    def open(self, item_id: int, place: ItemDestination, comment_id: int | None = None, field: str = "") -> None:
        self.post_message(OpenItem(item_id, place, comment_id, field))

    def edit_outside(self, text: str, suffix: str) -> str:
        """Return the text as the user's own editor left it; raises CannotAct where that fails."""
        from backlit.tui.shell.external_programs import edit_text

        return edit_text(self, text, suffix)

    def stop_running(self) -> bool:
        """Cancel the macro or the transfer under way; return False where there is none."""
        is_running = isinstance(self.screen, StoreScreen) and self.screen.stop_running()
        return self.recorder.stop() or is_running

    # Messages from the screens

    def on_open_item(self, message: OpenItem) -> None:
        self.dispatch.begin(self.navigator.open, message)

    def on_locked_screen_chosen(self, message: "LockedScreen.Chosen") -> None:
        self.dispatch.begin(self.navigator.leave_lock, message.way)

    def on_open_profile(self, message: OpenProfile) -> None:
        from backlit.tui.app.projects import open_profile

        self.dispatch.begin(open_profile, self, message.name)

    def on_node_filter_requested(self, message: NodeFilterRequested) -> None:
        self.dispatch.begin(self.navigator.filter_backlog, message.node)

    def on_store_screen_seen(self, message: StoreScreen.Seen) -> None:
        """Note the item among the recent ones, and mark its news as read."""
        self.navigator.recent.add(message.item_id)
        self.run_worker(work(self.navigator.mark_seen, message.item_id), group="seen")


def begin_garbage_collection() -> None:
    """End the start, during which there are no collections: they took a fifth of the imports' time.

    The objects of the start are excluded from collections, also from a first one: that took 85 ms of CPU two seconds
    after the start, a tenth of all until then, in which no key is answered, and freed 3,000 of 175,000 objects.
    """
    gc.freeze()
    gc.enable()


def spare_garbage_collection() -> None:
    """Exclude the existing objects from later garbage collections.

    Modules, styles and screens are permanent. A full collection over them, beside the embedded service, took 100 to
    200 ms every few dozen keys and delayed them; without them it takes a fifth of that or less.
    """
    gc.collect(1)
    gc.freeze()
