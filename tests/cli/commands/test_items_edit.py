"""`backlit items edit`: one item as a page, several as a table."""

import shlex
from pathlib import Path

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import COMMAND, DEMO, Home

STORY, BUG = "19", "2"


@pytest.fixture
def editor(demo_home: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script that the editor runs with its file as $1."""
    script = demo_home.path / "edit.sh"
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"sh '{script}'")
    monkeypatch.setattr("tempfile.tempdir", str(demo_home.path))
    return script


def edit(home: Home, *words: str) -> Done:
    return home.run(*DEMO, "--offline", "--quiet", "items", "edit", *words)


def test_an_item_is_edited_as_a_page(demo_home: Home, editor: Path) -> None:
    change = r"s/^est: .*/est: 8/; s/^owner: .*/owner: none/; /^iter:/d; s/^name: .*/name: @name: \"x\"/"
    editor.write_text(f'cp "$1" "$1.seen"; sed -i \'{change}\' "$1"; printf \'@/etc/hosts\\n\' >> "$1"\n')
    before = demo_home.run(*DEMO, "--offline", "items", "show", STORY, "--json").json["fields"]

    done = edit(demo_home, STORY)
    after = demo_home.run(*DEMO, "--offline", "items", "show", STORY, "--json").json["fields"]
    (page,) = demo_home.path.glob("*.seen")

    assert done.returncode == 0, done.stderr
    lines = page.read_text().splitlines()
    assert lines[:2] == ["---", f"# Story {STORY}"]
    assert (f"name: {before['Name']}" in lines, "est: 5" in lines, "owner: maya" in lines) == (True, True, True)
    assert {key for key in after if after.get(key) != before.get(key)} == {
        "Name",
        "Estimate",
        "Description",
        "AssignedToID",
    }
    assert (after["Name"], after["Estimate"], after["AssignedToID"]) == ('@name: "x"', "8", None)
    assert after["Description"].split("\n@") == [before["Description"].removesuffix("\n"), "/etc/hosts\n"]
    assert list(demo_home.path.glob("backlit-*.md")) == []


def test_several_items_are_edited_as_a_table(demo_home: Home, editor: Path) -> None:
    editor.write_text("sed -i 's/^19\\t\\(.*\\)\\t5$/19\\t\\1\\t13/' \"$1\"\n")

    asked = edit(demo_home, STORY, BUG, "--fields", "name,est")
    done = edit(demo_home, STORY, BUG, "--fields", "name,est", "--json")

    assert [line.split("\t") for line in asked.stdout.splitlines()] == [[STORY, "Estimate", "5", "13", "queued"]]
    assert (asked.returncode, done.json["items"]) == (0, []), done.stderr


@pytest.mark.parametrize(
    ("edits", "status", "sentence"),
    [
        ((": > $1", (STORY,)), 6, "Cancelled: no changes were made."),
        (("echo nonsense > $1", (STORY,)), 2, "The fields must stand between two lines of ---"),
        (("sed -i 's/^est: .*/est 8/' $1", (STORY,)), 2, "Line 6: write a field as name: value."),
        (("sed -i 's/^est: /esst: /' $1", (STORY,)), 2, "There is no field “esst”."),
        (("sed -i 's/^owner: .*/owner: nobody/' $1", (STORY,)), 4, "Unknown user “nobody”."),
        (("sed -i 's/^19/77/' $1", (STORY, BUG)), 2, "Line 2: 77 is none of the items."),
        (("sed -i '2s/\\t.*//' $1", (STORY, BUG)), 2, "Line 2: there are 1 columns"),
        (("exit 3", (STORY,)), 1, "ended with 3."),
        (("exit 0", ("987654",)), 4, "Work item 987654 does not exist here"),
        (("exit 0", (STORY, "--fields", "esst")), 2, "There is no field “esst”."),
    ],
)
def test_a_fault_in_the_editor_changes_nothing_and_keeps_the_text(
    demo_home: Home, editor: Path, edits: tuple[str, tuple[str, ...]], status: int, sentence: str
) -> None:
    script, words = edits
    editor.write_text(f"{script}\n")

    done = edit(demo_home, *words)
    kept = list(demo_home.path.glob("backlit-*"))

    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert sentence in done.stderr
    assert [f"Your text is kept in {path}" in done.stderr for path in kept] == [True] * len(kept)
    assert demo_home.run(*DEMO, "--offline", "outbox", "list").stdout == ""


@pytest.mark.slow
def test_what_somebody_changed_meanwhile_is_a_conflict(demo_home: Home, editor: Path) -> None:
    other = shlex.join([*COMMAND, *DEMO, "--offline", "items", "set", STORY, "est=3"])
    editor.write_text(f"BACKLIT_HOME={demo_home.path} {other}\nsed -i 's/^est: .*/est: 8/' $1\n")

    done = edit(demo_home, STORY)

    assert (done.returncode, done.stdout.count("8")) == (7, 0)
    assert f"Somebody changed Estimate of item {STORY} while you edited it." in done.stderr
