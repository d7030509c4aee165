"""Relations, Features, criteria and links on the command line, offline, on the sample."""

import json

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home

STORY, OTHER, TASK = "19", "2", "30"


def offline(home: Home, *words: str, given: str = "") -> Done:
    return home.run(*DEMO, "--offline", "--quiet", *words, given=given)


def ids(home: Home, query: str) -> list[str]:
    return [str(each["id"]) for each in offline(home, "items", "list", "--query", query, "--json=id").json]


def parts(home: Home, item: str) -> dict[str, list[dict[str, object]]]:
    words = ("items", "show", item, "--with", "relations,criteria,links,comments", "--json")
    found: dict[str, list[dict[str, object]]] = offline(home, *words).json
    return found


def relations(home: Home, item: str) -> set[tuple[object, object]]:
    return {(each["type"], each["item"]) for each in parts(home, item)["relations"]}


def columns(done: Done) -> list[list[str]]:
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_an_item_is_related_and_unrelated(demo_home: Home) -> None:
    before = relations(demo_home, STORY)

    made = offline(demo_home, "relate", STORY, "blocked-by", OTHER)
    again = offline(demo_home, "relate", STORY, "blocked-by", OTHER)
    circle = offline(demo_home, "relate", STORY, "blocks", OTHER)
    there = relations(demo_home, OTHER)
    gone = offline(demo_home, "unrelate", OTHER, "blocks", STORY)

    assert [row[:3] + row[4:] for row in columns(made)] == [[STORY, "Blocked By", "", "queued"]]
    assert columns(made)[0][3].startswith(f"#{OTHER} ")
    assert [row[-1] for row in columns(again)] == ["unchanged"]
    assert circle.returncode == 6
    assert f"That would be a circle: #{STORY} → #{OTHER} → #{STORY}." in circle.stderr
    assert ("Blocks", int(STORY)) in there
    assert columns(gone)[0][-1] == "saved"  # it was never sent
    assert relations(demo_home, STORY) == before


def test_a_feature_is_chosen_by_number_or_words_and_taken_away(demo_home: Home) -> None:
    (first,) = ids(demo_home, "type:feature")
    name = "Search that understands"
    second = offline(demo_home, "items", "new", name, "--type", "feature").stdout.strip()

    offline(demo_home, "items", "feature", STORY, first, "--yes")
    moved = offline(demo_home, "items", "feature", STORY, name)
    below = offline(demo_home, "items", "show", STORY, "--json=id,feature").json
    refused = offline(demo_home, "items", "feature", TASK, first)
    none = offline(demo_home, "items", "feature", STORY, "none")

    assert columns(moved)[0][:2] == [STORY, "Feature"]
    assert columns(moved)[0][3] == f"{second} {name}"
    assert below == [{"id": int(STORY), "feature": second}]
    assert refused.returncode == 6
    assert f"#{TASK} is a Task" in refused.stderr
    assert columns(none)[0][3] == ""
    assert not {word for word, _ in relations(demo_home, STORY)} & {"Parent"}


def test_a_relation_names_its_parent_from_either_side(demo_home: Home) -> None:
    (first,) = ids(demo_home, "type:feature")
    second = offline(demo_home, "items", "new", "Another", "--type", "feature").stdout.strip()

    offline(demo_home, "relate", STORY, "parent", first)
    offline(demo_home, "relate", second, "child", STORY, OTHER, "--yes")

    assert {other for word, other in relations(demo_home, STORY) if word == "Parent"} == {second}
    assert ("Parent", second) in relations(demo_home, OTHER)


def test_criteria_are_added_judged_and_deleted(demo_home: Home) -> None:
    item = offline(demo_home, "items", "new", "With criteria").stdout.strip()

    offline(demo_home, "criteria", "add", item, given="It works\n\nIt is \x1b[2Jfast\n")
    offline(demo_home, "criteria", "add", item, "It is short")
    offline(demo_home, "criteria", "check", item, "1")
    offline(demo_home, "criteria", "check", item, "3", "--fail")
    listed = offline(demo_home, "criteria", "list", item)
    gone = offline(demo_home, "criteria", "delete", item, "2")
    reset = offline(demo_home, "criteria", "check", item, "--all", "--reset")

    assert columns(listed) == [
        ["1", "passed", "It works"],
        ["2", "not executed", "It is �[2Jfast"],
        ["3", "failed", "It is short"],
    ]
    assert gone.returncode == 0
    assert [row[1:4] for row in columns(reset)] == [
        ["It works", "passed", "not executed"],
        ["It is short", "failed", "not executed"],
    ]
    assert [each["status"] for each in parts(demo_home, item)["criteria"]] == ["Not Executed", "Not Executed"]


def test_links_are_added_listed_and_deleted(demo_home: Home) -> None:
    offline(demo_home, "links", "add", STORY, "https://survey.example/2026", "Survey of March")
    offline(demo_home, "links", "add", STORY, "https://plain.example")
    listed = offline(demo_home, "links", "list", STORY, "--json").json
    mine = [each for each in listed if "example" in each["url"]][-2:]
    gone = offline(demo_home, "links", "delete", STORY, str(mine[0]["id"]))

    assert [(each["text"], each["url"]) for each in mine] == [
        ("Survey of March", "https://survey.example/2026"),
        ("https://plain.example", "https://plain.example"),
    ]
    assert gone.returncode == 0
    assert mine[0] not in offline(demo_home, "links", "list", STORY, "--json").json


def test_a_step_that_only_withdrew_an_unsent_change_is_listed(demo_home: Home) -> None:
    offline(demo_home, "relate", STORY, "related", OTHER)
    offline(demo_home, "unrelate", STORY, "related", OTHER)

    listed = offline(demo_home, "undo", "--list", "--json").json

    assert [each["change"] for each in listed] == ["relate"]


def test_a_step_with_relations_is_undone(demo_home: Home) -> None:
    before = relations(demo_home, STORY)

    offline(demo_home, "relate", STORY, "related", OTHER)
    undone = offline(demo_home, "undo")

    assert relations(demo_home, STORY) == before
    assert [row[0] for row in columns(undone)] == [min(STORY, OTHER, key=int)], "the item that the relation is kept at"


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("relate", STORY, "parent", "2", "3", "--yes"), 2, "An item has one Feature. Name one."),
        (("relate", STORY, "parent", OTHER), 6, f"#{OTHER} is a Bug; only a Feature can be a parent."),
        (("unrelate", STORY, "duplicates", OTHER), 4, f"has no relation “duplicates” to {OTHER}"),
        (("items", "feature", STORY, "nothing of this name"), 4, "No item has “nothing of this name” in its name."),
        (("items", "feature"), 2, "Say which Feature"),
        (("criteria", "check", STORY, "99"), 4, f"Item {STORY} has no criterion 99."),
        (("criteria", "check", STORY), 2, "Name criteria by their places, or all by --all."),
        (("criteria", "add", TASK, "Text"), 6, f"#{TASK} is a Task; a Task has no criteria."),
        (("links", "add", STORY, "javascript:alert(1)"), 6, "Address"),
        (("links", "delete", STORY, "987654", "--yes"), 4, f"Item {STORY} has no link 987654."),
        (("items", "list", "--with", "comments"), 2, "--with comments needs --json or --ndjson."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_ends_with_its_code(demo_home: Home, words: tuple[str, ...], status: int, sentence: str) -> None:
    done = offline(demo_home, *words)

    assert done.returncode == status, done
    assert sentence in done.stderr


def test_parts_are_columns_of_a_table(demo_home: Home) -> None:
    item = offline(demo_home, "items", "new", "Blocked").stdout.strip()
    offline(demo_home, "relate", item, "blocked-by", STORY, OTHER, "--yes")
    offline(demo_home, "criteria", "add", item, "One")

    rows = offline(demo_home, "items", "list", "--query", "Blocked", "--columns", "id", "--with", "relations,criteria")
    flat = offline(demo_home, "items", "show", item, "--json=id,blocked-by,criteria,due").json

    assert [item, "", "", f"{OTHER}, {STORY}", "", "", "[ ] One"] in columns(rows)
    assert flat == [{"id": item, "blocked by": [int(OTHER), int(STORY)], "criteria": "[ ] One", "due": None}]


def exported(home: Home, *more: str) -> str:
    return offline(home, "items", "export", "--query", "type:story,feature", *more).stdout


def test_an_export_comes_back_without_a_change(demo_home: Home, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("export") / "items.csv"
    file.write_text(exported(demo_home))
    as_json = file.with_suffix(".json")
    as_json.write_text(exported(demo_home, "--json", "--with", "relations,criteria,links"))

    for each in (file, as_json):
        again = offline(demo_home, "items", "import", str(each), "--dry-run")

        assert again.returncode == 0, again.stderr
        assert "New 0 · changed 0 · unchanged" in again.stdout

    headings = file.read_text().splitlines()[0].split(",")
    assert {"feature", "blocked by", "criteria"} <= set(headings)


def test_new_items_of_a_file_are_related_by_name_number_and_row_above(demo_home: Home) -> None:
    feature = ids(demo_home, "type:feature")[0]
    rows = [
        "type,Name,feature,blocked by,related,criteria",
        f"Feature,Imported feature,,,{feature},",
        'Story,First,Imported feature,Second,,"[x] Done\n[!] Failed\nOpen"',
        f"Story,Second,^,{STORY},,",
    ]
    rows[3] = f'Story,Second,Imported feature,"{STORY}, {OTHER}",^,'

    done = offline(demo_home, "items", "import", "-", "--from", "backlit", "--yes", given="\n".join(rows))
    found = {
        each["name"]: each["id"]
        for each in offline(demo_home, "items", "list", "--query", "status:open", "--json=id,name").json
    }

    assert done.returncode == 0, done.stderr
    assert "relations 7" in done.stdout
    first, second, own = found["First"], found["Second"], found["Imported feature"]
    assert relations(demo_home, first) == {("Parent", own), ("Blocked By", second), ("Related", second)}
    assert relations(demo_home, second) >= {("Parent", own), ("Blocked By", int(STORY)), ("Blocked By", int(OTHER))}
    assert [(each["title"], each["status"]) for each in parts(demo_home, first)["criteria"]] == [
        ("Done", "Pass"),
        ("Failed", "Fail"),
        ("Open", "Not Executed"),
    ]
    offline(demo_home, "undo", "--yes")
    assert "First" not in json.dumps(offline(demo_home, "items", "list", "--query", "First", "--json=name").json)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (("Story,A,,B,", "Story,B,,A,"), "That would be a circle: “A” → “B” → “A”"),
        (("Story,A,Nowhere,,",), "no item is named 'Nowhere'"),
        (("Story,A,^,,",), "there is no item above for ^"),
        (("Story,A,B,,", "Story,B,,,"), "“B” is a Story; only a Feature can be a parent"),
        (("Story,A,987654,,",), "there is no item 987654 here"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_whose_relations_do_not_fit_changes_nothing(
    demo_home: Home, rows: tuple[str, ...], sentence: str
) -> None:
    given = "\n".join(["type,Name,feature,blocked by,criteria", *rows])

    done = offline(demo_home, "items", "import", "-", "--from", "backlit", "--yes", given=given)

    assert done.returncode == 6
    assert sentence in done.stderr
    assert offline(demo_home, "outbox", "list", "--json").json == []
