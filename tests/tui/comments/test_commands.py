"""Commands on comments against a target without a screen: drafts, quotes, corrected copies, deletions, refusals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, put_nouns, state_project
from tests.tui.target import FakeScreen, run, words_of
from textual.screen import Screen

from backlit.model.errors import BacklitError
from backlit.store import EntryKind, Store
from backlit.store.views.items import AttachmentEntry, CommentEntry
from backlit.tui.commands.command import CannotAct
from backlit.tui.comments.screen import CommentsScreen
from backlit.tui.dialogs.compose import CommentDialog, ComposedComment
from backlit.tui.shell.target import ItemDestination

KEY = "comment:1"


class FakeComments(FakeScreen):
    """A thread of one item with the cursor on a comment."""

    stands_for = CommentsScreen

    item_id = 1

    def __init__(
        self, store: Store, comment: CommentEntry | None, answers: Sequence[object] = (), files: int = 0
    ) -> None:
        super().__init__(store, [1], answers)
        self.comment = comment
        self.count = files

    def files(self) -> Mapping[int, Sequence[AttachmentEntry]]:
        entry = AttachmentEntry(1, 1, 5, "plan.pdf", "", 2048, "zoe", None, is_internal=True)
        return {self.comment.id: [entry] * self.count} if self.comment else {}

    def current_comment(self) -> CommentEntry:
        if self.comment is None:
            raise CannotAct("Nothing selected.")
        return self.comment


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with offline_store(tmp_path, [item(1, Name="Pay by card"), item(2, Name="")]) as store:
        put_nouns(store, user=[{"id": 3, "name": "zoe"}])
        yield store


def comment(number: int, text: str, author: str = "zoe", *, is_internal: bool = True) -> CommentEntry:
    return CommentEntry(number, 1, text, author, None, is_internal=is_internal, pending=False)


def begun(given: list[tuple[str, ComposedComment, bool]], answer: object = None) -> Callable[[Screen[object]], object]:
    """Record what a comment begins with."""

    def reply(dialog: Screen[object]) -> object:
        assert isinstance(dialog, CommentDialog)
        given.append((str(dialog.frame.border_title), dialog.answer(), dialog.for_customers))
        return answer

    return reply


async def test_comments_begin_with_a_quote_or_go_on_with_the_draft(store: Store) -> None:
    given: list[tuple[str, ComposedComment, bool]] = []
    first = comment(5, "  One\n\nTwo  \n")

    await run(FakeComments(store, None, [begun(given)]), "comments.add")
    await run(FakeComments(store, first, [begun(given)]), "comments.quote")
    await store.drafts.save(KEY, {"text": " \n"})
    await run(FakeComments(store, first, [begun(given)]), "comments.quote")
    await store.drafts.save(KEY, {"text": "Half\n", "type": "Feedback"})
    await run(
        FakeComments(store, first, [begun(given, ComposedComment(" Whole ", for_customers=False))]), "comments.quote"
    )

    quoted = "> One\n>\n> Two\n\n"
    title = "Comment on Pay by card"
    assert given == [
        (title, ComposedComment("", for_customers=False), False),
        (title, ComposedComment(quoted, for_customers=False), False),
        (title, ComposedComment(quoted, for_customers=False), False),
        (title, ComposedComment(f"Half\n\n{quoted}", for_customers=True), True),
    ]
    assert [(each.kind, each.item_id, each.payload) for each in store.outbox_entries()] == [
        (EntryKind.COMMENT, 1, {"text": "Whole"})
    ]
    assert store.drafts.find(KEY) is None


OWN = "Deleting this one loses its time and its place"


@pytest.mark.parametrize(
    ("author", "files", "sentence"),
    [
        ("maya", 2, " c write a corrected copy esc cancel"),
        ("zoe", 0, f" {OWN} for good. c write a corrected copy d the same, and delete this one"),
        ("zoe", 2, f" {OWN} and its 2 files for good. c write a corrected copy d the same, and delete this one"),
    ],
)
async def test_a_correction_offers_to_delete_an_own_comment_only(
    store: Store, author: str, files: int, sentence: str
) -> None:
    target = FakeComments(store, comment(5, "Goood", author), [None], files)
    await run(target, "comments.correct")

    (words,) = (" ".join(words_of(each).split()) for each in target.asked)
    assert f"A corrected copy is a new one, at the end.{sentence}" in words


@pytest.mark.parametrize(
    ("key", "answer", "texts"),
    [
        ("c", ComposedComment("Good", for_customers=False), ["Goood", "Good"]),
        ("d", ComposedComment("Good", for_customers=False), ["Good"]),
        ("d", None, ["Goood"]),
    ],
)
async def test_a_corrected_copy_deletes_the_old_comment_only_where_it_is_sent(
    store: Store, key: str, answer: ComposedComment | None, texts: list[str]
) -> None:
    await store.items.comment(1, "Goood")
    given: list[tuple[str, ComposedComment, bool]] = []
    target = FakeComments(store, store.comments.of_item(1)[-1], [key, begun(given, answer)])

    await run(target, "comments.correct")

    assert given == [("Corrected copy", ComposedComment("Goood", for_customers=False), False)]
    assert [each.text for each in store.comments.of_item(1)] == texts


async def test_a_correction_begins_with_the_readers_of_the_comment(store: Store) -> None:
    given: list[tuple[str, ComposedComment, bool]] = []
    await run(FakeComments(store, comment(5, "Hi", is_internal=False), ["c", begun(given)]), "comments.correct")

    assert given == [("Corrected copy", ComposedComment("Hi", for_customers=True), True)]


@pytest.mark.parametrize(("answer", "count"), [("y", 0), (None, 1)])
async def test_a_comment_is_deleted_after_a_question_that_quotes_it(store: Store, answer: object, count: int) -> None:
    await store.items.comment(1, "a \n b")
    target = FakeComments(store, store.comments.of_item(1)[-1], [answer], files=1)

    await run(target, "comments.delete")

    words = " ".join(words_of(target.asked[0]).split())
    assert "“a b” is deleted for everybody; u writes it again, without its 1 file. y delete it" in words
    assert len(store.outbox_entries()) == count
    with pytest.raises(CannotAct, match="maya wrote it; only your own"):
        await run(FakeComments(store, comment(5, "a", "maya"), ["y"]), "comments.delete")


@pytest.mark.parametrize(("length", "shown"), [(120, "x" * 120), (121, "x" * 119 + "…")])
async def test_a_long_comment_is_quoted_in_part(store: Store, length: int, shown: str) -> None:
    target = FakeComments(store, comment(5, "x" * length), [None])
    await run(target, "comments.delete")

    assert f"“{shown}” is deleted for everybody; u writes it again." in words_of(target.asked[0])


async def test_a_comment_of_the_own_editor_begins_with_the_draft_and_replaces_it(store: Store) -> None:
    given: list[tuple[str, str]] = []

    async def written(text: str) -> FakeComments:
        def edit(begun: str, suffix: str) -> str:
            given.append((begun, suffix))
            return text

        target = FakeComments(store, None, [edit])
        await run(target, "comments.external")
        return target

    assert (await written(" \n")).said == ["Nothing was written."]
    await store.drafts.save(KEY, {"text": "Half"})
    for text in ("Half", ""):
        assert (await written(text)).said == ["Nothing was changed; the draft is still there."]
        assert store.drafts.find(KEY) == {"text": "Half"}
    assert store.outbox_entries() == ()
    assert (await written(" Done \n")).said == []

    assert given == [("", ".md"), *[("Half", ".md")] * 3]
    assert [each.payload for each in store.outbox_entries()] == [{"text": "Done"}]
    assert store.drafts.find(KEY) is None


async def test_a_comment_that_is_refused_leaves_the_text_of_the_own_editor_as_the_draft(store: Store) -> None:
    def lose(_text: str, _suffix: str) -> str:
        store.files.submit(lambda writer: writer.mirror.remove_items([1])).result()
        return "Whole"

    with pytest.raises(CannotAct, match="Your text is kept"):
        await run(FakeComments(store, None, [lose]), "comments.external")

    assert store.drafts.find(KEY) == {"text": "Whole"}
    assert store.outbox_entries() == ()


async def test_nothing_is_written_or_corrected_on_an_item_that_vanished(store: Store) -> None:
    def lose(_dialog: object = None) -> str:
        store.files.submit(lambda writer: writer.mirror.remove_items([1])).result()
        return "c"

    correcting = FakeComments(store, comment(5, "Hi"), [lose])
    with pytest.raises(CannotAct, match="no item"):
        await run(correcting, "comments.correct")
    outside = FakeComments(store, None)
    with pytest.raises(CannotAct, match="no item"):
        await run(outside, "comments.external")

    assert len(correcting.asked) == 1
    assert store.drafts.find(KEY) is None


async def test_a_comment_is_copied_and_its_files_are_opened_once_it_is_sent(store: Store) -> None:
    target = FakeComments(store, comment(5, "a \n" + "b" * 70), files=1)
    await run(target, "comments.copy")
    await run(target, "comments.files")

    assert target.copied == ["a \n" + "b" * 70]
    assert target.said == ["Copied the comment: a " + "b" * 58]
    assert target.opened == [(1, ItemDestination.ATTACHMENTS, 5)]
    with pytest.raises(CannotAct, match="does not have this comment yet"):
        await run(FakeComments(store, comment(-5, "a")), "comments.files")


async def test_a_reader_writes_corrects_and_deletes_nothing(store: Store) -> None:
    state_project(store, role="reader")
    for name in ("add", "external", "quote", "correct", "delete"):
        with pytest.raises(BacklitError):
            await run(FakeComments(store, comment(5, "a")), f"comments.{name}")

    assert store.outbox_entries() == ()
