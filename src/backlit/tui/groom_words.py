"""The groom queue's summary as Markdown: what was answered, what was skipped, what is left."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date

from backlit.model.plain import plain
from backlit.store.grooming import Groomed
from backlit.store.store import Store
from backlit.tui.acts import field_named
from backlit.tui.field_text import FieldWords

Quote = Callable[[str], str]
"""Makes one line of somebody's words."""


def summary_of(store: Store, results: Sequence[Groomed], count: int, quote: Quote = plain) -> str:
    """The whole text; `count` is how many items were in the queue.

    What leaves this program is quoted so that nothing in a name is read as Markdown; on the screen nothing is anyway.
    """
    project = next((each.name for each in store.projects() if each.id == store.project_id), "")
    head = _head(_line(project, quote), store.today(), results, count)
    return "\n".join([*head, *_sections(store, results, quote)]).rstrip() + "\n"


def _head(project: str, today: date, results: Sequence[Groomed], count: int) -> Iterator[str]:
    yield f"# Groomed: {project}, {today.isoformat()}"
    yield ""
    changed = sum(bool(each.answers) for each in results)
    skipped = sum(each.is_skipped and not each.answers for each in results)
    parts = [f"{count:,} {'item' if count == 1 else 'items'}", f"{changed:,} changed", f"{skipped:,} skipped"]
    kept = len(results) - changed - skipped
    if kept:
        parts.append(f"{kept:,} left as {'it was' if kept == 1 else 'they were'}")
    if count > len(results):
        parts.append(f"{count - len(results):,} not shown")
    yield f"{', '.join(parts)}."


def _sections(store: Store, results: Sequence[Groomed], quote: Quote) -> Iterator[str]:
    titled = (
        ("Changed", [each for each in results if each.answers]),
        ("Skipped", [each for each in results if each.is_skipped and not each.answers]),
        ("Left as they were", [each for each in results if not each.is_skipped and not each.answers]),
    )
    for title, found in titled:
        if found:
            yield from ("", f"## {title}", "")
            for each in found:
                yield from _item(store, each, quote)


def _item(store: Store, each: Groomed, quote: Quote) -> Iterator[str]:
    number = f"#{each.item_id} " if each.item_id > 0 else ""
    kind = f" ({each.type})" if each.type else " (no longer there)"
    yield f"- {number}{_line(each.name, quote)}{kind}{', skipped' if each.is_skipped and each.answers else ''}"
    words = FieldWords(store)
    for answer in (*each.answers, *each.others):
        field = field_named(answer.key, store)
        before, after = (_line(words.shown(field, value), quote) for value in (answer.before, answer.after))
        yield f"  - {'' if answer in each.answers else 'meanwhile by others: '}{field.label}: {before} → {after}"
    if each.open:
        yield f"  - still: {', '.join(rule.label for rule in each.open)}"


def _line(text: str, quote: Quote) -> str:
    return quote(" ".join(text.split()))
