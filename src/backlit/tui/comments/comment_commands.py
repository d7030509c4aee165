"""Commands on the comments of an item: write, quote, correct, copy, delete, read."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from backlit.model.errors import BacklitError, sentence_of
from backlit.store.records.item import Item
from backlit.store.views.items import AttachmentEntry, CommentEntry
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.compose import Comment
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.items.item_commands import write_comment
from backlit.tui.shell.target import ItemPlace, StoreTarget

QUOTED = 120
"""Characters of a comment that a question about it repeats."""


class CommentTarget(StoreTarget, Protocol):
    """The comments of one item, and a cursor on one of them."""

    item_id: int

    def current(self) -> Item:
        """Return the item; raises CannotAct for one that is gone."""

    def current_comment(self) -> CommentEntry:
        """Return the comment under the cursor; raises CannotAct without one."""

    def files(self) -> Mapping[int, Sequence[AttachmentEntry]]:
        """Return the files of the comments, by the comment's id."""

    def read_again(self) -> None:
        """Begin to read the item again, and all that is new; keys are answered meanwhile."""

    def dismiss(self, result: None = None) -> object:
        """Close the comments."""


# Writing


async def add(target: CommentTarget, _call: Call) -> None:
    """Write a comment; a draft keeps the text until it is journalled."""
    await _write(target, "")


async def add_from_editor(target: CommentTarget, _call: Call) -> None:
    """Write an internal comment in the user's own editor, beginning with the draft."""
    target.current()
    key = _draft_key(target)
    kept = str((target.store.drafts.find(key) or {}).get("text") or "")
    text = target.edit_outside(kept, ".md")
    if not text.strip() or text == kept:
        target.say("Nothing was changed; the draft is still there." if kept else "Nothing was written.")
        return
    await target.store.drafts.save(key, {"text": text})  # on the disk first, then journalled
    try:
        await target.store.items.comment(target.item_id, text.strip())
    except BacklitError as error:
        raise CannotAct(f"{sentence_of(error)} Your text is kept.") from error
    await target.store.drafts.discard(key)


async def quote(target: CommentTarget, _call: Call) -> None:
    """Write a comment that begins with the one under the cursor; a draft goes on with it."""
    comment = target.current_comment()
    quoted = "\n".join(f"> {line}".rstrip() for line in comment.text.strip().splitlines()) + "\n\n"
    kept = target.store.drafts.find(_draft_key(target)) or {}
    text = kept.get("text")
    if isinstance(text, str) and text.strip():
        await target.store.drafts.save(_draft_key(target), {**kept, "text": f"{text.rstrip()}\n\n{quoted}"})
        quoted = ""
    await _write(target, quoted)


async def _write(target: CommentTarget, text: str) -> None:
    item = target.current()
    title = f"Comment on {item.fields.get('Name') or item.id}"
    await write_comment(target, target.item_id, _draft_key(target), title, Comment(text, for_customers=False))


def _draft_key(target: CommentTarget) -> str:
    return f"comment:{target.item_id}"


# Correcting and deleting


async def correct(target: CommentTarget, _call: Call) -> None:
    """Say that comments cannot be changed, and offer to post a corrected copy."""
    comment = target.current_comment()
    answers = [Answer("c", "write a corrected copy")]
    sentence = "The interface has no way to change a comment. A corrected copy is a new one, at the end."
    if target.store.deletions.is_own(comment.author):
        answers.append(Answer("d", "the same, and delete this one when it is sent off"))
        sentence += f" Deleting this one loses its time and its place{_files_lost(target, comment)} for good."
    key = await target.ask(ConfirmDialog("Correct the comment", sentence, answers, "cancel"))
    if key is None:
        return
    target.current()
    begun = Comment(comment.text, for_customers=not comment.is_internal)
    is_sent = await write_comment(target, target.item_id, f"correct:{comment.id}", "Corrected copy", begun)
    if is_sent and key == "d":
        await target.store.deletions.delete_comment(comment.id)


async def delete(target: CommentTarget, _call: Call) -> None:
    """Delete the comment under the cursor after a question; raises CannotAct for somebody else's."""
    comment = target.current_comment()
    if not target.store.deletions.is_own(comment.author):
        raise CannotAct(f"{comment.author} wrote it; only your own comments can be deleted here.")
    text = " ".join(comment.text.split())
    quoted = text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"
    files = _files_lost(target, comment).removeprefix(" and")
    sentence = f"“{quoted}” is deleted for everybody; u writes it again{f', without{files}' if files else ''}."
    if await target.ask(ConfirmDialog("Delete the comment", sentence, [Answer("y", "delete it")])) == "y":
        await target.store.deletions.delete_comment(comment.id)


def _files_lost(target: CommentTarget, comment: CommentEntry) -> str:
    count = len(target.files().get(comment.id, ()))
    return f" and its {count:,} file{'' if count == 1 else 's'}" if count else ""


# Reading


def copy(target: CommentTarget, _call: Call) -> None:
    """Copy the text of the comment under the cursor."""
    text = target.current_comment().text
    target.copy(text)
    target.say(f"Copied the comment: {' '.join(text.split())[:60]}")


def open_files(target: CommentTarget, _call: Call) -> None:
    """Go to the files of the comment under the cursor."""
    comment = target.current_comment()
    if comment.id < 0:
        raise CannotAct("The server does not have this comment yet. Attach files once it is sent.")
    target.open(target.item_id, ItemPlace.ATTACHMENTS, comment.id)


def refresh(target: CommentTarget, _call: Call) -> None:
    """Read the item again, and all that is new."""
    target.read_again()


def back(target: CommentTarget, _call: Call) -> None:
    """Go back to the place before."""
    target.dismiss(None)
