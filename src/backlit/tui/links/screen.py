"""The relations of an item to others, and the web addresses on it: the tab, and its commands."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from rich.cells import cell_len
from textual import on
from textual.content import Content
from textual.strip import Strip

from backlit.model.field_values import Misfit, parse_link
from backlit.model.statuses import status_word
from backlit.store.records.changes import Subject
from backlit.store.records.item import Item, number_of
from backlit.store.store import Store
from backlit.store.views.objects import WebLink
from backlit.store.views.relations import ItemRelation
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.text import fit, literal
from backlit.tui.drawing.themes import status_colour, status_sign, type_colour, type_sign
from backlit.tui.fields.names import ListNames
from backlit.tui.items.item_head import TAB_COMMANDS, ItemRowsScreen
from backlit.tui.items.relation_commands import add_relation
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.store_screen import ChangeBatch
from backlit.tui.shell.target import ItemDestination
from backlit.tui.widgets.footer_line import Hint
from backlit.tui.widgets.line_list import EntryList, LineList

LABELS: Mapping[str, str] = {"Parent": "Feature", "Blocked By": "Blocked by", "Duplicated By": "Duplicated by"}
"""The words of relations where they differ from those of the interface."""
SHORT_LABELS: Mapping[str, str] = {
    "Blocked by": "Blk by", "Related": "Rel", "Duplicates": "Dup", "Duplicated by": "Dup by"
}  # fmt: skip
"""The words of a narrow terminal, where names need the room."""
LABEL_WIDTH, SHORT_LABEL_WIDTH, NUMBER_WIDTH = 14, 7, 6
MIN_WIDTH_WITH_FACTS, MIN_WIDTH_WITH_WORDS = 72, 100
"""Cells from which a row has the status and the owner of its item, and these with the words of the status."""
STATUS_WIDTH, OWNER_WIDTH, ITERATION_WIDTH = 15, 9, 12


def _fault_of_address(text: str) -> str | None:
    """Return why a text is no web address, as a sentence."""
    try:
        parse_link(text.strip())
    except Misfit as fault:
        return f"The address {fault}"
    return None


class LinkRow(Struct, frozen=True):
    """A relation with the other item, which this machine may not have, or a web address."""

    id: int
    label: str
    relation: ItemRelation | None = None
    item: Item | None = None
    link: WebLink | None = None


class LinkList(EntryList[LinkRow]):
    """Relations by their words, then web addresses, one to a row."""

    def __init__(self, store: Store) -> None:
        super().__init__(id="links")
        self._store = store
        self._names = ListNames(store)
        self._columns: Sequence[tuple[Callable[[Item], str], int]] = ()
        """The facts beside the status that some row has, with their cells."""

    def show(self, entries: Sequence[LinkRow]) -> None:
        items = [row.item for row in entries if row.item is not None]
        facts = (self._owner, OWNER_WIDTH), (self._iteration, ITERATION_WIDTH)
        self._columns = [(fact, width) for fact, width in facts if any(map(fact, items))]
        super().show(entries)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        row, width = self.entries[index], self.size.width
        is_repeated = index > 0 and self.entries[index - 1].label == row.label
        is_wide = width >= MIN_WIDTH_WITH_FACTS
        words = row.label if is_wide else SHORT_LABELS.get(row.label, row.label)
        cells = 2 + (LABEL_WIDTH if is_wide else SHORT_LABEL_WIDTH)
        label = (fit(f"  {'' if is_repeated else words}", cells), "muted")
        return self.draw_parts([label, *self._parts(row, width - 1 - cells)], is_cursor=is_cursor)

    def _parts(self, row: LinkRow, room: int) -> list[tuple[str, str]]:
        if row.link is not None:
            name = min(cell_len(row.link.text) + 2, max(12, room // 2))
            return [(fit(row.link.text, name), "foreground"), (fit(row.link.url, max(0, room - name - 1)), "muted")]
        other = row.relation.other_id if row.relation is not None else 0
        number = fit(str(other) if other > 0 else "new", NUMBER_WIDTH)
        if row.item is None:
            return [(number, "muted"), (fit("in another project, or not loaded", room - NUMBER_WIDTH), "muted")]
        item, groups = row.item, self._store.lookups.status_groups()
        facts = self._facts(item) if self.size.width >= MIN_WIDTH_WITH_FACTS else []
        taken = NUMBER_WIDTH + 3 + sum(cell_len(text) for text, _ in facts)
        is_closed = not groups.is_open(item.status)
        return [
            (number, "muted"),
            (f"{type_sign(item.type)} ", type_colour(item.type)),
            (fit(item.name, max(4, room - taken)), "muted" if is_closed else "foreground"),
            *facts,
        ]

    def _facts(self, item: Item) -> list[tuple[str, str]]:
        """Return the status of an item, its owner and its iteration; those that no row has take no room."""
        groups = self._store.lookups.status_groups()
        word = f" {status_word(item.status)}" if self.size.width >= MIN_WIDTH_WITH_WORDS else ""
        facts = [
            (
                f"  {fit(f'{status_sign(item.status, groups)}{word}', STATUS_WIDTH if word else 1)}",
                status_colour(item.status, groups),
            )
        ]
        facts += [(" " + fit(fact(item), width), "muted") for fact, width in self._columns]
        return facts

    def _owner(self, item: Item) -> str:
        owner = item.fields.get("AssignedToID")
        return self._names.owner(owner if isinstance(owner, int) else None)

    def _iteration(self, item: Item) -> str:
        iteration = item.fields.get("IterationID")
        return self._names.iteration(iteration if isinstance(iteration, int) else None)


class LinksScreen(ItemRowsScreen):
    """The relations and web addresses of an item; the commands of items act on the item of the row."""

    COMMAND_GROUPS = ("links.screen", *TAB_COMMANDS)
    AUTO_FOCUS = "LinkList"
    CSS_PATH = "../styles/below.tcss"
    TAB = ItemDestination.LINKS
    SUBJECTS = (Subject.RELATIONS, Subject.LINKS)
    HINTS = (
        *("links.open", "links.add", "links.add-web", "links.edit", "links.remove", "item.parent", "item.next-tab"),
        "app.help",
    )
    HINTS_WITHOUT_ROWS = ("links.add", "links.add-web", *ItemRowsScreen.HINTS_WITHOUT_ROWS)
    EMPTY = ("No links.", "No links in the local copy.")

    def __init__(self, store: Store, item_id: int) -> None:
        self._links = LinkList(store)
        self._added: int | None = None
        """The row that gets the cursor: an address just added, or one that got its id from the service."""
        super().__init__(store, item_id, self._links)

    def store_changed(self, changes: ChangeBatch) -> None:
        row = self._links.current
        if row is not None and row.link is not None and row.link.id in changes.renamed:
            self._added = changes.renamed[row.link.id] * 2 + 1
        super().store_changed(changes)

    def show_rows(self) -> None:
        relations = [each for each in self.store.relations.of_item(self.item_id) if each.word != "Child"]
        items = {item.id: item for item in self.store.batch.items([each.other_id for each in relations])}
        # Ids of relations and of addresses may be the same numbers.
        rows = [
            LinkRow(each.id * 2, LABELS.get(each.word, each.word), each, items.get(each.other_id)) for each in relations
        ]
        rows += [LinkRow(each.id * 2 + 1, "Web", link=each) for each in self.store.links.of_item(self.item_id)]
        self._links.show(rows)
        ids = [row.id for row in rows]
        if self._added in ids:
            self._links.move_to(ids.index(self._added))
            self._added = None

    @property
    def hints(self) -> Sequence[Hint | str]:
        """Return the hints: a relation is not edited, and the Feature is named where there is one."""
        row, rows = self._links.current, self._links.entries
        left_out = {"links.edit"} if row is not None and row.link is None else set()
        if not any(each.relation is not None and each.relation.word == "Parent" for each in rows):
            left_out.add("item.parent")
        return [each for each in super().hints if each not in left_out]

    def current(self) -> Item:
        row = self._links.chosen()
        if row.item is None:
            raise CannotAct("There is no item on this row.")
        return row.item

    @on(LineList.Highlighted)
    def _row_highlighted(self) -> None:
        self.draw_status()

    @on(LineList.Chosen)
    def _row_chosen(self, message: LineList.Chosen) -> None:
        message.stop()
        self.run_command("links.open")

    async def open_row(self, _call: CommandContext) -> None:
        """Open the item of the row, or show its web address."""
        link = self._links.chosen().link
        if link is None:
            self.open(self.current().id, ItemDestination.EDITOR)
        else:
            await self.ask(
                ReadingDialog(
                    link.text, [literal(link.url), Content(""), Content(f"{key_of('links.copy')} copies the address.")]
                )
            )

    def copy_row(self, _call: CommandContext) -> None:
        row = self._links.chosen()
        text = row.link.url if row.link is not None else number_of(row.relation.other_id if row.relation else None)
        self.copy(text, f"Copied {text}")

    async def add(self, _call: CommandContext) -> None:
        """Relate the item of the page to others."""
        await add_relation(self, [self.page_item()])

    async def add_web(self, _call: CommandContext) -> None:
        """Ask for an address and its name."""
        self.store.lookups.need_writer()
        kept = StoredLines(self.store, f"link:{self.item_id}")
        url = await self.ask(LineDialog("Web address", "", _fault_of_address, kept=kept))
        if url is None:
            return
        name, named = (
            url.strip().partition("://")[2] or url.strip(),
            StoredLines(self.store, f"link name:{self.item_id}"),
        )
        text = await self.ask(LineDialog("Name of the link", name, kept=named))
        if text is not None:
            link_id = await self.store.link_edits.add(self.item_id, text.strip() or url.strip(), url.strip())
            self._added = link_id * 2 + 1
            self.show_rows()  # the change may have been told before its id was known here
            self.say("Link added. u to undo.")

    async def edit(self, _call: CommandContext) -> None:
        """Change the name and the address of a web link. Raises CannotAct for a relation."""
        self.store.lookups.need_writer()
        link = self._links.chosen().link
        if link is None:
            raise CannotAct(
                f"A relation is removed ({key_of('links.remove')}) and added again ({key_of('links.add')})."
            )
        address, name = (StoredLines(self.store, f"link:{self.item_id}:{link.id}:{part}") for part in ("url", "name"))
        url = await self.ask(LineDialog("Web address", link.url, _fault_of_address, kept=address))
        text = None if url is None else await self.ask(LineDialog("Name of the link", link.text, kept=name))
        if url is not None and text is not None:
            await self.store.link_edits.edit(link.id, {"url": url.strip(), "displayText": text.strip() or url.strip()})

    async def remove_row(self, _call: CommandContext) -> None:
        self.store.lookups.need_writer()
        row = self._links.chosen()
        if row.link is not None:
            await self.store.link_edits.delete([row.link.id])
            self.say("Link removed. u to undo.")
        elif row.relation is not None:
            await self.store.relation_edits.unrelate([row.relation.id])
            self.say(f"{row.label} {number_of(row.relation.other_id)} removed. u to undo.")
