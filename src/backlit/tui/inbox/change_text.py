"""What is new of an item, in words: for a row, and line by line for the pane beneath it."""

from collections.abc import Iterator
from datetime import datetime
from difflib import unified_diff

from textual.content import Content

from backlit.model.fields import FIELD_BY_KEY, Kind
from backlit.store.inbox import FieldNews, InboxComment, ItemNews
from backlit.store.journal.inbox import NewsKind
from backlit.store.store import Store
from backlit.tui.drawing.relative_times import age, moment
from backlit.tui.drawing.text import literal, literal_block, safe
from backlit.tui.fields.labels import label_of, words_of

SHOWN = 400
"""Characters of one value or comment that the pane shows whole; the item shows the rest."""
DIFF_LINES = 60
COLOURS = {"-": "$error", "+": "$success"}


def summary_of(store: Store, news: ItemNews) -> str:
    """What happened, in one line; the gravest first, as it may be cut."""
    parts: list[str] = []
    match news.kind:
        case NewsKind.NEW:
            parts.append(f"new {news.type.lower() or 'item'}")
        case NewsKind.GONE:
            parts.append("gone: deleted, or out of your sight")
        case NewsKind.CHANGED:
            parts += [_short(store, field) for field in news.fields]
    if news.comments:
        count = len(news.comments)
        words = " ".join(news.comments[-1].text.split())[:SHOWN]
        parts.append(f"“{words}”" if count == 1 else f"{count} comments: “{words}”")
    return ", ".join(parts)


def who_and_when(news: ItemNews, now: datetime) -> str:
    """Who did it, as far as the service says, and when; of what is gone, when that was noticed."""
    who = ", ".join(news.authors) or ("" if news.kind is NewsKind.GONE else "somebody")
    noticed = "noticed " if news.kind is NewsKind.GONE else ""
    when = f"{noticed}{_ago(news.at, now)}" if news.at else ""
    return "  ".join(part for part in (who, when, moment(news.at)) if part)


def lines_of(store: Store, news: ItemNews, now: datetime) -> Iterator[Content]:
    """All that is new of an item: each field as it was and as it is, each comment."""
    yield Content.assemble((f"{safe(news.name)}  ", "bold"), (safe(who_and_when(news, now)), "$muted"))
    if news.kind is NewsKind.NEW:
        yield literal(f"A new {news.type.lower() or 'item'}.")
    if news.kind is NewsKind.GONE:
        yield literal("It was deleted, or you may no longer see it.")
    for field in news.fields:
        yield from _field_lines(store, field)
    for comment in news.comments:
        yield from comment_lines(comment, now)


def comment_lines(comment: InboxComment, now: datetime) -> Iterator[Content]:
    """A comment with who wrote it."""
    seen_by = "" if comment.is_internal else "  » customers see this"
    yield Content.assemble(
        (safe(comment.author or "somebody"), "bold"),
        (f"  {_ago(comment.created_at, now)}", "$muted"),
        (seen_by, "$type-feedback"),
    )
    yield literal_block(comment.text.strip())


def age_of(at: datetime | None, now: datetime) -> str:
    """How long ago; nothing where that is not known."""
    return age(max(0.0, (now - at).total_seconds())) if at else ""


def is_long(field: FieldNews) -> bool:
    """Whether a field's values are compared line by line."""
    known = FIELD_BY_KEY.get(field.key)
    return (known is not None and known.kind is Kind.LONG_TEXT) or any(
        isinstance(value, str) and "\n" in value for value in (field.before, field.after)
    )


def _ago(at: datetime | None, now: datetime) -> str:
    ago = age_of(at, now)
    return ago if ago in {"", "now"} else f"{ago} ago"


def _short(store: Store, field: FieldNews) -> str:
    label = label_of(field.key)
    if is_long(field):
        return f"{label} changed ({_count(field)})"
    before, after = (words_of(store, field.key, each).rsplit(" › ", 1)[-1] for each in (field.before, field.after))
    return f"{label} {before} → {after}"


def _field_lines(store: Store, field: FieldNews) -> Iterator[Content]:
    label = safe(label_of(field.key))
    if not is_long(field):
        before, after = (words_of(store, field.key, each)[:SHOWN] for each in (field.before, field.after))
        yield Content.assemble((f"{label}  ", "$muted"), safe(before), (" → ", "$muted"), (safe(after), "bold"))
        return
    yield Content.assemble((label, "$muted"), f" changed ({_count(field)})")
    for line in _diff(field)[:DIFF_LINES]:
        colour = COLOURS.get(line[:1], "$muted")
        yield Content.assemble((f"  {line[:1]} ", colour), (safe(line[1:]), colour))


def _count(field: FieldNews) -> str:
    lines = _diff(field)
    more, less = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return " ".join(part for part in (f"+{more}" if more else "", f"−{less}" if less else "") if part) + " lines"


def _diff(field: FieldNews) -> list[str]:
    before, after = (str(each or "").splitlines() for each in (field.before, field.after))
    return [line for line in list(unified_diff(before, after, lineterm="", n=1))[2:] if not line.startswith("@@")]
