"""backlit plan export and apply on a sample workspace."""

import json
import re

import pytest
from tests.cli.admin_world import Done
from tests.cli.documents import check
from tests.cli.home import DEMO, Home


def exported(home: Home, *arguments: str) -> str:
    done = home.run(*DEMO, "plan", "export", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def moved(text: str) -> tuple[str, str]:
    """The plan with the first item of the backlog in the first iteration with 13 points; and that item's number."""
    head, backlog = text.split("[Backlog]\n")
    first, *rest = backlog.splitlines(keepends=True)
    number = first.split()[0]
    section = re.search(r"^\[.*\n", head, re.MULTILINE)
    assert section is not None
    line = f"{number}  13  jon  whatever\n"
    return head.replace(section[0], section[0] + line) + "[Backlog]\n" + "".join(rest), number


def story_first(home: Home) -> str:
    """A plan with the backlog's first item that can have an estimate."""
    text = exported(home, "--backlog", "30")
    head, backlog = text.split("[Backlog]\n")
    lines = [line for line in backlog.splitlines(keepends=True) if re.match(r"\s*\d+\s+\d", line)]
    return head + "[Backlog]\n" + "".join(lines)


@pytest.mark.slow
def test_a_plan_is_exported_changed_tried_and_done(demo_home: Home) -> None:
    changed, number = moved(story_first(demo_home))

    tried = demo_home.run(*DEMO, "plan", "apply", "--dry-run", "-", given=changed)
    after_trial = exported(demo_home)
    done = demo_home.run(*DEMO, "plan", "apply", "-", given=changed)
    again = demo_home.run(*DEMO, "plan", "apply", "-", given=changed)

    assert re.search(rf"^{number}  .*Backlog → .*points \S+ → 13, owner \S+ → jon", tried.stdout, re.MULTILINE)
    assert not re.search(rf"^ *{number}  ", after_trial, re.MULTILINE)
    assert "1 item written." in done.stdout
    assert re.search(rf"^ *{number} +13 +jon ", exported(demo_home), re.MULTILINE)
    assert again.stdout == "Nothing changes.\n"


@pytest.mark.slow
def test_iterations_are_exported_by_name_path_number_and_word(demo_home: Home) -> None:
    whole = exported(demo_home)
    name = re.findall(r"^\[(.*)\]", whole, re.MULTILINE)[0]

    assert re.findall(r"^\[(.*)\]", exported(demo_home, "current"), re.MULTILINE) == [name, "Backlog"]
    assert exported(demo_home, name.upper()) == exported(demo_home, name)
    done = demo_home.run(*DEMO, "plan", "export", "nowhere")
    assert done.returncode == 4
    assert "Unknown iteration “nowhere”. Iterations: " in done.stderr


def test_plan_errors_are_a_sentence_and_a_status(demo_home: Home) -> None:
    done = demo_home.run(*DEMO, "plan", "apply", "-", given="[Nowhere]\n")

    assert done.returncode == 6
    assert "Line 1: Unknown iteration “Nowhere”. Iterations: " in done.stderr


def test_a_heading_names_its_iteration_by_a_word(demo_home: Home) -> None:
    text, number = moved(story_first(demo_home))
    name = re.findall(r"^\[(.*)\]", text, re.MULTILINE)[0]

    by_word = demo_home.run(*DEMO, "plan", "apply", "--dry-run", "-", given=text.replace(f"[{name}]", "[current]"))
    by_name = demo_home.run(*DEMO, "plan", "apply", "--dry-run", "-", given=text)

    assert re.search(rf"^{number}  .*Backlog → {name}", by_word.stdout, re.MULTILINE)
    assert by_word.stdout == by_name.stdout


@pytest.mark.slow
def test_a_change_of_others_is_skipped_unless_mine_goes_before(demo_home: Home) -> None:
    text = "[current]\n19  8  maya  x\n\n#= 19  -  3  maya\n"

    skipped = demo_home.run(*DEMO, "plan", "apply", "-", given=text)
    tried = demo_home.run(*DEMO, "plan", "apply", "-", "--mine", "--dry-run", given=text)
    done = demo_home.run(*DEMO, "plan", "apply", "-", "--mine", given=text)

    name = "Suggest categories beside articles while typing"
    assert skipped.returncode == 1
    assert skipped.stdout.splitlines()[-1] == f"≠ 19  {name}:  points 5 by now, the plan has 8"
    assert skipped.stderr.endswith(
        "backlit: 1 change was skipped: others changed the same fields. To overwrite their changes, add --mine.\n"
    )
    assert tried.stdout.splitlines()[-1] == f"19  {name}:  points 5 → 8"
    assert done.stdout == f"{tried.stdout}1 item written.\n"


def test_a_heading_of_an_iteration_that_is_missing_is_refused(home: Home) -> None:
    done = home.run("--profile", "local", "plan", "apply", "-", given="[next]\n")

    assert done.returncode == 6
    assert "Line 1: There is no next iteration. Iterations: none." in done.stderr


@pytest.mark.slow
def test_estimates_that_are_no_number_are_applied_only_with_an_answer(demo_home: Home) -> None:
    text = "[current]\n19  XL  maya  x\n"

    refused = demo_home.run(*DEMO, "plan", "apply", "-", given=text)
    tried = demo_home.run(*DEMO, "plan", "apply", "-", "--dry-run", given=text)
    kept = demo_home.run(*DEMO, "plan", "apply", "-", "--keep-estimates", given=text)
    unchanged = demo_home.run(*DEMO, "plan", "apply", "-", given=text.replace("maya", "jon"))

    assert refused.returncode == 2
    assert refused.stderr.endswith(
        "backlit: “XL” is no number and counts as no points in totals, plans and reports."
        " To keep it, add --keep-estimates. No changes were made.\n"
    )
    assert [each.stdout.splitlines()[-1] for each in (tried, kept, unchanged)] == [
        "19  Suggest categories beside articles while typing:  points 5 → XL",
        "1 item written.",
        "1 item written.",
    ]


@pytest.mark.slow
def test_a_plan_is_exported_and_applied_as_json(demo_home: Home) -> None:
    def plan(*words: str, given: str = "") -> Done:
        return demo_home.run(*DEMO, "plan", *words, "--json", given=given)

    document = plan("export", "--backlog", "30").json
    check("plan export", document)
    first, backlog = document["iterations"][0], document["iterations"][-1]
    item = next(each for each in backlog["items"] if each["points"])
    backlog["items"].remove(item)
    first["items"].append({**item, "points": 13, "owner": "jon"})

    tried = plan("apply", "--dry-run", "-", given=json.dumps(document))
    done = plan("apply", "-", given=json.dumps(document))
    again = plan("apply", "-", given=json.dumps(document))

    for each in (tried, done, again):
        check("plan apply", each.json)
    assert [each["state"] for each in tried.json["items"]] == ["planned"]
    assert [(each["id"], each["state"]) for each in done.json["items"]] == [(item["id"], "saved")]
    assert {each["field"] for each in done.json["items"][0]["changes"]} >= {"IterationID", "Estimate"}
    assert again.json["items"] == []
    now = next(each for each in plan("export").json["iterations"][0]["items"] if each["id"] == item["id"])
    assert (now["points"], now["owner"]) == ("13", "jon")


@pytest.mark.parametrize(
    ("document", "status", "sentence"),
    [
        ("{", 6, "The plan is no document of plan export --json"),
        ('{"iterations": [{"name": "Backlog"}]}', 6, "iterations.0.items: Field required."),
        ('{"iterations": [], "x": 1}', 6, "x: Extra inputs are not permitted."),
        ('{"iterations": [{"name": "Sprint 999", "items": []}]}', 4, "Unknown iteration “Sprint 999”."),
        ('{"iterations": [{"id": 999, "name": "", "items": []}]}', 6, "There is no iteration 999"),
        ('{"iterations": [{"name": "Backlog", "items": [{"id": 2}, {"id": 2}]}]}', 6, "Item 2 is in the plan twice."),
        ('{"iterations": [{"name": "Backlog", "items": [{"id": 987654}]}]}', 6, "This project has no item 987654."),
        ('{"iterations": [{"name": "Backlog", "items": [{"id": 2, "owner": "mya"}]}]}', 4, "unknown user 'mya'"),
    ],
)
def test_a_faulty_document_of_a_plan_is_refused(demo_home: Home, document: str, status: int, sentence: str) -> None:
    done = demo_home.run(*DEMO, "--offline", "plan", "apply", "-", given=document)

    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert sentence in done.stderr
