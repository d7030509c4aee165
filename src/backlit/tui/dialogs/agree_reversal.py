"""What undo or redo would do, where that is to be agreed to first."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from textual.content import Content

from backlit.store.history import Reversal
from backlit.store.moves_back import FieldChange, Named
from backlit.store.store import Store
from backlit.tui.dialogs.agreement import Agreement
from backlit.tui.looks import type_sign
from backlit.tui.reversal_words import contested_words, node_deleted_words, node_made_words, recalled_words
from backlit.tui.text import safe
from backlit.tui.wording import label_of, words_of

MOST_LINES = 400
SHOWN = 60
"""Characters of a value that are shown."""
NEW_NUMBER = (
    "A deleted item is made anew: it gets a new number, its comments name who wrote them, files do not come back."
)


class ReversalDialog(Agreement):
    """Every item with what it has and what it would have, and what would be deleted or made again."""

    def __init__(self, store: Store, reversal: Reversal) -> None:
        verb = "redo" if reversal.is_redo else "undo"
        super().__init__(verb.capitalize(), verb)
        self._store = store
        self._reversal = reversal

    def heading(self) -> list[Content]:
        """How far it reaches, and what has to be known before."""
        count = len(self._reversal.item_ids - {0})
        lines = [Content(f"It concerns {count:,} items.")] if count > 1 else []
        contested = contested_words(self._reversal.changes)
        if contested:
            lines.append(Content.styled(safe(contested), "bold $warning"))
        if self._reversal.made_again:
            lines.append(Content.styled(NEW_NUMBER, "$muted"))
        if self._reversal.deleted or self._reversal.nodes_deleted:
            lines.append(Content.styled("! What is deleted for good is gone for everybody.", "bold $warning"))
        return lines

    def lines(self) -> list[Content]:
        """The items and comments, with what would become of them."""
        every = [line for _, line in zip(range(MOST_LINES + 1), self._every(), strict=False)]
        return [*every[:MOST_LINES], Content.styled("…", "$muted")] if len(every) > MOST_LINES else every

    def _every(self) -> Iterator[Content]:
        reversal = self._reversal
        yield from self._named(reversal.deleted, "deleted for good", "$error")
        yield from self._named(reversal.given_up, "not added after all", "$error")
        yield from self._named(reversal.made_again, "made again", "$success")
        yield from self._named(reversal.returned, "back again", "$success")
        for deleted in reversal.nodes_deleted:
            changed = ", although somebody has changed it since" if deleted.is_changed else ""
            yield Content.styled(safe(f"The {node_deleted_words(deleted)}{changed}"), "$error")
        for made in reversal.nodes_made:
            yield Content.styled(safe(f"The {node_made_words(made)}"), "$success")
        for recalled in reversal.recalled:
            yield Content.styled(safe(recalled_words([recalled])), "$success")
        for item_id, changes in groupby(reversal.changes, key=lambda change: change.item_id):
            item = self._store.item(item_id)
            name = str(item.fields.get("Name") or "") if item else ""
            yield _item(Named(item_id, item.type if item else "", name))
            for change in changes:
                yield self._change(change)
        for texts, words, colour in (
            (reversal.comments_deleted, "comment deleted", "$error"),
            (reversal.comments_written, "comment written again", "$success"),
        ):
            for text in texts:
                yield Content.assemble((f"{words}  ", colour), safe(_short(text)))
        if reversal.missing:
            yield Content.styled(f"{len(reversal.missing):,} no longer there", "$muted")

    def _named(self, named: Sequence[Named], words: str, colour: str) -> Iterator[Content]:
        for each in named:
            yield _item(each)
            yield Content.styled(f"    {words}", colour)

    def _change(self, change: FieldChange) -> Content:
        before, after = (_short(words_of(self._store, change.key, each)) for each in (change.before, change.after))
        return Content.assemble(
            (f"    {safe(label_of(change.key))}  ", "$muted"),
            (safe(before), "$error"),
            (" → ", "$muted"),
            (safe(after), "$success"),
        )


def _item(named: Named) -> Content:
    number = f"#{named.id} " if named.id > 0 else "new "
    sign = f"{type_sign(named.type)} " if named.type else ""
    return Content.assemble((number, "$muted"), sign, safe(named.name))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
