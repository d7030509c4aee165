"""Lists, one item, the inbox and the outbox, line by line."""

from backlit.cli.linear.console import LineKind
from backlit.cli.linear.session import LinearSession
from backlit.cli.linear.words import number_of
from backlit.cli.selection import number_in
from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, sentence_of
from backlit.store.records.entry import ON_NODES, EntryState, OutboxEntry
from backlit.store.records.item import Item
from backlit.store.views.query import ViewSpec

_ALL = "all"


class LinearReading:
    """What is listed and read, and the two boxes."""

    def __init__(self, session: LinearSession) -> None:
        self._session = session

    def list_items(self) -> None:
        """Ask for a query and say its items, or for a number and say the item; go on until the user goes back."""
        session = self._session
        while True:
            text = session.answer(
                LineKind.QUESTION, "Which items? A number, a query such as @me or type:bug, or all. b back."
            )
            item_id = number_in(text)
            try:
                item = session.store.item(item_id) if item_id is not None else None
                if item is not None:
                    self._read(item)
                else:
                    self._list("" if text.casefold() == _ALL else text)
            except BacklitError as error:
                session.error(sentence_of(error))

    def _list(self, query: str) -> None:
        session, store = self._session, self._session.store
        view = store.view(ViewSpec(with_done=not query, query=query))
        if view.query.has_words:
            session.run(store.search.read_all())
        session.run(view.load())
        rows = view.rows(0, view.count or 0)
        session.console.say(LineKind.LIST, f"{counted(len(rows), 'item')}.")
        session.read_out(LineKind.LIST, "\n".join(map(session.words.row, rows)))

    def _read(self, item: Item) -> None:
        session = self._session
        session.console.say(LineKind.ITEM, session.words.item(item))
        session.console.say(LineKind.FIELD, session.words.fields(item, session.fields_of(item.type)))
        session.read_out(LineKind.FIELD, "\n".join(session.words.related(item)))
        session.read_out(LineKind.TEXT, str(item.fields.get("Description") or ""))
        for comment in session.store.comments.of_item(item.id):
            session.read_out(LineKind.COMMENT, f"{comment.author}: {comment.text}")

    def read_inbox(self) -> None:
        session, inbox = self._session, self._session.store.inbox
        ids = inbox.ids()
        session.console.say(LineKind.INBOX, f"{counted(len(ids), 'item')} changed since you saw it.")
        for item_id in ids:
            news = inbox.news(item_id)
            if news is None:
                continue
            session.console.say(LineKind.INBOX, f"{session.news_words(news)}.")
        if ids and session.chosen(LineKind.INBOX, "", {"1": "mark as seen", "2": "keep"}) == "1":
            session.run(inbox.seen(ids))
            session.console.say(LineKind.SAVED, "all of the list is marked as seen.")

    def read_outbox(self) -> None:
        """Say what the server does not have yet, and ask for what it needs a decision on."""
        session = self._session
        entries = session.store.outbox_entries()
        session.console.say(LineKind.OUTBOX, f"{counted(len(entries), 'change')} not sent.")
        for entry in entries:
            session.console.say(LineKind.OUTBOX, f"{self._of(entry)}, {entry.kind.value}, {self._state(entry)}.")
        for entry in entries:
            if entry.state is EntryState.CONFLICT:
                session.decide(entry)

    def _of(self, entry: OutboxEntry) -> str:
        return str(entry.payload.get("name") or "") if entry.kind in ON_NODES else number_of(entry.item_id)

    def _state(self, entry: OutboxEntry) -> str:
        return f"{entry.state.value}: {entry.reason}".rstrip(".") if entry.reason else entry.state.value
