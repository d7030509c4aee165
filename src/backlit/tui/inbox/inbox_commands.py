"""Commands of the inbox: open an item, show its changes, mark it as read, show the latest comments."""

from typing import Protocol

from backlit.store.inbox import FieldNews, ItemNews
from backlit.store.journal.inbox import NewsKind
from backlit.store.store import Store
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.dialogs.difference import Difference, DifferenceDialog
from backlit.tui.fields.labels import label_of, words_of
from backlit.tui.inbox.change_text import is_long
from backlit.tui.shell.target import ItemPlace, StoreTarget


class InboxTarget(StoreTarget, Protocol):
    """The screen of the inbox."""

    @property
    def shows_feed(self) -> bool:
        """Whether the latest comments are shown, and not the items with news."""

    def current_id(self) -> int:
        """Return the item of the current row; raises CannotAct without a row."""

    def show_feed(self, *, is_shown: bool) -> None:
        """Show the latest comments, or the items with news."""

    def close(self) -> None:
        """Go back to the place where the inbox was opened."""


def open_item(target: InboxTarget, _call: Call) -> None:
    """Open the item, or its comments where only they are new."""
    item_id = target.current_id()
    if target.store.item(item_id) is None:
        raise CannotAct("The item is no longer here; space takes it off the list.")
    news = None if target.shows_feed else target.store.inbox.news(item_id)
    has_comments_only = news is None or (news.kind is NewsKind.CHANGED and not news.fields)
    target.open(item_id, ItemPlace.COMMENTS if has_comments_only else ItemPlace.EDITOR)


def open_comments(target: InboxTarget, _call: Call) -> None:
    """Go to the comments of the item."""
    target.open(target.current_id(), ItemPlace.COMMENTS)


async def show_changes(target: InboxTarget, _call: Call) -> None:
    """Show every field that changed, line by line."""
    news = _current_news(target)
    if not news.fields:
        raise CannotAct("No field of it was changed.")
    found = [Difference(label_of(each.key), *_texts(target.store, each)) for each in news.fields]
    await target.ask(DifferenceDialog(news.name, found))


async def mark_read(target: InboxTarget, _call: Call) -> None:
    """Take the item off the list; the next one moves up."""
    await target.store.inbox.seen([_current_news(target).item_id])


async def mark_all_read(target: InboxTarget, _call: Call) -> None:
    """Take every item off the list, after a question where there are several."""
    unread = target.store.inbox.unread()
    key: str | None = "y"
    if unread > 1:
        answers = [Answer("y", "mark them as read"), Answer("e", "and those of every other project")]
        sentence = f"{unread:,} items have news. They are then as if you had looked at all of them."
        key = await target.ask(ConfirmDialog("Mark as read", sentence, answers, "leave them"))
    if key is not None:
        await target.store.inbox.all_seen(everywhere=key == "e")


def turn_feed(target: InboxTarget, _call: Call) -> None:
    """Show the latest comments of the project, or the items with news again."""
    target.show_feed(is_shown=not target.shows_feed)


def go_back(target: InboxTarget, _call: Call) -> None:
    """Go back from the comments to the items with news, else to the place where the inbox was opened."""
    if target.shows_feed:
        target.show_feed(is_shown=False)
    else:
        target.close()


def _current_news(target: InboxTarget) -> ItemNews:
    news = target.store.inbox.news(target.current_id())
    if news is None:
        raise CannotAct("There is nothing new of it.")
    return news


def _texts(store: Store, field: FieldNews) -> tuple[str, str]:
    """Return the values of a field before and after its change."""
    if is_long(field):
        return str(field.before or ""), str(field.after or "")
    return words_of(store, field.key, field.before), words_of(store, field.key, field.after)
