"""Full text: what is found, where, and with which words around it."""

from pathlib import Path

from tests.store.documents import item, offline_store, put

from backlit.store import ViewSpec
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.views.search import MatchField, SearchHit, snippet


async def test_names_come_before_descriptions_and_comments_with_the_words_around(tmp_path: Path) -> None:
    documents = [
        item(1, Name="Nothing", Description="Before the\nrefund is sent, " + "wait " * 40),
        item(2, Name="Refunds of cards"),
        item(3, Name="Refund", project=2),
    ]
    with offline_store(tmp_path, documents) as store:
        await store.items.comment(1, "No Refunding here")

        first, second, third = await store.search.find("refund")

        assert first == SearchHit(2, MatchField.NAME, "Refunds of cards")
        assert (second.item_id, second.place) == (1, MatchField.DESCRIPTION)
        assert second.snippet.startswith("Before the refund is sent, wait")
        assert second.snippet.endswith("…")
        assert (third.item_id, third.place, third.snippet) == (1, MatchField.COMMENT, "No Refunding here")
        assert third.comment_id is not None


async def test_all_words_have_to_be_there_and_signs_mean_nothing(tmp_path: Path) -> None:
    with offline_store(
        tmp_path, [item(1, Name="Café crème"), item(2, Name="Cafe noir"), item(3, Name="中文界面")]
    ) as store:
        assert [hit.item_id for hit in await store.search.find("CAFE cre")] == [1]
        assert [hit.item_id for hit in await store.search.find('"cafe" OR noir*')] == []
        assert [hit.item_id for hit in await store.search.find("文界")] == [3]
        assert await store.search.find(' "*()- ') == []


def test_a_snippet_without_the_word_begins_at_the_beginning() -> None:
    assert snippet("a" * 200, ["x"]) == "a" * 90 + "…"


def test_a_snippet_shows_the_longest_word_near_its_beginning() -> None:
    text = f"Of what was offered{' and so on' * 20}, the meaning of reserved is not clear"

    shown = snippet(text, ["meaning", "of", "reserved"])

    assert shown.index("reserved") < 30
    assert shown.endswith("is not clear")


async def test_a_list_of_words_knows_what_it_lacks_and_is_told_when_it_lacks_nothing(tmp_path: Path) -> None:
    changes: list[StoreChange] = []
    with offline_store(tmp_path) as store, store.files.indexing.held():
        put(store, [item(number, Description="About refunds") for number in range(1, 101)])
        view, names = store.view(ViewSpec(query="text:refund")), store.view(ViewSpec(query="item"))
        assert (store.search.unread(view), store.search.unread(names)) == (100, 0)

        store.subscribe(changes.append)
        await store.search.read_all()

        assert store.search.unread(view) == 0
        assert [each.kind for each in changes] == [Subject.ITEMS]


def test_a_word_within_a_long_run_of_signs_is_shown() -> None:
    assert "needle" in snippet(f"{'x' * 200}_needle and more", ["needle"])
