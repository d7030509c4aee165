"""Files in the shape of real exports, imported by the real command into a served workspace."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.cli.admin_world import Done, Workspace
from tests.cli.home import Home
from tests.imports.expectations import CASES, Case, Imported, cases, failures
from tests.imports.jira_files import jira_csv

_QUICK = {"jira-cloud-current.csv", "github-rest.json", "empty.csv"}


def lines_of(*done: Done) -> list[str]:
    return [line for each in done for line in f"{each.stdout}{each.stderr}".splitlines()]


def problems(webshop: Workspace, maya: Home, case: Case) -> list[str]:
    document, before = case.document, Imported(webshop).counts
    words: tuple[str, ...] = ("items", "import", str(case.path), *case.options)
    dry = maya.run(*words, "--dry-run")
    after_dry = Imported(webshop).counts
    done = maya.run(*words, "--yes")
    output, imported = lines_of(dry, done), Imported(webshop)
    found = ["--dry-run wrote something"] * (after_dry != before)
    if document.get("exit") == "refused":
        found += ["it was not refused"] * (done.returncode == 0 or imported.counts != before)
        found += ["a traceback"] * any("Traceback" in line for line in output)
        return [*found, *failures(imported, document["assert"], output)]
    if done.returncode or dry.returncode:
        return [f"exit {dry.returncode}, {done.returncode}: {done.stderr[-2000:]}"]
    found += [f"--dry-run printed {len(lines_of(dry))} lines"] * (len(lines_of(dry)) > 80)
    found += failures(imported, document["assert"], output)
    whole = "\n".join(output)
    found += [f"{heading!r} is not named" for heading in document.get("left_out", ()) if heading not in whole]
    for warned in document.get("warnings", ()):
        found += [f"no line has {warned}"] * (not any(all(word in line for word in warned) for line in output))
    if document.get("again", True):
        again = maya.run(*words, "--yes")
        found += [f"again: exit {again.returncode} {again.stderr}"] * bool(again.returncode)
        counts = Imported(webshop).counts
        found += [f"again: {imported.counts} became {counts}"] * (counts != imported.counts)
    for step in document.get("then", ()):
        later = maya.run(*_words_of(step), "--yes")
        found += [f"then: exit {later.returncode} {later.stderr}"] * bool(later.returncode)
        found += failures(Imported(webshop), step["assert"], lines_of(later))
    return found


def _words_of(step: Mapping[str, Any]) -> tuple[str, ...]:
    if step.get("undo"):
        return ("undo",)
    options = (option.replace("{folder}", str(CASES)) for option in step.get("options", ()))
    return ("items", "import", str(CASES / step["file"]), *options)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.path.name, marks=[] if case.path.name in _QUICK else pytest.mark.slow)
        for case in cases()
    ],
)
def test_a_file_of_a_tracker_brings_in_what_it_must(webshop: Workspace, maya: Home, case: Case) -> None:
    assert problems(webshop, maya, case) == []


@pytest.mark.long
def test_more_than_two_thousand_items_come_in_order(webshop: Workspace, maya: Home, tmp_path: Path) -> None:
    file = tmp_path / "large-2100.csv"
    file.write_text(jira_csv(2100), encoding="utf-8")
    document = CASES / "large-2100.csv.expected.json"
    file.with_name(document.name).write_bytes(document.read_bytes())

    assert problems(webshop, maya, Case(file)) == []
