"""Going to an item: its number, or words of its name, of its text or of a comment; those seen last before all."""

from collections.abc import Sequence

from backlit.model.errors import BacklitError
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.search import Hit, Place
from backlit.tui.dialogs.finder import Offer, OffersDialog
from backlit.tui.dialogs.palette import ID_DIGITS, item_offer
from backlit.tui.drawing.theme_styles import status_sign, type_sign
from backlit.tui.shell.workers import work

MOST_NAMES = 30
MOST_HITS = 20
LINES = 16


class GoToDialog(OffersDialog[int | None]):
    """The answer is the id of an item of the project, done ones too; None when it was left."""

    def __init__(self, store: Store, recent: Sequence[int]) -> None:
        self._store = store
        offers = [offer for item_id in recent if (offer := self._offer(item_id))]
        super().__init__(
            "Go to an item", "#id, or words of it", [Offer(None, "", "Seen last"), *offers] if offers else []
        )
        self._found: list[Offer] = []

    def _set_height(self) -> None:
        """Stay at one height, as items come later."""
        self.list.styles.height = max(1, min(LINES, self.app.size.height - 4))

    def narrow(self, query: str) -> None:
        """Show what was seen last and fits at once; the others follow."""
        if not query:
            self._found = []
            self.list.show(self._grouped)
            return
        words = query.casefold()
        self._found = [offer for offer in self._found if words in offer.label.casefold()]
        self._show_found(query, None)
        self.run_worker(work(self._find, query), exclusive=True, group="go-to")

    async def _find(self, query: str) -> None:
        view = self._store.view(ViewSpec(text=query, with_done=True))
        try:
            await view.load()
            hits = [] if query.startswith("#") else await self._store.search.find(query, MOST_HITS)
        except BacklitError:
            return
        if self.is_attached and self.input.value.strip() == query:
            offers = {row.id: item_offer(row) for row in view.rows(0, MOST_NAMES)}
            for hit in hits:
                offer = None if hit.item_id in offers else self._offer(hit.item_id, hit)
                if offer is not None:
                    offers[hit.item_id] = offer
            current = self.list.current
            self._found = list(offers.values())
            self._show_found(query, current.value if current else None)

    def _show_found(self, query: str, value: object) -> None:
        """Of what was found those seen last before the others, then what was seen last and has the letters typed."""
        recent, found = {offer.value for offer in self._offers}, {offer.value for offer in self._found}
        ordered = sorted(self._found, key=lambda offer: offer.value not in recent)
        self.list.show([*ordered, *(offer for offer in self.fitting(query) if offer.value not in found)], value)

    def accept(self) -> None:
        """Answer; an id that was typed out need not have been found yet."""
        number = self.input.value.strip().removeprefix("#")
        is_typed_out = number.isdecimal() and len(number) < ID_DIGITS and self._store.item(int(number)) is not None
        if is_typed_out:
            self.dismiss(int(number))
        else:
            super().accept()

    def _offer(self, item_id: int, hit: Hit | None = None) -> Offer | None:
        """An item by its number, with the text around what was found where that is not its name."""
        item = self._store.item(item_id)
        if item is None:
            return None
        status = str(item.fields.get("Status") or "")
        label = f"{type_sign(item.type)} {item.fields.get('Name') or ''}  {status_sign(status)} {status}"
        about = f"  “{hit.snippet}”" if hit is not None and hit.place is not Place.NAME else ""
        return Offer(item.id, f"#{item.id}" if item.id > 0 else "new", f"{label}{about}")
