"""The pane beside the list: the item under the cursor, read only, with its description and comments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from rich.segment import Segment

from backlit.model.amounts import counted
from backlit.model.statuses import StatusGroups
from backlit.store.records.item import Item, RowSign
from backlit.store.records.people import IterationEntry, Person, TreeKind
from backlit.store.store import Store
from backlit.store.views.items import CommentEntry
from backlit.tui.drawing.markdown import Line, markdown_lines
from backlit.tui.drawing.text import safe, wrapped
from backlit.tui.drawing.themes import ThemeStyles, status_colour, status_sign, type_colour, type_sign
from backlit.tui.fields.acts import is_synced
from backlit.tui.fields.dates import age, days_until, moment
from backlit.tui.widgets.item_rows import ROW_SIGNS, SYNCED
from backlit.tui.widgets.text_view import LinesView

LABEL_WIDTH = 11
TEXT_LIMIT = 20_000
"""Characters of one text that the preview shows; the editor shows all of it."""
COMMENT_LIMIT = 20
"""Comments that the preview shows; the thread shows all of them."""
TEXTS = {"Description": "", "StepsToReproduce": "Steps to reproduce", "Resolution": "Resolution"}
SIGN_WORDS = {RowSign.PENDING: "waits to be sent", RowSign.REFUSED: "refused (g=)", RowSign.CONFLICT: "conflict (g=)"}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The context of an item: the names behind its references, and the current time."""

    people: Mapping[int, Person]
    iterations: Mapping[int, IterationEntry]
    area_path: str
    today: date
    now: datetime
    status_groups: StatusGroups
    faults: Sequence[str] = ()
    """The findings of the readiness check, as sentences."""
    found: str = ""
    """The text around the words that were looked for, and where it stands."""


class Preview(LinesView):
    """Shows one item as lines laid out once; scrolls by itself."""

    def __init__(self) -> None:
        super().__init__(id="preview")
        self._shown: tuple[Item, Sequence[CommentEntry] | None, Surroundings] | None = None

    def show(self, item: Item | None, comments: Sequence[CommentEntry] | None, around: Surroundings) -> None:
        """Show another item, from its top; the same one again keeps its scroll position. None hides the comments."""
        before = self._shown[0].id if self._shown else None
        self._shown = None if item is None else (item, comments, around)
        self.lay_out()
        if before != (item.id if item else None):
            self.scroll_to(y=0, animate=False, force=True)

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        """Return the item as a page; nothing without an item."""
        return list(_Page(theme, width).lines(*self._shown)) if self._shown else ()


class CommentsPreview(LinesView):
    """Shows the comments of an item, the newest first, beside a preview without them."""

    def __init__(self) -> None:
        super().__init__(id="preview-comments")
        self._shown: tuple[Sequence[CommentEntry], datetime] | None = None

    def show(self, comments: Sequence[CommentEntry], now: datetime) -> None:
        """Show the comments of another item."""
        self._shown = (comments, now)
        self.lay_out()
        self.scroll_to(y=0, animate=False, force=True)

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        """Return the comments; nothing before the first item."""
        return list(_Page(theme, width).comments(*self._shown)) if self._shown else ()


class _Page:
    """Lays an item out at one width, in one set of colours."""

    def __init__(self, theme: ThemeStyles, width: int) -> None:
        self._theme = theme
        self._width = width

    def lines(self, item: Item, comments: Sequence[CommentEntry] | None, around: Surroundings) -> Iterator[Line]:
        yield self._heading(item)
        yield from self._wrapped(str(item.fields.get("Name") or ""), bold=True)
        yield []
        for label, value, colour in _properties(item, around):
            if value:
                yield from self._property(label, value, colour)
        for number, sentence in enumerate(around.faults):
            yield from self._property("" if number else "Not ready", sentence, "pending")
        for key, label in TEXTS.items():
            text = str(item.fields.get(key) or "").strip()
            if text:
                yield []
                yield from [[self._segment(label, "muted")]] if label else []
                yield from self._text(text)
        if comments is not None:
            yield []
            yield from self.comments(comments, around.now)

    def comments(self, comments: Sequence[CommentEntry], now: datetime) -> Iterator[Line]:
        words = counted(len(comments), "comment", "comments, newest first") if comments else "No comments"
        yield [self._segment(words, "muted")]
        for comment in reversed(comments[-COMMENT_LIMIT:]):
            yield self._byline(comment, now)
            yield from self._text(comment.text)
            yield []
        if len(comments) > COMMENT_LIMIT:
            yield [self._segment("gc shows them all", "muted")]

    def _heading(self, item: Item) -> Line:
        sign, colour = ROW_SIGNS[item.sign]
        return [
            self._segment(f"#{item.id} " if item.id > 0 else "new ", "muted"),
            self._segment(type_sign(item.type), type_colour(item.type)),
            self._segment(f" {item.type}", "foreground"),
            self._segment(f"  {sign} {SIGN_WORDS.get(item.sign, '')}", colour),
        ]

    def _property(self, label: str, value: str, colour: str) -> Iterator[Line]:
        for number, line in enumerate(wrapped(value, self._width - LABEL_WIDTH)):
            yield [
                self._segment("" if number else label, "muted", width=LABEL_WIDTH),
                self._segment(line, colour),
            ]

    def _wrapped(self, text: str, *, bold: bool) -> Iterator[Line]:
        for line in wrapped(text, self._width):
            yield [Segment(line, self._theme.style(bold=bold))]

    def _text(self, text: str) -> Iterator[Line]:
        yield from markdown_lines(text[:TEXT_LIMIT], self._width, self._theme)
        if len(text) > TEXT_LIMIT:
            yield [self._segment("… the editor (e) shows the rest", "muted")]

    def _byline(self, comment: CommentEntry, now: datetime) -> Line:
        ago = age((now - comment.created_at).total_seconds()) if comment.created_at else ""
        line = [
            Segment(safe(comment.author or "you"), self._theme.style(bold=True)),
            self._segment("  " + (ago if ago in {"", "now"} else ago + " ago"), "muted"),
        ]
        if comment.pending:
            line.append(self._segment("  ↑ waits to be sent", "pending"))
        if not comment.is_internal:
            line.append(self._segment("  » customers see this", "type-feedback"))
        return line

    def _segment(self, text: str, colour: str, *, width: int = 0) -> Segment:
        return Segment(safe(text).ljust(width), self._theme.style(colour))


def _properties(item: Item, around: Surroundings) -> list[tuple[str, str, str]]:
    fields = item.fields
    status, groups = str(fields.get("Status") or ""), around.status_groups
    tags = fields.get("Tags")
    plain = "foreground"
    return [
        ("Status", f"{status_sign(status, groups)} {status}" if status else "", status_colour(status, groups)),
        ("Owner", _person(fields.get("AssignedToID"), around), plain),
        ("Iteration", _iteration(fields.get("IterationID"), around), plain),
        ("Area", around.area_path.replace("\\", " › "), plain),
        ("Estimate", str(fields.get("Estimate") or ""), plain),
        ("Remaining", _hours(fields.get("WorkRemaining")), plain),
        (
            "Priority",
            ", ".join(str(fields[k]) for k in ("Priority", "PriorityClass") if fields.get(k) is not None),
            plain,
        ),
        ("Severity", str(fields.get("Severity") or ""), plain),
        ("Blocking", "yes" if fields.get("IsBlocking") is True else "", "conflict"),
        ("Tags", ", ".join(map(str, tags)) if isinstance(tags, list) else "", plain),
        ("Synced", _mirrored(item), "accent"),
        ("Found", around.found, "accent"),
        ("Changed", " ".join(part for part in (moment(item.last_modified_at), item.last_modified_by) if part), "muted"),
    ]


def _mirrored(item: Item) -> str:
    """Return that the item is synced with another tracker, and its number there where known."""
    number = item.fields.get("SyncID")
    there = "" if number is None else f"as {number} "
    return f"{SYNCED} mirrored {there}in another tracker" if is_synced(item) else ""


def _person(value: object, around: Surroundings) -> str:
    if not isinstance(value, int):
        return ""
    person = around.people.get(value)
    return person.display_name if person else f"user {value}"


def _iteration(value: object, around: Surroundings) -> str:
    iteration = around.iterations.get(value) if isinstance(value, int) else None
    if iteration is None or "\\" not in iteration.path:
        return ""
    end = days_until(iteration.end, around.today) if iteration.end else ""
    return iteration.name + (f"  ({end})" if end else "")


def _hours(value: object) -> str:
    return f"{value:g} h" if isinstance(value, int | float) else ""


def surroundings_of(store: Store, item: Item | None, faults: Sequence[str] = (), found: str = "") -> Surroundings:
    """People, iterations, the area's path and the time; `faults` of the ready-check, `found` by a search."""
    area_id = item.fields.get("AreaID") if item else None
    areas = store.lookups.tree(TreeKind.AREAS)
    path = areas.path(area_id) if isinstance(area_id, int) and area_id in areas else ""
    lookups = store.lookups
    people, iterations, groups = lookups.known_people(), lookups.iterations(), lookups.status_groups()
    return Surroundings(people, iterations, path, store.today(), store.now(), groups, faults, found)
