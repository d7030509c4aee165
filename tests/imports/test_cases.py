"""Files in the shape of real exports, imported by the real command into a served workspace."""

from pathlib import Path

import pytest
from tests.cli.admin_world import Done, Workspace
from tests.cli.home import Home
from tests.imports.expectations import CASES, Case, Imported, cases, failures, has_line

import backlit

_QUICK = {"jira-cloud-current.csv", "github-rest.json", "empty.csv"}
_WITH_MARKUP = {"jira-cloud-all.csv", "jira-search-v3.json", "jira-export.xml", "azure-devops-query.csv"}
"""Files whose descriptions a renderer turns into Markdown."""
HAS_RENDERERS = (Path(backlit.__file__).parent / "imports" / "markup" / "wiki.py").exists()


def lines_of(*done: Done) -> list[str]:
    return [line for each in done for line in f"{each.stdout}{each.stderr}".splitlines()]


def problems(webshop: Workspace, maya: Home, case: Case) -> list[str]:
    document, before = case.document, Imported(webshop).counts
    words = ("items", "import", str(case.path), *case.options)
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
        found += [f"no line has {warned}"] * (not has_line(output, warned))
    if document.get("again", True):
        again = maya.run(*words, "--yes")
        found += [f"again: exit {again.returncode} {again.stderr}"] * bool(again.returncode)
        counts = Imported(webshop).counts
        found += [f"again: {imported.counts} became {counts}"] * (counts != imported.counts)
    for step in document.get("then", ()):
        if step.get("undo"):
            continue
        words = ("items", "import", str(CASES / step["file"]), *step.get("options", ()), "--yes")
        later = maya.run(*words)
        found += [f"then: exit {later.returncode} {later.stderr}"] * bool(later.returncode)
        found += failures(Imported(webshop), step["assert"], lines_of(later))
    return found


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.path.name, marks=[] if case.path.name in _QUICK else pytest.mark.slow)
        for case in cases()
        if HAS_RENDERERS or case.path.name not in _WITH_MARKUP
    ],
)
def test_a_file_of_a_tracker_brings_in_what_it_must(webshop: Workspace, maya: Home, case: Case) -> None:
    assert problems(webshop, maya, case) == []
