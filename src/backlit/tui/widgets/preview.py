"""The pane beside the list: the item under the cursor, read only, with its description and comments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from backlit.store.people import IterationEntry, Person
from backlit.store.rows import Item, RowSign
from backlit.store.store import CommentEntry
from backlit.tui.ages import age, days_until, moment
from backlit.tui.looks import status_sign, type_sign
from backlit.tui.text import literal, literal_block
from backlit.tui.widgets.backlog_columns import ROW_SIGNS

LABEL_WIDTH = 11
TEXT_LIMIT = 20_000
"""Characters of one text that the preview shows; the editor shows all of it."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an item's references and ages are read against."""

    people: Mapping[int, Person]
    iterations: Mapping[int, IterationEntry]
    area_path: str
    today: date
    now: datetime


class Preview(VerticalScroll, can_focus=False):
    """Shows one item; scrolls by itself."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._text = Static(id="preview-text")
        self._item_id: int | None = None

    def compose(self) -> ComposeResult:
        """Hold one text."""
        yield self._text

    def show(self, item: Item | None, comments: Sequence[CommentEntry], around: Surroundings) -> None:
        """Show another item, from its top; the same one again stays where it is scrolled to."""
        self._text.update(Content("") if item is None else _page(item, comments, around))
        item_id = item.id if item else None
        if item_id != self._item_id:
            self._item_id = item_id
            self.scroll_home(animate=False)


def _page(item: Item, comments: Sequence[CommentEntry], around: Surroundings) -> Content:
    parts = [_heading(item), literal(str(item.fields.get("Name") or "")).stylize("bold"), Content("")]
    parts += [_property(label, value) for label, value in _properties(item, around) if value]
    for key, label in (("Description", ""), ("StepsToReproduce", "Steps to reproduce"), ("Resolution", "Resolution")):
        text = str(item.fields.get(key) or "").strip()
        if text:
            parts += [Content(""), *([Content.styled(label, "$muted")] if label else []), _block(text)]
    count = len(comments)
    title = "No comments" if not count else "1 comment" if count == 1 else str(count) + " comments, newest first"
    parts += [Content(""), Content.styled(title, "$muted")]
    for comment in reversed(comments):
        parts += [_byline(comment, around.now), _block(comment.text), Content("")]
    return Content("\n").join(parts)


def _heading(item: Item) -> Content:
    number = f"#{item.id}" if item.id > 0 else "new"
    sign, colour = ROW_SIGNS[item.sign]
    words = {RowSign.PENDING: " waits to be sent", RowSign.REFUSED: " refused (go)", RowSign.CONFLICT: " conflict (go)"}
    return Content.assemble(
        (number + " ", "$muted"),
        (type_sign(item.type), "$type-" + item.type.lower()),
        " ",
        literal(item.type),
        ("  " + sign + words.get(item.sign, ""), "$" + colour),
    )


def _properties(item: Item, around: Surroundings) -> "list[tuple[str, str]]":
    fields = item.fields
    status = str(fields.get("Status") or "")
    tags = fields.get("Tags")
    return [
        ("Status", (status_sign(status) + " " + status) if status else ""),
        ("Owner", _person(fields.get("AssignedToID"), around)),
        ("Iteration", _iteration(fields.get("IterationID"), around)),
        ("Area", around.area_path),
        ("Estimate", str(fields.get("Estimate") or "")),
        ("Remaining", _hours(fields.get("WorkRemaining"))),
        ("Priority", str(fields.get("PriorityClass") or fields.get("Priority") or "")),
        ("Severity", str(fields.get("Severity") or "")),
        ("Blocking", "yes" if fields.get("IsBlocking") is True else ""),
        ("Tags", ", ".join(map(str, tags)) if isinstance(tags, list) else ""),
        ("Changed", " ".join(part for part in (moment(item.last_modified_at), item.last_modified_by) if part)),
    ]


def _person(value: object, around: Surroundings) -> str:
    if not isinstance(value, int):
        return ""
    person = around.people.get(value)
    return person.display_name if person else "user " + str(value)


def _iteration(value: object, around: Surroundings) -> str:
    iteration = around.iterations.get(value) if isinstance(value, int) else None
    if iteration is None:
        return ""
    end = days_until(iteration.end, around.today) if iteration.end else ""
    return iteration.name + (f"  ({end})" if end else "")


def _hours(value: object) -> str:
    return f"{value:g} h" if isinstance(value, int | float) else ""


def _property(label: str, value: str) -> Content:
    return Content.assemble((label.ljust(LABEL_WIDTH), "$muted"), literal(value))


def _block(text: str) -> Content:
    if len(text) <= TEXT_LIMIT:
        return literal_block(text)
    return Content.assemble(literal_block(text[:TEXT_LIMIT]), ("\n… the editor (e) shows the rest", "$muted"))


def _byline(comment: CommentEntry, now: datetime) -> Content:
    ago = age((now - comment.created_at).total_seconds()) if comment.created_at else ""
    when = ago if ago in {"", "now"} else ago + " ago"
    parts = [literal(comment.author or "you").stylize("bold"), Content.styled("  " + when, "$muted")]
    if comment.pending:
        parts.append(Content.styled("  ↑ waits to be sent", "$pending"))
    if not comment.is_internal:
        parts.append(Content.styled("  » customers see this", "$type-feedback"))
    return Content("").join(parts)
