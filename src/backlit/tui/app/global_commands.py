"""Commands on the application itself: help, palette, theme, refresh, redraw, suspend, timer."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from textual import on
from textual.content import Content
from textual.theme import Theme
from textual.widgets import Input
from textual.worker import WorkType

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, BadRequest
from backlit.model.query import Candidate
from backlit.store.records.changes import ConnectionState
from backlit.tui.app.screen_navigator import ScreenNavigator
from backlit.tui.commands.command import CannotAct, Command, CommandContext, candidates_beginning
from backlit.tui.commands.table import commands_here, key_of, key_to
from backlit.tui.dialogs.keys_help import KeysHelp
from backlit.tui.dialogs.palette import Palette, command_offers, item_search
from backlit.tui.dialogs.pick import Choice, PickDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.text import safe
from backlit.tui.items.log_work import ask_and_log
from backlit.tui.shell.chord_app import KeptMessage
from backlit.tui.shell.dispatch import Dispatch, contexts_of, target_of
from backlit.tui.shell.status_text import TitleLine
from backlit.tui.shell.store_screen import StoreScreen
from backlit.tui.shell.target import ItemDestination, StoreCommandTarget
from backlit.tui.shell.workers import work
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.line_list import LineList

MAX_RECENT_COMMANDS = 8
"""Commands that the palette offers first."""


class ApplicationCommandTarget(StoreCommandTarget, Protocol):
    """The application, as its own commands see it."""

    navigator: ScreenNavigator
    dispatch: Dispatch
    offered_themes: Sequence[Theme]
    messages: Sequence[KeptMessage]
    theme: str

    def run_worker(self, work: WorkType[Any], *, group: str = "", exclusive: bool = False) -> object: ...

    def redraw_all(self) -> None: ...

    def action_suspend_process(self) -> None: ...


async def help_with_keys(target: ApplicationCommandTarget, _call: CommandContext) -> None:
    node = target.dispatch.focused_node
    needed = [command_id for footer in node.screen.query(FooterLine) for command_id in footer.command_ids]
    titles = ["Keys", *(each.name_of(each.place) for each in node.screen.query(TitleLine))]
    about: Sequence[str] = ()
    if isinstance(node.screen, StoreScreen):
        about, needed = node.screen.definition(), [*node.screen.NEEDED_MOST, *needed]
    contexts = contexts_of(node)
    # A board offers most commands of lists, which share a context with those on columns and on the tree.
    elsewhere = [each.id for each in commands_here(contexts) if target_of(node, each) is None]
    hidden = {*target.dispatch.hidden(), *elsewhere}
    dialog = KeysHelp(contexts, needed, " · ".join(titles), hidden, about)
    command = await target.ask(dialog)
    if command is not None:
        target.dispatch.run(command)


async def find(target: ApplicationCommandTarget, _call: CommandContext) -> None:
    """Find a command to run, or an item to open. Raises CannotAct for a command of another place."""
    contexts, session = contexts_of(target.dispatch.focused_node), target.session
    offers = command_offers(contexts, session.recent_commands, target.dispatch.hidden())
    here = {each.value.id for each in offers if isinstance(each.value, Command) and not each.is_dim}
    recent = sum(each in here for each in session.recent_commands)
    chosen = await target.ask(Palette(offers, item_search(target), recent))
    if isinstance(chosen, Command):
        if chosen.context not in contexts:
            raise CannotAct(_elsewhere(chosen))
        others = (each for each in session.recent_commands if each != chosen.id)
        session.recent_commands = (chosen.id, *others)[:MAX_RECENT_COMMANDS]
        target.dispatch.run(chosen)
    elif chosen is not None:
        target.open(chosen, ItemDestination.EDITOR)


def _elsewhere(command: Command) -> str:
    where = command.context.value.lower()
    key = key_to(command.context)
    return f"“{command.label}” works in the {where} only.{f' {key} goes there.' if key else ''}"


async def choose_theme(target: ApplicationCommandTarget, call: CommandContext) -> None:
    """Use the theme of the typed name, else ask for one. Raises BadRequest for an unknown name."""
    names = [each.name for each in target.offered_themes]
    if call.text and call.text not in names:
        raise BadRequest(f"Unknown theme “{call.text}”. Themes: {', '.join(names)}.")
    if call.text:
        target.theme = call.text
        return
    before = target.theme

    def wear(name: str) -> None:
        target.theme = name

    choice = await target.ask(ThemeDialog(target.offered_themes, before, wear))
    target.theme = str(choice.value) if choice else before
    if target.theme != before:
        target.say(f'To keep it, set theme = "{target.theme}" in config.toml.')


def complete_theme(target: ApplicationCommandTarget, text: str, cursor: int) -> Sequence[Candidate]:
    return candidates_beginning([each.name for each in target.offered_themes], text, cursor)


def say_saved(target: StoreCommandTarget, _call: CommandContext) -> None:
    waiting = target.store.outbox.pending
    changes = counted(waiting, "change is", "changes are")
    target.say(f"Saved locally. {changes} waiting to be sent." if waiting else "All changes are saved.")


async def show_messages(target: ApplicationCommandTarget, _call: CommandContext) -> None:
    if not target.messages:
        raise CannotAct("There has been no message yet.")
    lines = [
        (
            Content.styled(time.strftime("%H:%M:%S", time.localtime(each.at)), "$muted"),
            Content.styled(safe(each.sentence), "$warn" if each.is_bad else "$foreground"),
        )
        for each in reversed(target.messages)
    ]
    await target.ask(ReadingDialog("Messages", lines))


def refresh(target: ApplicationCommandTarget, _call: CommandContext) -> None:
    if target.store.connection.state is ConnectionState.SIGNED_OUT:
        target.navigator.sign_in()
    else:
        target.run_worker(work(_refresh, target, is_anew=False), group="refresh", exclusive=True)


def resync(target: ApplicationCommandTarget, _call: CommandContext) -> None:
    target.run_worker(work(_refresh, target, is_anew=True), group="refresh", exclusive=True)


async def _refresh(target: StoreCommandTarget, *, is_anew: bool) -> None:
    try:
        await target.store.refresh(is_full=is_anew)
    except BacklitError as error:
        target.say(str(error), is_bad=True)
    else:
        target.say("Full resync finished." if is_anew else "Up to date.")


def redraw(target: ApplicationCommandTarget, _call: CommandContext) -> None:
    target.redraw_all()


def suspend(target: ApplicationCommandTarget, _call: CommandContext) -> None:
    target.action_suspend_process()


class ThemeDialog(PickDialog):
    """The choice of a theme; `wear` applies the theme under the cursor."""

    DIMS = False

    def __init__(self, themes: Iterable[Theme], current: str, wear: Callable[[str], None]) -> None:
        super().__init__("Theme", [Choice(theme.name, theme.name, _kind(theme)) for theme in themes], current)
        self._wear = wear

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._try_on()

    @on(Input.Changed)
    def _narrowed(self) -> None:
        """Apply the theme after the picker's own handler, which runs later, has replaced the rows."""
        self.call_later(self._try_on)

    def _try_on(self) -> None:
        if self.current is not None:
            self._wear(str(self.current.value))


def _kind(theme: Theme) -> str:
    if theme.ansi:
        return "terminal colours"
    return "dark" if theme.dark else "light"


async def stop(target: StoreCommandTarget, _call: CommandContext) -> None:
    """Ask for the work of the timer's time, and log it; on esc the timer keeps running."""
    running = target.store.timer.running
    if running is None:
        raise CannotAct(f"No timer is running. {key_of('item.log')}, then ctrl+t starts one.")
    task = target.store.item(running.item_id)
    if task is None:
        await target.store.timer.stop()
        raise CannotAct(f"Timer stopped: #{running.item_id} no longer exists.")
    await ask_and_log(target, task)
