"""Commands on the application itself: help, palette, theme, refresh, redraw, suspend, timer."""

import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Protocol

from msgspec.structs import replace
from textual import on
from textual.content import Content
from textual.theme import Theme
from textual.widgets import Input
from textual.worker import WorkType

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, BadRequest
from backlit.model.query import Candidate
from backlit.model.statuses import CONFIGURABLE, status_word
from backlit.store.records.changes import ConnectionState
from backlit.store.records.item import RowSign
from backlit.tui.app.screen_navigator import ScreenNavigator
from backlit.tui.commands.command import CannotAct, Command, CommandContext, Context, candidates_beginning
from backlit.tui.commands.table import commands_here, key_of, key_to
from backlit.tui.dialogs.finder import KEY_GAP, KEYS_WIDTH, NARROW_KEY_GAP, OR, Offer, OffersDialog, offer_of
from backlit.tui.dialogs.palette import Palette, command_offers, item_search
from backlit.tui.dialogs.pick import Choice, PickDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.text import safe, wrapped
from backlit.tui.drawing.themes import STATUS_COLOURS, STATUS_SIGNS, TYPE_SIGNS, type_colour
from backlit.tui.items.log_work import ask_and_log
from backlit.tui.shell.chord_app import KeptMessage
from backlit.tui.shell.dispatch import Dispatch, contexts_of
from backlit.tui.shell.status_text import TitleLine
from backlit.tui.shell.store_screen import StoreScreen
from backlit.tui.shell.target import ItemDestination, StoreCommandTarget
from backlit.tui.shell.workers import work
from backlit.tui.widgets.item_rows import (
    DRAFT_SIGN,
    FOLDED_SIGN,
    ROW_SIGNS,
    SELECTED_SIGN,
    UNESTIMATED_SIGN,
    UNREADY_SIGN,
)
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.side_lines import FooterLine

MAX_RECENT_COMMANDS = 8
"""Commands that the palette offers first."""


FIRST_HELP_COMMANDS = ("item.add", "app.palette", "app.undo", "app.go-to", "app.inbox", "app.refresh", "app.back")
"""Commands that the help names first, after those that the footer hints at."""
PAIRED_COMMANDS: Mapping[str, tuple[str, str]] = {
    "board.left": ("board.right", "Column to the left or right"),
    "board.move-left": ("board.move-right", "Move the card to the left or right"),
    "list.down": ("list.up", "Row down or up"),
    "list.first": ("list.last", "First or last row; with a count, that row"),
    "list.half-down": ("list.half-up", "Half a page down or up"),
    "list.page-down": ("list.page-up", "Page down or up"),
    "list.to-top": ("list.to-bottom", "Scroll the row to the top or bottom"),
    "detail.down": ("detail.up", "Scroll the detail down or up"),
    "list.next-group": ("list.previous-group", "Next or previous group"),
    "list.fold": ("list.unfold", "Fold or unfold tasks or the group"),
    "list.fold-all": ("list.unfold-all", "Fold or unfold everything"),
    "list.next-hit": ("list.previous-hit", "Next or previous match"),
    "view.next": ("view.previous", "Next or previous view"),
    "list.columns-right": ("list.columns-left", "Scroll to columns at either side"),
    "preview.page": ("preview.page-back", "Next or previous page of the preview"),
    "preview.down": ("preview.up", "Scroll the preview down or up"),
    "item.estimate-up": ("item.estimate-down", "Raise or lower the estimate by one step"),
    "item.rank-down": ("item.rank-up", "Rank down or up; 3J by three"),
    "item.rank-top": ("item.rank-bottom", "Rank first or last in the list"),
    "item.next-tab": ("item.previous-tab", "Next or previous tab of the item"),
    "plan.next-target": ("plan.previous-target", "Next or previous iteration"),
    "plan.next-pane": ("plan.previous-pane", "Next or previous pane"),
    "editor.next": ("editor.previous", "Next or previous field"),
    "reports.next": ("reports.previous", "Next or previous report"),
    "reports.later": ("reports.earlier", "Next or previous iteration or release"),
    "groom.down": ("groom.up", "Next or previous question"),
    "groom.item-down": ("groom.item-up", "Scroll the item down or up"),
    "tree.later": ("tree.earlier", "Move down or up among the siblings"),
}
"""Commands that share a row of the help with another one, and the help of both."""
BLANK_OFFER = Offer(None, "", "")
TEXT_WIDTH = 45
"""Cells of a line of a text: what one of three columns shows in the narrowest dialog that has three."""
MIN_WIDTH_OF_WIDE_HELP = 150
"""Columns of a terminal from which the help is wide enough for three columns."""
STATE_WORDS = {
    RowSign.PENDING: "not sent yet",
    RowSign.REFUSED: "rejected",
    RowSign.CONFLICT: "in conflict",
    RowSign.ALTERED: "edited in plan",
    RowSign.PLANNED: "planned here",
}


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
    about = node.screen.definition() if isinstance(node.screen, StoreScreen) else ()
    dialog = KeysHelp(contexts_of(node), needed, " · ".join(titles), target.dispatch.hidden(), about)
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
        if is_anew:
            target.say("Full resync finished.")


def redraw(target: ApplicationCommandTarget, _call: CommandContext) -> None:
    target.redraw_all()


def suspend(target: ApplicationCommandTarget, _call: CommandContext) -> None:
    target.action_suspend_process()


class KeysHelp(OffersDialog[Command | None]):
    """The commands of some contexts: the needed ones, the signs, then all others by context, movement last.

    `about` is a heading and sentences about what the screen shows, which stand first.

    The answer is the command to run.
    """

    IS_BRIEF = True

    def on_mount(self) -> None:
        self._set_width()  # before the first layout: rows are laid out once
        super().on_mount()

    def on_resize(self) -> None:
        self._set_width()
        super().on_resize()

    def _set_width(self) -> None:
        self.set_class(self.app.size.width >= MIN_WIDTH_OF_WIDE_HELP, "-wide")

    def __init__(
        self,
        contexts: Sequence[Context],
        needed: Sequence[str] = (),
        title: str = "Keys",
        hidden: Container[str] = frozenset(),
        about: Sequence[str] = (),
    ) -> None:
        here = [each for each in commands_here(tuple(contexts)) if each.id not in hidden]
        by_id = {each.id: each for each in here}
        first = [by_id[each] for each in dict.fromkeys([*needed, *FIRST_HELP_COMMANDS]) if each in by_id][:10]
        signs = (Offer(None, "", "", signs=signs) for signs in _legend())
        lines = [line for sentence in about[1:] for line in wrapped(sentence, TEXT_WIDTH)]
        texts = [Offer(None, "", line, is_text=True) for line in lines]
        definition = [Offer(None, "", about[0]), *texts, BLANK_OFFER] if about else []
        offers = [
            *definition,
            Offer(None, "", "Needed most", is_framed=True),
            *(replace(offer_of(each), is_framed=True) for each in first),
            replace(BLANK_OFFER, is_framed=True),
            BLANK_OFFER,
            Offer(None, "", "Signs"),
            *signs,
        ]
        for context in sorted(contexts, key=lambda each: each is Context.MOVES):
            commands = [command for command in here if command.context is context and command not in first]
            offers += [BLANK_OFFER, Offer(None, "", context.value), *map(offer_of, commands)] if commands else []
        super().__init__(title, "type to search · enter to run", offers)

    def grouped(self, offers: Sequence[Offer]) -> Sequence[Offer]:
        """Return the offers with the commands of a pair, or with one help, in one row, which runs the first of them."""
        commands = {each.value.id: each for each in offers if isinstance(each.value, Command)}
        rows: list[Offer] = []
        for offer in offers:
            command = offer.value
            if isinstance(command, Command) and (second := commands.get(PAIRED_COMMANDS.get(command.id, ("", ""))[0])):
                rows.append(replace(offer, keys=_both_keys(offer, second), help=PAIRED_COMMANDS[command.id][1]))
                del commands[PAIRED_COMMANDS[command.id][0]]
            elif offer.help and rows and rows[-1].help == offer.help:
                rows[-1] = replace(rows[-1], keys=KEY_GAP.join((rows[-1].keys, offer.keys)))
            elif not isinstance(command, Command) or command.id in commands:
                rows.append(offer)
        return rows


def _both_keys(first: Offer, second: Offer) -> str:
    """Return the keys of two commands; only the first of each where a row has no room for all."""
    keys = first.keys.split(KEY_GAP), f"{OR}{second.keys}".split(KEY_GAP)
    every = list(chain(*keys))
    fits = len(NARROW_KEY_GAP.join(every)) <= KEYS_WIDTH
    return KEY_GAP.join(every if fits else [each[0] for each in keys])


def _legend() -> list[Sequence[tuple[str, str, str]]]:
    types = [(sign, type_colour(name), str(name)) for name, sign in TYPE_SIGNS.items()]
    statuses = [
        (STATUS_SIGNS[group], STATUS_COLOURS[group], status_word(group.title()).lower()) for group in CONFIGURABLE
    ]
    states = [(*ROW_SIGNS[sign], words) for sign, words in STATE_WORDS.items()]
    marks = [
        (SELECTED_SIGN, "mark", "selected"),
        (UNREADY_SIGN, "warn", "not ready"),
        (UNESTIMATED_SIGN, "muted", "not estimated"),
        (DRAFT_SIGN, "pending", "draft"),
    ]
    rows = [*types], [*statuses], [*marks, (FOLDED_SIGN, "muted", "folded"), *states]
    return [*rows]


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
