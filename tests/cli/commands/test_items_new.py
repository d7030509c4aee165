"""`backlit items new` by a template and in the editor."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home

TEMPLATE = """
[[template]]
name = "Incident"
type = "Bug"
Name = "Incident: "
Severity = "2 - High"
tags = "support"
est = 3
tasks = ["Reproduce", "Tell support"]
"""


@pytest.fixture
def home_with_template(demo_home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr("tempfile.tempdir", str(demo_home.path))
    config = demo_home.path / "config"
    config.mkdir(exist_ok=True)
    (config / "config.toml").write_text(TEMPLATE)
    return demo_home


@pytest.fixture
def editor(home_with_template: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script that the editor runs with its file as $1."""
    script = home_with_template.path / "edit.sh"
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"sh '{script}'")
    return script


def new(home: Home, *words: str) -> Done:
    return home.run(*DEMO, "--offline", "--quiet", "items", "new", *words)


def shown(home: Home, done: Done) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = home.run(*DEMO, "--offline", "items", "show", done.stdout.strip(), "--json").json
    return found


def test_a_template_fills_in_fields_and_tasks(home_with_template: Home) -> None:
    item = shown(home_with_template, new(home_with_template, "shop down", "est=8", "--template", "incident"))
    tasks = home_with_template.run(*DEMO, "--offline", "items", "list", "--query", "type:task", "--json=name").json

    fields = item["fields"]
    assert item["type"] == "Bug"
    assert (fields["Name"], fields["Estimate"]) == ("Incident: shop down", "8")
    assert (fields["Severity"], fields["Tags"]) == ("2 - High", ["support"])
    assert {"Reproduce", "Tell support"} <= {each["name"] for each in tasks}


def test_a_new_item_is_written_in_the_editor(home_with_template: Home, editor: Path) -> None:
    editor.write_text(
        'cp "$1" "$1.seen"; sed -i \'s/^name: .*/name: Mail lost/; s/^owner:.*/owner: jon/\' "$1"; '
        'printf "It is gone.\\n" >> "$1"\n'
    )

    item = shown(home_with_template, new(home_with_template, "Mail", "est=5", "--type", "bug", "--edit"))
    (page,) = home_with_template.path.glob("*.seen")

    assert page.read_text().splitlines()[1] == "# Bug new"
    assert {"name: Mail", "est: 5"} <= set(page.read_text().splitlines())
    assert item["type"] == "Bug"
    assert (item["fields"]["Name"], item["fields"]["Estimate"]) == ("Mail lost", "5")
    assert item["fields"]["Description"] == "It is gone."
    assert item["names"]["AssignedToID"]["user"] == "jon"


@pytest.mark.parametrize(
    ("words", "script", "end"),
    [
        (("x", "--template", "incidnt"), "", (4, "There is no template “incidnt”. Did you mean “Incident”?")),
        (("x", "--template", "Incident", "--type", "Story"), "", (2, "The template “Incident” makes a Bug.")),
        (("--edit", "--stdin"), "", (2, "--edit is for one item.")),
        (("--edit",), "exit 0", (6, "Name cannot be empty.")),
        (("Mail", "--edit"), ": > $1", (6, "Cancelled: no changes were made.")),
        (("Mail", "--edit"), "sed -i 's/^est:.*/est: many/; s/^name:.*/name:/' $1", (6, "Name cannot be empty.")),
        (("Mail", "--edit"), "sed -i 's/^owner:.*/owner: nobody/' $1", (4, "Unknown user “nobody”.")),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_made_is_refused_and_a_text_is_kept(
    home_with_template: Home, editor: Path, words: tuple[str, ...], script: str, end: tuple[int, str]
) -> None:
    editor.write_text(f"{script}\n")

    done = new(home_with_template, *words)

    assert (done.returncode, done.stdout) == (end[0], ""), done.stderr
    assert end[1] in done.stderr
    assert ("Your text is kept in" in done.stderr) == bool(script)
