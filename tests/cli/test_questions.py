"""Questions of commands: an estimate that is no number."""

import json
from pathlib import Path

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home
from tests.terminal import terminal


@pytest.mark.slow
def test_estimates_that_are_no_number_are_imported_only_with_an_answer(demo_home: Home) -> None:
    def imported(text: str, *options: str) -> Done:
        return demo_home.run(*DEMO, "items", "import", "-", "--yes", *options, given=text)

    text = "type,Name,est\nStory,Sized,XL\nStory,Sized,8 pts\n"
    refused = imported(text)
    tried = imported(text, "--dry-run")
    listed = demo_home.run(*DEMO, "items", "list", "--query", "sized", "--json").stdout
    written = imported(text, "--keep-estimates")
    again = imported("type,Name,est\nStory,Sized,8 pts\n")

    assert refused.returncode == 2
    assert refused.stderr.splitlines()[-1] == (
        "backlit: “XL” is no number and counts as no points in totals, plans and reports."
        " To keep it, add --keep-estimates. No changes were made."
    )
    assert (tried.returncode, json.loads(listed)) == (0, [])
    assert (written.returncode, again.returncode) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "sentence"), [("n", "no changes were made"), ("y", "Imported")])
def test_an_estimate_that_is_no_number_is_asked_about_on_a_terminal(
    demo_home: Home, tmp_path: Path, answer: str, sentence: str
) -> None:
    (tmp_path / "items.csv").write_text("type,Name,est\nStory,Sized,XL\n")

    with terminal([*DEMO, "items", "import", str(tmp_path / "items.csv")], demo_home.environment) as shown:
        shown.wait_for("Keep it")
        shown.press(answer, "enter")
        if answer == "y":
            shown.wait_for("Import 1 new")
            shown.press("y", "enter")
        shown.wait_for(sentence)
