"""The verbs that act on a whole work item: open, add, comment, repeat (KEYMAP, rule e)."""

from backlit.model.errors import BacklitError
from backlit.tui.acting import CannotAct
from backlit.tui.add_verbs import AddVerbs
from backlit.tui.copy_verbs import CopyVerbs
from backlit.tui.delete_verb import DeleteVerb
from backlit.tui.field_verbs import FieldVerbs
from backlit.tui.log_verbs import LogVerbs
from backlit.tui.rank_verbs import RankVerbs
from backlit.tui.settling import settle_item
from backlit.tui.state_verbs import StateVerbs
from backlit.tui.text_verb import TextVerb
from backlit.tui.work import work


class ItemVerbs(FieldVerbs, StateVerbs, CopyVerbs, DeleteVerb, AddVerbs, TextVerb, RankVerbs, LogVerbs):
    """All the verbs; subclasses also say what a new item takes over, and what to do with it."""

    def do_item_open(self, _count: int | None) -> None:
        """Open the editor."""
        from backlit.tui.screens.editor import EditorScreen

        self.app.push_screen(EditorScreen(self.store, self.current_item().id))

    def do_item_comment(self, _count: int | None) -> None:
        """Write a comment; what is typed is kept as a draft until it is sent."""
        from backlit.tui.dialogs.letter import LetterDialog

        item = self.current_item()

        def written(text: str | None) -> None:
            if text and text.strip():
                comment = work(self._comment, item.id, text, for_customers=dialog.for_customers)
                self.run_worker(comment, group="writes")

        dialog = LetterDialog(self.store, f"comment:{item.id}", f"Comment on {item.fields.get('Name') or item.id}")
        self.app.push_screen(dialog, written)

    def do_item_comments(self, _count: int | None) -> None:
        """Go to the comments."""
        from backlit.tui.screens.comments import CommentsScreen

        self.app.push_screen(CommentsScreen(self.store, self.current_item().id))

    def do_item_attachments(self, _count: int | None) -> None:
        """Go to the attached files."""
        from backlit.tui.screens.attachments import AttachmentsScreen

        self.app.push_screen(AttachmentsScreen(self.store, self.current_item().id))

    def do_item_repeat(self, count: int | None) -> None:
        """Do the last change again, here or on the marked items; with a count on so many rows."""
        act = self.chord_app.last_act
        if act is None:
            raise CannotAct("Nothing has been changed yet that could be repeated.")
        self.carry_out(act, self.store.batch.items(self.ids_from_here(count)) if count else self.chosen())

    def do_item_conflict(self, _count: int | None) -> None:
        """Settle what the service did not take of the item."""
        settle_item(self, self.current_item().id)

    async def _comment(self, item_id: int, text: str, *, for_customers: bool) -> None:
        try:
            await self.store.comment(item_id, text, for_customers=for_customers)
        except BacklitError as error:
            self.say(str(error), is_bad=True)
            return
        await self.store.discard_draft(f"comment:{item_id}")
