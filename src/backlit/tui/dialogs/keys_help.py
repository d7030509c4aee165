"""The help on keys: the commands of some contexts, and the signs."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from itertools import groupby, zip_longest

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from backlit.model.statuses import CONFIGURABLE, status_word
from backlit.store.records.item import RowSign
from backlit.tui.commands.command import Command, Context
from backlit.tui.commands.table import commands_here
from backlit.tui.dialogs.finder import KEY_GAP, Offer, OffersDialog, offer_of
from backlit.tui.dialogs.help_list import SIGNS_IN_ROW, HelpContents, HelpList, HelpOffer, Sign, shown_keys
from backlit.tui.drawing.text import wrapped
from backlit.tui.drawing.themes import FRAME_WIDTH, STATUS_COLOURS, STATUS_SIGNS, TYPE_SIGNS, type_colour
from backlit.tui.widgets.item_rows import (
    DRAFT_SIGN,
    FOLDED_SIGN,
    ROW_SIGNS,
    SELECTED_SIGN,
    UNESTIMATED_SIGN,
    UNREADY_SIGN,
)

FIRST_HELP_COMMANDS = ("item.add", "app.palette", "app.undo", "app.go-to", "app.inbox", "app.refresh", "app.back")
"""Commands that the help names first, after those that the footer hints at."""
MAX_NEEDED_COMMANDS = 10
NEEDED, SIGNS = "Needed most", "Signs"
"""The first and the last heading."""
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
STATE_WORDS = {
    RowSign.PENDING: "not sent yet",
    RowSign.REFUSED: "rejected",
    RowSign.CONFLICT: "in conflict",
    RowSign.ALTERED: "edited in plan",
    RowSign.PLANNED: "planned here",
}
FRAME_LINES = 7
"""The frame, the input, a blank, and the help of the current command with its rule."""
SENTENCE_WIDTH = 54
"""Cells of a line of sentences: there is room for them in any terminal."""


class KeysHelp(OffersDialog[Command | None]):
    """The commands of some contexts: the needed ones, then all others by what they are for, and the signs last.

    `about` is a heading and sentences about what the screen shows, which stand first.

    The answer is the command to run.
    """

    KEYS = (("tab", "next group"), ("esc", "close"))
    list: HelpList

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
        first = [by_id[each] for each in dict.fromkeys([*needed, *FIRST_HELP_COMMANDS]) if each in by_id]
        del first[MAX_NEEDED_COMMANDS:]
        partners = {PAIRED_COMMANDS[each.id][0] for each in first if each.id in PAIRED_COMMANDS}
        first += [each for each in here if each.id in partners and each not in first]
        groups = {NEEDED: first}
        for command in here:
            if command not in first:
                groups.setdefault(command.heading, []).append(command)
        names: list[str] = []
        for _, some in groupby(groups, lambda name: name if name == NEEDED else _subject(groups[name][0])):
            names += [*some, ""]
        rows = {name: at for at, name in enumerate([*names, SIGNS])}
        self._numbers = {each.id: rows[name] for name, commands in groups.items() for each in commands}
        """The row of the contents of each command."""
        self._below = Static(classes="help-below", markup=False)
        offers = [
            offer
            for name, commands in groups.items()
            for offer in (Offer(None, "", name), *map(offer_of, sorted(commands, key=lambda each: not each.keys)))
        ]
        self._about = about
        super().__init__(title, "type to search · enter to run", offers)
        counts = Counter(map(self._group_of, self._grouped))
        self._contents = HelpContents([(name, counts[at]) for at, name in enumerate([*names, SIGNS])])

    def content(self) -> ComposeResult:
        yield self.input
        yield Horizontal(self._contents, self.list, classes="help")
        yield self._below

    def new_list(self) -> HelpList:
        return HelpList()

    def press(self, key: str) -> bool:
        if key not in {"tab", "shift+tab"}:
            return super().press(key)
        self.list.step_group(1 if key == "tab" else -1)
        return True

    def _group_of(self, offer: Offer | None) -> int:
        return self._numbers[offer.value.id] if offer and isinstance(offer.value, Command) else -1

    @on(HelpContents.Picked)
    def _group_picked(self, message: HelpContents.Picked) -> None:
        message.stop()
        self.input.value = ""
        self.narrow("")
        starts = [at for at, offer in enumerate(self._grouped) if self._group_of(offer) == message.index]
        if starts:
            self.list.go_to_group(starts[0])
        else:
            self.list.step(self.list.row_count())  # to the signs

    def _set_height(self) -> None:
        self._contents.display = self.app.size.width >= FRAME_WIDTH
        if not self.input.value:  # the same height for a few matches
            room = self.app.size.height - FRAME_LINES - self.has_class("-tall")  # a blank then below its title
            self.list.styles.height = max(1, min(self.list.row_count() or 99, room))

    def grouped(self, offers: Sequence[Offer]) -> Sequence[Offer]:
        """Return the rows: those of a group below its name, after a blank line, and the signs below all of them."""
        rows: list[Offer] = []
        if self._about:
            heading, *sentences = self._about
            lines = [line for each in sentences for line in wrapped(each, SENTENCE_WIDTH)]
            rows += [Offer(None, "", heading), *(HelpOffer(None, "", "", sentence=line) for line in lines)]
        for offer in [*_paired(offers), Offer(None, "", SIGNS)]:
            rows += [HelpOffer(None, "", ""), offer] if offer.is_heading and rows else [offer]
        signs = _legend()
        return [
            *rows,
            *(
                HelpOffer(None, "", "", signs=signs[at : at + SIGNS_IN_ROW])
                for at in range(0, len(signs), SIGNS_IN_ROW)
            ),
        ]

    def say_help(self, offer: Offer | None) -> None:
        """Show below the keys what the row of the current offer does not say, and light its group."""
        current = self.list.current
        self._contents.move_to(self._group_of(current))
        if current is None:
            self._below.update("")
            return
        _, more = shown_keys(current)
        also = [*more, *current.also.split()]
        parts = (offer.help if offer else "", f"Other names: {', '.join(also)}" if also else "")
        self._below.update("   ".join(filter(None, parts)))


def _paired(offers: Sequence[Offer]) -> Sequence[Offer]:
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


def _subject(command: Command) -> Context | None:
    """Return what a group of the contents is about: items, the application, or the place."""
    return command.context if command.context in {Context.ITEM, Context.GLOBAL} else None


def _both_keys(first: Offer, second: Offer) -> str:
    """Return the keys of two commands pair by pair; only the first pair where a row has no room for all."""
    pairs = [*zip_longest(first.keys.split(KEY_GAP), second.keys.split(KEY_GAP), fillvalue="")]
    every = replace(first, keys=KEY_GAP.join(key for pair in pairs for key in pair if key))
    _, left_out = shown_keys(every)
    return every.keys if not left_out else KEY_GAP.join(pairs[0])


def _legend() -> Sequence[Sign]:
    types = [(sign, type_colour(name), str(name)) for name, sign in TYPE_SIGNS.items()]
    statuses = [
        (STATUS_SIGNS[group], STATUS_COLOURS[group], status_word(group.title()).lower()) for group in CONFIGURABLE
    ]
    marks = [
        (SELECTED_SIGN, "mark", "selected"),
        (UNREADY_SIGN, "warn", "not ready"),
        (UNESTIMATED_SIGN, "muted", "not estimated"),
        (DRAFT_SIGN, "pending", "draft"),
        (FOLDED_SIGN, "muted", "folded"),
    ]
    states = [(*ROW_SIGNS[sign], words) for sign, words in STATE_WORDS.items()]
    return [*types, *statuses, *marks, *states]
