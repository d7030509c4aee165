"""The pane beside the list: the item under the cursor, read only, with its description and comments."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from backlit.model.amounts import counted, estimate_text, hours_text
from backlit.model.dates import written_day
from backlit.model.fields import ItemType, choice_word
from backlit.model.statuses import StatusGroups, status_word
from backlit.model.trees import words_below_root
from backlit.store.records.item import Item, RowSign, number_of
from backlit.store.records.people import IterationEntry, Person, TreeKind
from backlit.store.store import Store
from backlit.tui.commands.table import key_of, with_keys
from backlit.tui.drawing.text import Line, fit_right, safe, wrapped
from backlit.tui.drawing.themes import (
    ThemeStyles,
    owner_colour,
    status_colour,
    status_sign,
    type_colour,
    type_sign,
)
from backlit.tui.fields.dates import ago, days_until
from backlit.tui.widgets.item_rows import BLOCKED_SIGN, ROW_SIGNS, SYNCED_SIGN, UNREADY_SIGN
from backlit.tui.widgets.side_lines import Part
from backlit.tui.widgets.text_view import MARGIN, LinesView

if TYPE_CHECKING:
    from backlit.store.views.items import CommentEntry
    from backlit.store.views.objects import LoggedTime
    from backlit.tui.items.related_facts import RelatedFacts

TEXT_LIMIT = 20_000
"""Characters of one text that the preview shows; the editor shows all of it."""
TIMES_SHOWN = 5
"""Time entries that the preview of a task shows."""
COMMENT_LIMIT = 20
"""Comments that the preview shows; the thread shows all of them."""
MIN_WIDTH_OF_COLUMNS, COLUMN_GAP = 100, 4
"""Cells from which comments stand beside the texts, and those between both."""
MAX_RULE_CELLS = 6
"""Cells of the rule behind a head. Each takes three bytes, and heads move with every key: 50 of 1,230 bytes."""
MAX_TEXT_WIDTH = 72
"""Cells of a line of text at most: on the way back from the end of a longer one the eye loses the next."""
LABEL_WIDTH, CHIP_GAP = 8, 1
"""Cells of the label of a fact, and those between the grounds of two chips."""
Chip = tuple[str, str]
"""A fact of an item in a few words, and its colour."""
TEXTS = {"Description": "", "StepsToReproduce": "Steps to reproduce", "Resolution": "Resolution"}
SIGN_WORDS = {
    RowSign.PENDING: "waiting to be sent",
    RowSign.REFUSED: "rejected ([item.conflict])",
    RowSign.CONFLICT: "conflict ([item.conflict])",
}


class ItemContext(Struct, frozen=True):
    """The context of an item: the names behind its references, and the current time."""

    people: Mapping[int, Person]
    iterations: Mapping[int, IterationEntry]
    area_path: str
    today: date
    now: datetime
    status_groups: StatusGroups
    faults: Sequence[str] = ()
    """The findings of the readiness check, as sentences."""
    related: "RelatedFacts | None" = None
    """What it waits for, and what is below it; None on a server without relations."""
    found: str = ""
    """The text around the words that were looked for, and where it stands."""
    times: Sequence["LoggedTime"] = ()
    """The last time entries of a task."""
    can_act: bool = True
    """Whether keys of items act on it on this screen."""


def preview_head(item: Item, now: datetime) -> tuple[Sequence[Part], Sequence[Part]]:
    """Return both sides of the head of a frame around an item: what it is, and when it was edited."""
    sign, colour = ROW_SIGNS[item.sign]
    state = f"  {sign} {with_keys(SIGN_WORDS[item.sign])}" if item.sign in SIGN_WORDS else ""
    edited = edited_words(item, now).partition(" by ")[0]
    return [*item_words(item.id, item.type), (state, colour)], [(edited, "muted")] if edited else []


def item_words(item_id: int, item_type: str) -> list[Part]:
    """Return the number of an item, and its type by sign and word."""
    kind = (type_sign(item_type), type_colour(item_type)), (f" {item_type}", "foreground")
    return [(f"{number_of(item_id)} ", "muted"), *kind]


class ItemPreview(LinesView):
    """Shows one item as lines laid out once; scrolls by itself. `names_item` is False where its name stands above."""

    def __init__(self, *, names_item: bool = True) -> None:
        super().__init__(id="preview")
        self._names_item = names_item
        self._shown: tuple[Item, Sequence[CommentEntry] | None, ItemContext] | None = None
        self.is_brief = False
        """True where the row of the item is above the preview, which has only a few lines."""

    def show(self, item: Item | None, comments: Sequence["CommentEntry"] | None, context: ItemContext) -> None:
        """Show another item, from its top; the same one again keeps its scroll position. None hides the comments."""
        before = self._shown[0].id if self._shown else None
        self._shown = None if item is None else (item, comments, context)
        self.lay_out()
        if before != (item.id if item else None):
            self.scroll_to(y=0, animate=False, force=True)

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        if self._shown is None:
            return ()
        room = width - (0 if self.is_framed else MARGIN)
        layout = PreviewLayout(
            theme, room, is_brief=self.is_brief, has_head=self.is_framed, names_item=self._names_item
        )
        return list(layout.lines(*self._shown))


class CommentsPreview(LinesView):
    """Shows the comments of an item, the newest first, beside a view without them; a frame says what they are."""

    def __init__(self) -> None:
        super().__init__(id="preview-comments")
        self._shown: tuple[Sequence[CommentEntry], datetime, Mapping[str, str]] | None = None

    def show(
        self, comments: Sequence["CommentEntry"], now: datetime, colours: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Show comments, whose authors have colours by name."""
        self._shown = (comments, now, colours)
        self.lay_out()
        self.scroll_to(y=0, animate=False, force=True)

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        if self._shown is None:
            return ()
        if self.is_framed:
            return list(PreviewLayout(theme, width).thread(*self._shown))
        return list(PreviewLayout(theme, width - MARGIN).comments(*self._shown))


class PreviewLayout:
    """Lays an item out at one width, in one set of colours; in brief below a list whose row names the item."""

    def __init__(
        self,
        theme: ThemeStyles,
        width: int,
        *,
        is_brief: bool = False,
        has_head: bool = False,
        names_item: bool = True,
    ) -> None:
        self._theme = theme
        self._room = width
        self._width = min(width, MAX_TEXT_WIDTH)
        self._is_brief = is_brief
        self._has_head = has_head
        """Whether the frame around the item says what it is."""
        self._names_item = names_item

    def lines(self, item: Item, comments: Sequence["CommentEntry"] | None, context: ItemContext) -> Iterator[Line]:
        """Yield the head of an item, its texts and its comments, which stand beside the texts where there is room."""
        if comments and self._room >= MIN_WIDTH_OF_COLUMNS:
            yield from self._beside(item, comments, context)
            return
        if self._names_item and not self._has_head and (not self._is_brief or item.sign in SIGN_WORDS):
            yield self._heading(item, context.now)
        if self._names_item:
            yield from ([Segment(line, self._theme.style(bold=True))] for line in wrapped(item.name, self._width))
        yield from self.about(item, context, counted(len(comments), "comment") if comments and self._is_brief else "")
        if comments is not None:
            yield []
            yield from self.comments(comments, context.now, self._author_colours(context))

    def _author_colours(self, context: ItemContext) -> Mapping[str, str]:
        """Return the colours of people by their names, in a card alone."""
        return author_colours(context.people) if self._has_head else {}

    def _beside(self, item: Item, comments: Sequence["CommentEntry"], context: ItemContext) -> Iterator[Line]:
        width = min(self._room * 3 // 5, MAX_TEXT_WIDTH + COLUMN_GAP)
        left = PreviewLayout(
            self._theme,
            width - COLUMN_GAP,
            is_brief=self._is_brief,
            has_head=self._has_head,
            names_item=self._names_item,
        )
        right = PreviewLayout(self._theme, self._room - width)
        colours = self._author_colours(context)
        for text, comment in zip_longest(
            left.lines(item, None, context), right.comments(comments, context.now, colours)
        ):
            yield [*Strip(text or []).adjust_cell_length(width, self._theme.style()), *(comment or [])]

    def about(self, item: Item, context: ItemContext, comments: str = "") -> Iterator[Line]:
        """Yield the facts of an item, with the number of its comments, and its texts; in brief some facts follow."""
        places: list[Line] = []
        if self._has_head:
            yield from self._card(item, context)
        else:
            yield from self._chips([*_state(item, context), *([(comments, "muted")] if comments else ())])
            places = list(self._places(item, context))
            yield from () if self._is_brief else places
            if context.related is not None and context.related.blocked:
                yield from self._chips([("Blocked by", "warn"), (context.related.blocked, "warn")], " ")
            for line in context.related.lines() if context.related is not None else ():
                yield from self._chips([(line, "muted")])
        if context.found:
            yield from self._chips([("Found", "muted"), (context.found, "foreground")], " ")
        if context.faults and not self._has_head:
            yield from self._chips([(UNREADY_SIGN, "warn"), *((each, "foreground") for each in context.faults)], " ")
        for logged in context.times:
            yield from self._chips(_time_chips(logged, context), "  ")
        for key, label in TEXTS.items():
            text = str(item.fields.get(key) or "").strip()
            if text:
                yield from () if self._is_brief and not label else ([],)
                yield from [self._head(label)] if label else []
                yield from self._text(text)
        if self._is_brief and places:
            yield from ([], *places)

    def _card(self, item: Item, context: ItemContext) -> Iterator[Line]:
        """Yield the state of an item as chips on a ground, and below it facts with labels; empty ones are left out."""
        blank: list[Line] = [] if self._is_brief else [[]]
        chips = list(self._grounded(list(_state(item, context, has_people=False))))
        yield from (*(blank if self._names_item else ()), *chips, *(blank if chips else ()))
        owner_id = item.fields.get("AssignedToID")
        owner = _person(owner_id, context)
        colour = owner_colour(owner_id, sorted(context.people)) if isinstance(owner_id, int) else "faint"
        gap = Segment("   ", self._theme.style())
        can_take = context.can_act and not owner
        cap = self._theme.cap(key_of("item.assign-me"))
        take = [gap, cap, self._segment(" take it", "muted")] if can_take else []
        named = [*self._label("Owner"), self._segment(owner or "unassigned", colour)]
        yield [*named, *take] if sum(each.cell_length for each in (*named, *take)) <= self._width else named
        tags = item.fields.get("Tags")
        facts = {
            "Sprint": _iteration(item.fields.get("IterationID"), context),
            "Area": words_below_root(context.area_path),
            "Tags": "  ".join(map(str, tags)) if isinstance(tags, list) else "",
            "Mirror": _mirrored(item),
        }
        for label, words in facts.items():
            yield from self._fact(label, words, "foreground") if words else ()
        for number, line in enumerate(context.related.below() if context.related is not None else ()):
            yield from self._fact("" if number else "Below", line, "muted" if number else "foreground")
        if context.related is not None and context.related.blocked:
            yield from self._fact("Waits", f"{BLOCKED_SIGN} {context.related.blocked}", "warn")
        if context.related is not None and context.related.duplicates:
            yield from self._fact("Links", context.related.duplicates, "foreground")
        if context.faults:
            reasons = " · ".join(each.removesuffix(".") for each in context.faults)
            *lines, last = self._fact("Ready", f"{UNREADY_SIGN} {reasons}", "warn")
            groom = [gap, self._theme.cap(key_of("item.groom")), self._segment(" groom", "muted")]
            room = self._width - sum(each.cell_length for each in last)
            yield from lines
            yield [*last, *groom] if room >= sum(each.cell_length for each in groom) else last

    def _label(self, label: str) -> Line:
        return [self._segment(f"{label:{LABEL_WIDTH}}", "muted")]

    def _fact(self, label: str, words: str, colour: str) -> Iterator[Line]:
        for number, line in enumerate(wrapped(words, self._width - LABEL_WIDTH)):
            yield [*self._label("" if number else label), self._segment(line, colour)]

    def _grounded(self, chips: Sequence[Chip]) -> Iterator[Line]:
        """Yield lines of chips, each on its ground with a blank on either side; a sign alone has the colour."""
        line, room, theme = list[Segment](), self._width, self._theme
        for words, colour in chips:
            text = f" {safe(words)} "
            if line and cell_len(text) > room:
                yield line
                line, room = [], self._width
            if line:
                line.append(Segment(" " * CHIP_GAP, theme.style()))
            signed = 2 if words[1:2] == " " else len(text)
            line.append(Segment(text[:signed], theme.style(colour, on="key-background")))
            line.append(Segment(text[signed:], theme.style("foreground", on="key-background")))
            room -= cell_len(text) + CHIP_GAP
        if line:
            yield line

    def _places(self, item: Item, context: ItemContext) -> Iterator[Line]:
        """Yield the area, the other tracker and the tags, which stand on their own lines unless one holds all."""
        path, found = words_below_root(context.area_path), item.fields.get("Tags")
        places = [each for each in (path, _mirrored(item)) if each]
        tags = [f"#{each}" for each in found] if isinstance(found, list) else []
        whole = [*places, " ".join(tags)] if tags else places
        if cell_len(safe(" · ".join(whole))) <= self._width:
            yield from self._chips([(each, "foreground") for each in whole])
        else:
            yield from self._chips([(each, "foreground") for each in places])
            yield from self._chips([(each, "foreground") for each in tags], " ")

    def comments(
        self, comments: Sequence["CommentEntry"], now: datetime, colours: Mapping[str, str] = MappingProxyType({})
    ) -> Iterator[Line]:
        """Yield a head and comments, the newest first."""
        if comments:
            yield self._head(counted(len(comments), "comment", "comments, newest first"))
        yield from self.thread(comments, now, colours)

    def thread(
        self, comments: Sequence["CommentEntry"], now: datetime, colours: Mapping[str, str] = MappingProxyType({})
    ) -> Iterator[Line]:
        """Yield comments, the newest first; those of authors with a colour have a bar of it beside them."""
        if not comments:
            yield [self._segment("No comments", "muted")]
            return
        for number, comment in enumerate(reversed(comments[-COMMENT_LIMIT:])):
            if number:
                yield []
            colour = colours.get(comment.author or "")
            if colour is None:
                yield from self.comment(comment, now)
                continue
            bar = Segment("▏ ", self._theme.style(colour))
            beside = PreviewLayout(self._theme, self._width - bar.cell_length)
            yield from ([bar, *line] for line in beside.comment(comment, now, colour))
        if len(comments) > COMMENT_LIMIT:
            yield from [[], [self._segment(f"{key_of('item.comments')} shows them all", "muted")]]

    def comment(self, comment: "CommentEntry", now: datetime, colour: str = "foreground") -> Iterator[Line]:
        yield self._byline(comment, now, colour)
        yield from self._text(comment.text)

    def _heading(self, item: Item, now: datetime) -> Line:
        sign, colour = ROW_SIGNS[item.sign]
        line = [
            self._segment(f"{number_of(item.id)} ", "muted"),
            self._segment(type_sign(item.type), type_colour(item.type)),
            self._segment(f" {item.type}", "foreground"),
            self._segment(f"  {sign} {with_keys(SIGN_WORDS.get(item.sign, ''))}".rstrip(), colour),
        ]
        edited, room = edited_words(item, now), self._width - sum(each.cell_length for each in line)
        edited = edited if cell_len(edited) + 2 <= room else edited.partition(" by ")[0]
        return [*line, self._segment(fit_right(edited, room), "muted")] if cell_len(edited) + 2 <= room else line

    def _head(self, words: str) -> Line:
        room = max(0, self._width - cell_len(safe(words)) - 1)
        rule = "─" * min(room, MAX_RULE_CELLS) if self._has_head else ""
        return [Segment(safe(words), self._theme.heading()), self._segment(f" {rule}" if rule else "", "rule")]

    def _chips(self, chips: Sequence[Chip], between: str = " · ") -> Iterator[Line]:
        """Yield lines of chips; a line breaks in place of a separator, and inside a chip that is too long."""
        line: Line = []
        room = self._width
        for words, colour in chips:
            if line and len(between) + cell_len(safe(words)) <= room:
                line.append(self._segment(between, "muted"))
                room -= len(between)
            elif line:
                yield line
                line, room = [], self._width
            *full, last = wrapped(words, room)
            yield from ([self._segment(each, colour)] for each in full)
            line.append(self._segment(last, colour))
            room -= cell_len(last)
        if line:
            yield line

    def _text(self, text: str) -> Iterator[Line]:
        from backlit.tui.drawing.markdown import markdown_lines

        yield from markdown_lines(text[:TEXT_LIMIT], self._width, self._theme)
        if len(text) > TEXT_LIMIT:
            yield [self._segment("… the editor (e) shows the rest", "muted")]

    def _byline(self, comment: "CommentEntry", now: datetime, colour: str) -> Line:
        author = Segment(safe(comment.author or "you"), self._theme.style(colour, bold=True))
        line = [author, self._segment(f"  {ago(comment.created_at, now)}", "muted")]
        if comment.pending:
            line.append(self._segment("  ↑ waiting to be sent", "pending"))
        if not comment.is_internal:
            line.append(self._segment("  » customers see this", "type-feedback"))
        return line

    def _segment(self, text: str, colour: str) -> Segment:
        return Segment(safe(text), self._theme.style(colour))


def _time_chips(logged: "LoggedTime", context: ItemContext) -> list[Chip]:
    day = written_day(logged.day, context.today) if logged.day else ""
    who = _person(logged.user_id, context) if logged.user_id else ""
    hours, kind = (f"{hours_text(logged.hours)} h", "foreground"), (logged.type or "", "muted")
    words = (hours, (day, "muted"), (who, "muted"), kind, (logged.note, "foreground"))
    return [each for each in words if each[0]]


def _state(item: Item, context: ItemContext, *, has_people: bool = True) -> Iterator[Chip]:
    fields = item.fields
    status, groups = str(fields.get("Status") or ""), context.status_groups
    if status:
        yield f"{status_sign(status, groups)} {status_word(status)}", status_colour(status, groups)
    if fields.get("IsBlocking") is True:
        yield "Blocking", "conflict"
    found = [
        estimate_text(str(fields.get("Estimate") or "")),
        _hours(fields.get("WorkRemaining")),
        choice_word(str(fields.get("PriorityClass") or "")),
        f"Priority {fields['Priority']}" if fields.get("Priority") is not None else "",
        f"{choice_word(str(fields['Severity']))} severity" if fields.get("Severity") else "",
    ]
    yield from ((words, "foreground") for words in found if words)
    if not has_people:
        return
    owner = _person(fields.get("AssignedToID"), context)
    yield (owner, "foreground") if owner else ("unassigned", "muted")
    if iteration := _iteration(fields.get("IterationID"), context):
        yield iteration, "foreground"


def author_colours(people: Mapping[int, Person]) -> Mapping[str, str]:
    """Return the colours of people by their names."""
    known = sorted(people)
    pairs = ((each, owner_colour(each.id, known)) for each in people.values())
    return {name: colour for each, colour in pairs for name in (each.username, each.display_name)}


def edited_words(item: Item, now: datetime) -> str:
    by = f" by {item.last_modified_by}" if item.last_modified_by else ""
    return f"edited {ago(item.last_modified_at, now)}{by}" if item.last_modified_at is not None else ""


def _mirrored(item: Item) -> str:

    number = item.fields.get("SyncID")
    there = "" if number is None else f"as {number} "
    return f"{SYNCED_SIGN} mirrored {there}in another tracker" if item.is_synced else ""


def _person(value: object, context: ItemContext) -> str:
    if not isinstance(value, int):
        return ""
    person = context.people.get(value)
    return person.display_name if person else f"user {value}"


def _iteration(value: object, context: ItemContext) -> str:
    iteration = context.iterations.get(value) if isinstance(value, int) else None
    if iteration is None or "\\" not in iteration.path:
        return ""
    end = days_until(iteration.start, iteration.end, context.today)
    return iteration.name + (f" · {end}" if end else "")


def _hours(value: object) -> str:
    return f"{value:g} h left" if isinstance(value, int | float) else ""


def item_context(
    store: Store, item: Item | None, faults: Sequence[str] = (), found: str = "", *, can_act: bool = True
) -> ItemContext:
    """People, iterations, the area's path and the time; `faults` of the ready-check, `found` by a search."""
    area_id = item.fields.get("AreaID") if item else None
    areas = store.lookups.tree(TreeKind.AREAS)
    path = areas.path(area_id) if isinstance(area_id, int) and area_id in areas else ""
    lookups = store.lookups
    people, iterations, groups = lookups.known_people(), lookups.iterations(), lookups.status_groups()
    is_task = item is not None and item.type == ItemType.TASK
    times = store.time_entries.of_task(item.id)[:TIMES_SHOWN] if item is not None and is_task else ()
    related = None
    if item is not None and lookups.announces("relations"):
        from backlit.tui.items.related_facts import related_facts

        related = related_facts(store, item)
    return ItemContext(
        people, iterations, path, store.today(), store.now(), groups, faults, related, found, times, can_act
    )
