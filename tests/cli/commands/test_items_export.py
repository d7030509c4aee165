"""`backlit items export` with comments and files, and for other trackers."""

import csv
import io
from pathlib import Path

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home


def export(home: Home, *words: str) -> Done:
    return home.run(*DEMO, "--offline", "--quiet", "items", "export", "--query", "type:bug,story", *words)


def test_comments_are_columns_and_parts_of_documents(demo_home: Home) -> None:
    table = list(csv.DictReader(io.StringIO(export(demo_home, "--comments").stdout)))
    documents = export(demo_home, "--comments", "--json").json

    written = {row["id"]: sum(bool(row[key]) for key in row if key.startswith("comment ")) for row in table}
    assert written == {str(each["id"]): len(each["comments"]) for each in documents}
    assert any(written.values())
    assert "createdBy" not in table[0]


@pytest.mark.parametrize("tracker", ["jira", "github"])
def test_a_file_for_another_tracker_is_what_its_import_reads(demo_home: Home, tmp_path: Path, tracker: str) -> None:
    items = export(demo_home, "--json=id,owner,tags,est").json
    file = tmp_path / "file"
    file.write_text(export(demo_home, "--for", tracker, "--comments").stdout)

    read = demo_home.run(
        *DEMO, "--offline", "items", "import", str(file), "--from", tracker, "--dry-run", "--source", "X"
    )

    assert read.returncode == 0, read.stderr
    assert f"New {len(items)} · changed 0" in read.stdout


def test_the_file_for_jira_repeats_the_headings_of_labels(demo_home: Home) -> None:
    heading, *rows = csv.reader(io.StringIO(export(demo_home, "--for", "jira").stdout))
    items = {str(each["id"]): each["tags"] for each in export(demo_home, "--json=id,tags").json}

    labels = [at for at, name in enumerate(heading) if name == "Labels"]
    assert len(labels) == max(len(tags or []) for tags in items.values())
    assert {row[0]: [row[at] for at in labels if row[at]] for row in rows} == {
        number: tags or [] for number, tags in items.items()
    }


@pytest.mark.slow
def test_files_are_saved_by_item_and_named_in_the_table(demo_home: Home, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("A note")
    demo_home.run(*DEMO, "files", "add", "19", str(tmp_path / "note.txt"))

    runs = [demo_home.run(*DEMO, "items", "export", "--files", str(tmp_path / "saved")) for _ in range(2)]

    for done in runs:
        rows = {row["id"]: row["files"] for row in csv.DictReader(io.StringIO(done.stdout))}
        assert "19/note.txt" in rows["19"].splitlines(), done.stderr
    assert (tmp_path / "saved" / "19" / "note.txt").read_text() == "A note"
    assert "is there already" in runs[1].stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--for", "jira", "--json"), "--for has a format of its own."),
        (("--for", "github", "--csv", "--files", "x"), "--files goes with backlit's own CSV."),
        (("--files", "x", "--md"), "--files goes with backlit's own CSV."),
        (("--for", "trello"), "invalid choice: 'trello'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_does_not_go_together_is_refused(demo_home: Home, words: tuple[str, ...], sentence: str) -> None:
    done = export(demo_home, *words)

    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
