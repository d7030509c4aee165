"""Editing as text and copying against a target without an application."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, put
from tests.store.views.forest import forest
from tests.tui.target import FakeTarget, run, words_of

from backlit.store import Store
from backlit.store.records.item import Item
from backlit.tui.commands.command import CannotAct
from backlit.tui.fields.values import ScreenFieldWords, TextFault, TextReading
from backlit.tui.items.as_text import read_table, table_of

Edit = Callable[[str, str], str]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    documents = [item(1, Estimate="3", Description="Why\n"), item(2, kind="Bug", Name="Ünï"), item(3, kind="Task")]
    with offline_store(tmp_path, documents) as store:
        yield store


def edits(store: Store) -> list[tuple[int, dict[str, object]]]:
    return [(each.item_id, dict(each.payload)) for each in store.outbox_entries()]


def replacing(old: str, new: str) -> Edit:
    """An editor that replaces a part of its text."""
    return lambda text, _suffix: text.replace(old, new)


# Editing


async def test_the_kind_of_file_follows_the_number_of_items_and_an_untouched_text_changes_nothing(store: Store) -> None:
    suffixes = []

    def look(text: str, suffix: str) -> str:
        suffixes.append((suffix, text.split(maxsplit=1)[0]))
        return text

    target = FakeTarget(store, [1], [look, look])
    await run(target, "item.external")
    target.ids = [1, 2]
    await run(target, "item.external")

    assert suffixes == [(".md", "---"), (".tsv", "id")]
    assert (target.said, edits(store)) == (["Nothing was changed."] * 2, [])
    assert [store.drafts.find(key) for key in ("text:1", "text:marked")] == [None, None]


async def test_the_changed_items_alone_are_changed_and_not_repeated(store: Store) -> None:
    target = FakeTarget(store, [1, 2], [replacing("Item 1", "Better"), replacing("Why", "Because")])

    await run(target, "item.external")
    target.ids = [1]
    await run(target, "item.external")

    assert edits(store) == [(1, {"Name": "Better"}), (1, {"Description": "Because\n"})]
    assert target.session.last_act is None
    assert [store.drafts.find(key) for key in ("text:1", "text:marked")] == [None, None]


async def test_spaces_alone_are_no_change(store: Store) -> None:
    target = FakeTarget(store, [1], [replacing("Name: Item 1", "Name:  Item 1 ")])

    await run(target, "item.external")

    assert (target.said, edits(store), store.drafts.find("text:1")) == (["Nothing was changed."], [], None)


async def test_a_text_that_cannot_be_read_is_edited_again_or_kept(store: Store) -> None:
    again: list[str] = []

    def see(text: str, _suffix: str) -> str:
        again.append(text)
        return text.replace("Nmae", "Nome")

    answers = [replacing("Name:", "Nmae:"), "e", see, None]
    target = FakeTarget(store, [1], answers)
    await run(target, "item.external")

    kept = store.drafts.find("text:1")
    assert kept is not None
    assert "Nmae: Item 1" in again[0]
    assert "Nome: Item 1" in str(kept["text"])
    assert "Name: Item 1" in str(kept["original"])
    assert [words_of(each).splitlines()[1] for each in target.asked] == [
        f"Line 3, column 1: “{name}” is no field of a story that can be set." for name in ("Nmae", "Nome")
    ]
    assert (edits(store), target.said) == ([], [])


@pytest.mark.parametrize(
    ("key", "expected"), [("k", {"Name": "Mended", "Estimate": "8"}), ("n", {"Estimate": "8"}), (None, None)]
)
@pytest.mark.parametrize("ids", [[1], [1, 2]])
async def test_a_kept_text_is_resumed_or_started_over(
    store: Store, ids: list[int], key: str | None, expected: dict[str, object] | None
) -> None:
    wrong = replacing("Item 1", "Mended\nWrong" if len(ids) == 1 else "Mended\tx")
    await run(FakeTarget(store, ids, [wrong, None]), "item.external")
    draft = "text:1" if len(ids) == 1 else "text:marked"

    def mend(text: str, _suffix: str) -> str:
        return text.replace("\nWrong", "").replace("\tx", "").replace("3", "8")

    target = FakeTarget(store, ids, [key, mend])

    await run(target, "item.external")

    assert edits(store) == ([(1, expected)] if expected else [])
    assert (store.drafts.find(draft) is None, len(target.asked)) == (expected is not None, 1)


async def test_a_text_that_is_put_back_leaves_no_draft(store: Store) -> None:
    target = FakeTarget(store, [1], [replacing("Name:", "Nmae:"), "e", replacing("Nmae:", "Name:")])

    await run(target, "item.external")

    assert (target.said, edits(store), store.drafts.find("text:1")) == (["Nothing was changed."], [], None)


async def test_a_draft_stays_where_another_start_is_left_unchanged(store: Store) -> None:
    await run(FakeTarget(store, [1], [replacing("Name:", "Nmae:"), None]), "item.external")
    target = FakeTarget(store, [1], ["n", replacing("", "")])

    await run(target, "item.external")

    assert target.said == ["Nothing was changed."]
    assert "Nmae:" in str(store.drafts.find("text:1"))


@pytest.mark.parametrize("ids", [[1], [1, 2]])
async def test_a_value_that_others_saved_meanwhile_is_no_change_of_the_text(store: Store, ids: list[int]) -> None:
    def change(text: str, _suffix: str) -> str:
        put(store, [item(1, Estimate="13", Description="Others\n")])
        return text.replace("Item 1", "Better")

    await run(FakeTarget(store, ids, [change]), "item.external")

    assert edits(store) == [(1, {"Name": "Better"})]


async def test_an_item_that_goes_while_its_text_is_edited_is_named(store: Store) -> None:
    def lose(text: str, _suffix: str) -> str:
        store.files.submit(lambda writer: writer.mirror.remove_items([1])).result()
        return text.replace("Item 1", "Better")

    target = FakeTarget(store, [1], [lose, None])
    await run(target, "item.external")

    assert "The item no longer exists." in words_of(target.asked[0])
    assert store.drafts.find("text:1") is not None


async def test_a_page_begins_with_a_mark_of_byte_order_and_has_each_field_once(store: Store) -> None:
    marked = FakeTarget(store, [1], [lambda text, _: f"\ufeff{text}".replace("Item 1", "Better").replace("\n", "\r\n")])
    twice = FakeTarget(store, [2], [replacing("Name: Ünï", "Name: Ünï\nName: Other"), None])

    await run(marked, "item.external")
    await run(twice, "item.external")

    assert edits(store) == [(1, {"Name": "Better"})]
    assert "Line 4, column 1: Name stands here a second time." in words_of(twice.asked[0])


def test_a_line_of_a_table_belongs_to_the_item_of_its_id_and_type(store: Store) -> None:
    items: list[Item] = store.batch.items([1, 2])
    words, reading = ScreenFieldWords(store), TextReading(store)
    text = table_of(items, words)

    swapped = text.replace("1\tStory\tItem 1", "1\tBug\tItem 1")
    with pytest.raises(TextFault, match="Line 2, column 1: Each line begins with the id and the type"):
        read_table(swapped, items, words, reading)


# Copying


@pytest.mark.parametrize(
    ("command_id", "ids", "text", "words"),
    [
        ("item.copy-id", [1, 2], "1, 2", "Copied 1, 2"),
        ("item.copy-name", [1, 2], "Item 1\nÜnï", "Copied names of 2 items"),
        ("item.copy-name", [1], "Item 1", "Copied Item 1"),
        (
            "item.copy-markdown",
            [1, 3],
            "- #1 Item 1 (Story, Not Done, 3 pts)\n- #3 Item 3 (Task, Not Done)",
            "Copied Markdown of 1 item, 1 task",
        ),
    ],
)
async def test_items_are_copied_in_the_form_of_the_command(
    store: Store, command_id: str, ids: list[int], text: str, words: str
) -> None:
    target = FakeTarget(store, ids)

    await run(target, command_id)

    assert (target.copied, target.said) == ([text], [words])


async def test_a_cut_in_the_words_about_what_was_copied_is_marked(store: Store) -> None:
    await store.items.edit([1], {"Name": "x" * 70})
    target = FakeTarget(store, [1])

    await run(target, "item.copy-name")

    assert target.copied == ["x" * 70]
    assert target.said == [f"Copied {'x' * 59}…"]


async def test_json_is_one_object_or_a_list_with_plain_letters(store: Store) -> None:
    new_id = (await store.items.add("Story", {"Name": "New"})) or 0
    target = FakeTarget(store)
    for target.ids in ([2], [1, 2], [new_id]):
        await run(target, "item.copy-json")

    one, both, new = target.copied
    assert "Ünï" in one
    assert json.loads(one)["fields"]["Name"] == "Ünï"
    assert [each["id"] for each in json.loads(both)] == [1, 2]
    assert json.loads(new)["type"] == "Story"
    assert target.said == ["Copied JSON of #2", "Copied JSON of 2 items", "Copied JSON of the new story"]


async def test_more_bytes_than_a_clipboard_takes_are_refused(store: Store) -> None:
    put(store, [item(4, Name="ü" * 35_001), item(5, Name="x" * 70_000)])
    target = FakeTarget(store, [4])

    with pytest.raises(CannotAct, match="70,002 bytes are more than a terminal's clipboard takes"):
        await run(target, "item.copy-name")
    target.ids = [5]
    await run(target, "item.copy-name")

    assert [len(each) for each in target.copied] == [70_000]


async def test_a_feature_is_copied_with_what_is_below_it(tmp_path: Path) -> None:
    with forest(tmp_path) as store:
        target = FakeTarget(store, [1, 2, 5])
        await run(target, "item.copy-markdown")
        await run(target, "item.copy-json")

    lines, (feature, other) = target.copied[0].splitlines(), json.loads(target.copied[1])
    assert [line.partition(" (")[0] for line in lines] == [
        *("- #1 Search", "  - #2 Synonyms", "    - #6 Write the list"),
        *("  - #3 Suggestions", "    - #4 Nothing is suggested", "- #5 Payment"),
    ]
    assert [each["id"] for each in feature["children"]] == [2, 3]
    assert [each["id"] for each in feature["children"][0]["children"]] == [6]
    assert (other["id"], "children" in other) == (5, False)
