"""What is done with an item's comments: write, quote, correct, copy, delete, go to their files (KEYMAP, "Comments")."""

from collections.abc import Mapping, Sequence

from backlit.model.errors import BacklitError
from backlit.store.attachments import AttachmentEntry
from backlit.store.store import CommentEntry, Store
from backlit.tui.acting import CannotAct
from backlit.tui.external_editor import edit_text
from backlit.tui.item_verbs import ItemVerbs
from backlit.tui.work import work

QUOTED = 120
"""Characters of a comment that a question about it repeats."""


class CommentVerbs(ItemVerbs):
    """A screen of one item's comments; subclasses say which of them is the current one."""

    def __init__(self, store: Store, item_id: int) -> None:
        super().__init__(store)
        self._item_id = item_id

    def current_comment(self) -> CommentEntry:
        """The comment the verbs act on; raises CannotAct where there is none."""
        raise NotImplementedError

    def files(self) -> Mapping[int, Sequence[AttachmentEntry]]:
        """The files of the comments, by the comment's id."""
        found: dict[int, list[AttachmentEntry]] = {}
        for each in self.store.attachments.of_item(self._item_id):
            if each.comment_id is not None:
                found.setdefault(each.comment_id, []).append(each)
        return found

    # Writing

    def do_comments_add(self, _count: int | None) -> None:
        """Write a comment; what is typed is kept as a draft until it is journalled."""
        self._open_letter("")

    def do_comments_external(self, _count: int | None) -> None:
        """Write a comment in $EDITOR, going on with what was kept; it is internal."""
        if self.store.item(self._item_id) is None:
            raise CannotAct("The item is not here any more, so it cannot be commented on.")
        kept = str((self.store.draft(self._draft) or {}).get("text") or "")
        text = edit_text(self.app, kept, ".md")
        if not text.strip() or text == kept:
            self.say("Nothing was written." if not kept else "Nothing was changed; what was kept is still there.")
            return
        self.run_worker(work(self._add_from_editor, text), group="writes")

    async def _add_from_editor(self, text: str) -> None:
        """Keep it on the disk first, then journal it."""
        await self.store.save_draft(self._draft, {"text": text})
        await self._add_comment(text.strip(), self._draft, for_customers=False)

    def do_comments_quote(self, _count: int | None) -> None:
        """Write a comment that begins with the one under the cursor, or goes on with it after what was kept."""
        comment = self.current_comment()
        quoted = "\n".join(f"> {line}".rstrip() for line in comment.text.strip().splitlines()) + "\n\n"
        kept = self.store.draft(self._draft) or {}
        text = kept.get("text")
        if isinstance(text, str) and text.strip():
            content = {**kept, "text": f"{text.rstrip()}\n\n{quoted}"}
            self.run_worker(work(self._quote_after, content), group="writes")
        else:
            self._open_letter(quoted)

    async def _quote_after(self, content: Mapping[str, object]) -> None:
        await self.store.save_draft(self._draft, content)
        self._open_letter("")

    @property
    def _draft(self) -> str:
        return f"comment:{self._item_id}"

    def _open_letter(self, text: str, corrected: CommentEntry | None = None, *, is_old_deleted: bool = False) -> None:
        from backlit.tui.dialogs.letter import LetterDialog

        item = self.store.item(self._item_id)
        if item is None:
            raise CannotAct("The item is not here any more, so it cannot be commented on.")
        draft = f"correct:{corrected.id}" if corrected else self._draft
        title = "Corrected copy" if corrected else f"Comment on {item.fields.get('Name') or item.id}"
        for_customers = corrected is not None and not corrected.is_internal
        dialog = LetterDialog(self.store, draft, title, text, for_customers=for_customers)
        old_id = corrected.id if corrected and is_old_deleted else None

        def written(answer: str | None) -> None:
            if answer and answer.strip():
                self.run_worker(
                    work(self._add_comment, answer.strip(), draft, for_customers=dialog.for_customers, old_id=old_id),
                    group="writes",
                )
            elif dialog.area.text.strip() not in {"", text.strip()}:
                self.say("What you wrote is kept; a goes on with it.")

        self.app.push_screen(dialog, written)

    async def _add_comment(self, text: str, draft: str, *, for_customers: bool, old_id: int | None = None) -> None:
        try:
            await self.store.comment(self._item_id, text, for_customers=for_customers)
        except BacklitError as error:
            self.say(f"{error} What you wrote is kept.", is_bad=True)
            return
        await self.store.discard_draft(draft)
        if old_id is not None:
            await self._delete_comment(old_id)

    # Correcting and deleting

    def do_comments_correct(self, _count: int | None) -> None:
        """Say that comments cannot be changed, and offer to post a corrected copy."""
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        comment = self.current_comment()
        answers = [Answer("c", "write a corrected copy")]
        sentence = "The interface has no way to change a comment. A corrected copy is a new one, at the end."
        if self.store.deletions.is_own(comment.author):
            answers.append(Answer("d", "the same, and delete this one when it is sent off"))
            sentence += f" Deleting this one loses its time and its place{self._files_lost(comment)} for good."

        def answered(key: str | None) -> None:
            if key is not None:
                self._open_letter(comment.text, comment, is_old_deleted=key == "d")

        self.app.push_screen(ConfirmDialog("Correct the comment", sentence, answers, "leave it as it is"), answered)

    def _files_lost(self, comment: CommentEntry) -> str:
        count = len(self.files().get(comment.id, ()))
        return f" and its {count:,} file{'' if count == 1 else 's'}" if count else ""

    def do_comments_delete(self, _count: int | None) -> None:
        """Delete the comment under the cursor, if it is one's own, after a question."""
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        comment = self.current_comment()
        if not self.store.deletions.is_own(comment.author):
            raise CannotAct(f"{comment.author} wrote it; only your own comments can be deleted here.")

        def answered(key: str | None) -> None:
            if key == "y":
                self.run_worker(work(self._delete_comment, comment.id), group="writes")

        text = " ".join(comment.text.split())
        quoted = text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"
        sentence = f"“{quoted}” is deleted for everybody; u writes it again"
        sentence += f", without{self._files_lost(comment)[4:]}." if self._files_lost(comment) else "."
        self.app.push_screen(ConfirmDialog("Delete the comment", sentence, [Answer("y", "delete it")]), answered)

    async def _delete_comment(self, comment_id: int) -> None:
        try:
            await self.store.deletions.delete_comment(comment_id)
        except BacklitError as error:
            self.say(str(error), is_bad=True)

    # Reading

    def do_comments_copy(self, _count: int | None) -> None:
        """Copy the text of the comment under the cursor."""
        text = self.current_comment().text
        self.app.copy_to_clipboard(text)
        self.say(f"Copied the comment: {' '.join(text.split())[:60]}")

    def do_comments_files(self, _count: int | None) -> None:
        """Go to the files of the comment under the cursor."""
        from backlit.tui.screens.attachments import AttachmentsScreen

        comment = self.current_comment()
        if comment.id < 0:
            raise CannotAct("The comment has not been sent yet; it can have files when the service has it.")
        self.app.push_screen(AttachmentsScreen(self.store, self._item_id, comment.id))
