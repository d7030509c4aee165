"""Items as text: a page for one, a table for several, there and back."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.terminal import terminal
from tests.tui.items.editor_scripts import environment, script
from tests.tui.list_steps import shown

from backlit.model.fields import FIELD_BY_KEY, Kind, custom_field, fields_of
from backlit.store import Item, Store
from backlit.tui.fields.values import ScreenFieldWords, TextFault, TextReading
from backlit.tui.items.as_text import page_of, read_page, read_table, table_of


async def item(store: Store, item_type: str) -> Item:
    found = store.item(next(row.id for row in await shown(store) if row.type == item_type))
    assert found
    return found


def page(store: Store, item: Item) -> str:
    return page_of(item, fields_of(item.type), ScreenFieldWords(store))


def read(store: Store, item: Item, text: str) -> dict[str, object]:
    return read_page(text, page(store, item), item, fields_of(item.type), TextReading(store))


def with_line(text: str, label: str, value: str) -> str:
    """A page or table with another value in the line that begins so."""
    return "\n".join(f"{label}: {value}" if line.startswith(f"{label}:") else line for line in text.split("\n"))


async def test_a_page_that_was_not_touched_changes_nothing(store: Store) -> None:
    for row in await shown(store):
        found = store.item(row.id)
        assert found
        assert read(store, found, page(store, found)) == {}


async def test_fields_and_description_are_read_from_a_page(store: Store) -> None:
    story = await item(store, "Story")
    text = page(store, story)
    for label, value in (
        ("Name", "Better: much"), ("Status", "ready for test"), ("Owner", "jon"), ("Tags", "one, two"),
        ("Iteration", "Sprint 15"), ("Priority", "3"), ("Estimate", "13"),
    ):  # fmt: skip
        text = with_line(text, label, value)
    head, _, _ = text.rpartition("---\n")

    changes = read(store, story, head + "---\nNew text.\n\n---\nSecond part.\n")

    assert store.lookups.people()[int(str(changes.pop("AssignedToID")))].username == "jon"
    assert store.lookups.iterations()[int(str(changes.pop("IterationID")))].name == "Sprint 15"
    assert changes == {
        "Name": "Better: much",
        "Status": "Ready For Test",
        "Tags": ["one", "two"],
        "Priority": 3,
        "Estimate": "13",
        "Description": "New text.\n\n---\nSecond part.\n",
    }


async def test_a_description_keeps_its_line_endings_and_the_blanks_at_its_end(store: Store) -> None:
    story = await item(store, "Story")
    story = replace(story, fields={**story.fields, "Description": "one\r\ntwo\r\n \t\r\n\r\n"})

    untouched = read(store, story, page(store, story))
    changed = read(store, story, page(store, story).replace("two", "three").replace("\n", "\r\n").rstrip())

    assert untouched == {}
    assert changed == {"Description": "one\r\nthree\r\n \t\r\n\r\n"}


async def test_a_field_is_read_also_where_the_description_has_such_a_line(store: Store) -> None:
    story = await item(store, "Story")
    story = replace(story, fields={**story.fields, "Estimate": "3", "Description": "See:\nEstimate: 5"})

    assert read(store, story, with_line(page(store, story), "Estimate", "5")) == {"Estimate": "5"}


async def test_tags_with_commas_stay_whole(store: Store) -> None:
    story = await item(store, "Story")
    story = replace(story, fields={**story.fields, "Tags": ["a, b", '"c"', 'd"e']})
    text = page(store, story)

    changed = read(store, story, text.replace("Tags: ", "Tags: new, "))

    assert read(store, story, text) == {}
    assert changed == {"Tags": ["new", "a, b", '"c"', 'd"e']}


async def test_a_field_of_the_project_that_is_called_like_another_goes_by_its_key(store: Store) -> None:
    bug = await item(store, "Bug")
    fields = fields_of("Bug", [custom_field("Name_cf", Kind.TEXT), custom_field("Sub:Name_cf", Kind.TEXT)])
    text = page_of(bug, fields, ScreenFieldWords(store))
    renamed = with_line(text, "Name", "Renamed")

    assert "\nName_cf:\n" in text
    assert read_page(renamed, text, bug, fields, TextReading(store)) == {"Name": "Renamed"}
    with pytest.raises(TextFault, match="Name stands here a second time"):
        read_page(renamed.replace("\nName:", "\nName: x\nName:"), text, bug, fields, TextReading(store))


async def test_all_long_texts_of_an_item_are_on_its_page(store: Store) -> None:
    bug = await item(store, "Bug")
    bug = replace(bug, fields={**bug.fields, "Description": "Why\n", "StepsToReproduce": "1. Pay\n2. Look"})
    text = page(store, bug)

    assert text.endswith("---\nWhy\n--- Steps to reproduce ---\n1. Pay\n2. Look\n")
    assert read(store, bug, text) == {}
    assert read(store, bug, text.replace("Look", "Wait")) == {"StepsToReproduce": "1. Pay\n2. Wait"}
    assert read(store, bug, text.replace("Why\n", "")) == {"Description": ""}
    with pytest.raises(TextFault, match="--- Steps to reproduce --- is missing"):
        read(store, bug, text.replace("--- Steps", "-- Steps"))


async def test_a_text_that_looks_like_the_page_itself_leaves_the_others_off_it(store: Store) -> None:
    bug = await item(store, "Bug")
    bug = replace(bug, fields={**bug.fields, "Description": "a\n--- Steps to reproduce ---\n---\nb"})

    assert read(store, bug, page(store, bug)) == {}
    assert read(store, bug, page(store, bug) + "c\n") == {"Description": f"{bug.fields['Description']}\nc"}


@pytest.mark.parametrize(
    ("label", "value", "said"),
    [
        ("Status", "Gone", "Status must be one of"),
        ("Owner", "nobody-here", "There is no owner"),
        ("Priority", "high", "Priority is a whole number"),
        ("Name", "", "Name cannot be empty"),
        ("Iteration", "Sprint 999", "There is no iteration"),
    ],
)
async def test_what_cannot_be_read_is_said_with_line_and_column(
    store: Store, label: str, value: str, said: str
) -> None:
    story = await item(store, "Story")
    text = with_line(page(store, story), label, value)
    line = next(number for number, each in enumerate(text.split("\n"), 1) if each.startswith(f"{label}:"))

    with pytest.raises(TextFault, match=said) as fault:
        read(store, story, text)

    assert (fault.value.line, fault.value.column) == (line, len(label) + 3)


@pytest.mark.parametrize("text", ["", "no rule", "---\nName: x\n", "---\nColour: red\n---\n"])
async def test_a_page_without_its_shape_is_refused(store: Store, text: str) -> None:
    with pytest.raises(TextFault):
        read(store, await item(store, "Story"), text)


async def test_a_table_that_was_not_touched_changes_nothing(store: Store) -> None:
    found = store.batch.items([row.id for row in await shown(store)])
    words = ScreenFieldWords(store)

    assert read_table(table_of(found, words), found, words, TextReading(store)) == {}


async def test_cells_are_read_from_a_table_and_lines_may_go(store: Store) -> None:
    story, bug = await item(store, "Story"), await item(store, "Bug")
    words = ScreenFieldWords(store)
    lines = table_of([story, bug], words).splitlines()
    cells = lines[1].split("\t")
    cells[2], cells[4] = "Renamed", "8"

    found = read_table("\n".join([lines[0], "\t".join(cells)]), [story, bug], words, TextReading(store))

    assert found == {story.id: {"Name": "Renamed", "Estimate": "8"}}


async def test_a_cell_that_a_type_does_not_have_is_said_with_its_place(store: Store) -> None:
    feedback = await item(store, "Feedback")
    words = ScreenFieldWords(store)
    lines = table_of([feedback], words).splitlines()
    cells = lines[1].split("\t")
    cells[4] = "8"

    with pytest.raises(TextFault, match=r"Line 2, column \d+: A feedback has no estimate\.") as fault:
        read_table("\n".join([lines[0], "\t".join(cells)]), [feedback], words, TextReading(store))

    assert fault.value.column == len("\t".join(cells[:4])) + 2


async def test_all_faults_of_a_table_are_said_at_once(store: Store) -> None:
    stories = store.batch.items([row.id for row in await shown(store) if row.type == "Story"][:2])
    words = ScreenFieldWords(store)
    lines = [line.split("\t") for line in table_of(stories, words).splitlines()]
    lines[1][3] = "Dnoe"
    lines[1][5] = "nobody known"
    lines[2][7] = "Nowhere"
    text = "\n".join(["\t".join(line) for line in lines] + ["999999\tStory", "\t".join(lines[1][:5])])

    with pytest.raises(TextFault) as fault:
        read_table(text, stories, words, TextReading(store))

    said = str(fault.value).splitlines()
    assert [line.partition(",")[0] for line in said] == ["Line 2", "Line 2", "Line 3", "Line 4", "Line 5"]
    assert (fault.value.line, fault.value.column) == (2, len("\t".join(lines[1][:3])) + 2)


async def test_all_faults_of_a_page_are_said_at_once(store: Store) -> None:
    story = await item(store, "Story")

    with pytest.raises(TextFault) as fault:
        read(store, story, with_line(page(store, story), "Status", "Dnoe\nSattus: Done\nName: Again"))

    assert len(str(fault.value).splitlines()) == 3


@pytest.mark.parametrize("line", ["7777777\tStory\ta\tb\tc\td\te\tf\tg", "x", "\tStory\t"])
async def test_a_line_that_belongs_to_no_item_is_refused(store: Store, line: str) -> None:
    story = await item(store, "Story")
    words = ScreenFieldWords(store)
    heading = table_of([story], words).splitlines()[0]

    with pytest.raises(TextFault, match="Line 2, column 1"):
        read_table(f"{heading}\n{line}", [story], words, TextReading(store))


def test_the_users_editor_gets_the_terminal_and_what_it_writes_is_taken(tmp_path: Path) -> None:
    editor = script(tmp_path, "sed -i 's/^Name: .*/Name: Written outside/' \"$1\"")
    with terminal(["demo", "--items", "40"], environment(tmp_path, editor)) as shown:
        shown.wait_until_synced()
        shown.press("E")
        shown.wait_for("Written outside")
        shown.wait_until_synced()


def test_what_cannot_be_read_is_kept_and_offered_again(tmp_path: Path) -> None:
    editor = script(tmp_path, "sed -i 's/^Name: .*/Nmae: Written outside/' \"$1\"")
    with terminal(["demo", "--items", "40"], environment(tmp_path, editor)) as shown:
        shown.wait_until_synced()
        shown.press("E")
        shown.wait_for("Line 3, column 1")
        script(tmp_path, "sed -i 's/^Nmae: /Name: /' \"$1\"")
        shown.press("enter", "E")
        shown.wait_for("a draft that could not be read")
        shown.press("k")
        shown.wait_for("Written outside")


def test_an_editor_that_fails_writes_nothing_and_the_file_stays(tmp_path: Path) -> None:
    with terminal(["demo", "--items", "40"], environment(tmp_path, script(tmp_path, "exit 3"))) as shown:
        shown.wait_until_synced()
        shown.press("E")
        shown.wait_for("exited with status 3")


async def test_words_for_days_are_read_in_a_field_of_the_project_that_holds_days(store: Store) -> None:
    bug = await item(store, "Bug")
    field = next(each for each in store.lookups.custom_fields() if each.key == "TargetDate_cf")

    read = TextReading(store).read_at(field, bug, "+2w", 1, 1)

    assert read == (store.today() + timedelta(weeks=2)).isoformat()
    with pytest.raises(TextFault, match="day"):
        TextReading(store).read_at(field, bug, "when it is done", 1, 1)


async def test_a_long_html_text_is_named_by_its_words(store: Store) -> None:
    text = "<p>Hello <b>bold</b> &amp; more</p><ul><li>one</li><li>two</li></ul>"

    assert ScreenFieldWords(store).shown(FIELD_BY_KEY["Description"], text) == "Hello bold & more  … 3 lines"
