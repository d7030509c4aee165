"""Going to an item in a list, also where the list does not show it at present."""

from backlit.model.errors import BacklitError
from backlit.store.rows import Item
from backlit.store.views_query import ViewSpec
from backlit.tui.filter_chords import FilterChords
from backlit.tui.filter_words import filter_words
from backlit.tui.work import work


class ItemFinding(FilterChords):
    """A list in which items are gone to; subclasses say how everything is shown again."""

    def go_to_item(self, item_id: int, *, is_offered: bool = True) -> None:
        """Put the cursor on an item; where it is hidden say by what, and offer to show it."""
        self.run_worker(work(self._go_to_item, item_id, is_offered=is_offered), exclusive=True, group="go-to")

    def show_all(self, item_id: int, *, with_done: bool) -> None:
        """Clear every filter and fold, with the cursor on an item; `with_done` shows what is done too."""
        raise NotImplementedError

    async def loaded(self) -> None:
        """Return when all ids of the list are known."""
        raise NotImplementedError

    async def _go_to_item(self, item_id: int, *, is_offered: bool) -> None:
        try:
            await self.loaded()
        except BacklitError as error:
            self.say(str(error), is_bad=True)
            return
        if not self.is_attached or self.items.go_to(item_id):
            return
        item = self.store.item(item_id)
        if item is None:
            self.say(f"There is no item #{item_id} any more.", is_bad=True)
            return
        if item.id != item_id and self.items.go_to(item.id):
            return
        try:
            usual = self.store.view(ViewSpec(text=f"#{item.id}" if item.id > 0 else str(item.fields.get("Name") or "")))
            await usual.load()
        except BacklitError as error:
            self.say(str(error), is_bad=True)
            return
        sentence = self._hidden(item, is_open=bool(usual.count))
        if is_offered:
            self._offer_hidden(item, sentence, with_done=not usual.count)
        else:
            self.say(f"{sentence} # goes to it.")

    def _hidden(self, item: Item, *, is_open: bool) -> str:
        spec = self.spec
        name = f"{f'#{item.id} ' if item.id > 0 else ''}“{item.fields.get('Name') or ''}”"
        if item.project_id != self.store.project_id:
            return f"{name} is in another project."
        reasons = filter_words(spec.query) + ([f"/{spec.text}"] if spec.text else [])
        reasons += ["the tree's node"] if spec.area_ids is not None or spec.iteration_ids is not None else []
        reasons += [] if is_open or spec.with_done else ["only what is open"]
        return f"{name} is hidden; the list shows {', '.join(reasons)}."

    def _offer_hidden(self, item: Item, sentence: str, *, with_done: bool) -> None:
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
        from backlit.tui.screens.editor import EditorScreen

        def answered(key: str | None) -> None:
            if key == "c":
                self.show_all(item.id, with_done=with_done)
            elif key == "e":
                self.app.push_screen(EditorScreen(self.store, item.id))

        is_here = item.project_id == self.store.project_id
        clear = [Answer("c", "clear the filters and go there")] if is_here else []
        answers = [*clear, Answer("e", "open it in the editor")]
        self.app.push_screen(ConfirmDialog("Hidden item", sentence, answers, "stay here"), answered)
