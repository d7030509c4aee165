"""backlit items import: the real command on a sample workspace."""

import json
from typing import Any

from tests.cli.conftest import Home

DEMO = ("--profile", "demo-60-1")


def items_of(home: Home, query: str) -> list[dict[str, Any]]:
    done = home.run(*DEMO, "items", "list", "--json", "--query", query)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_a_csv_file_makes_items_with_tasks_and_changes_others(home: Home) -> None:
    before = items_of(home, "type:story status:open")[0]
    lines = [
        "id,type,Name,est,owner,tags",
        ',story,"Zebra, with a comma",5,maya,"wild, striped"',
        ",task,Feed the zebra,,jon,",
        f"{before['id']},,,21,,",
    ]

    tried = home.run(*DEMO, "items", "import", "-", "--dry-run", given="\n".join(lines))
    done = home.run(*DEMO, "items", "import", "-", given="\n".join(lines))
    again = home.run(*DEMO, "items", "import", "-", given="\n".join([lines[0], lines[3]]))

    assert "2 new, 1 changed." in tried.stdout
    assert done.stdout.endswith("Written.\n"), (done.stdout, done.stderr)
    assert again.stdout == "Nothing changes.\n"
    story, task = items_of(home, "zebra")
    assert (story["fields"]["Estimate"], story["fields"]["Tags"]) == ("5", ["wild", "striped"])
    assert (task["type"], task["fields"]["ParentID"]) == ("Task", story["id"])
    assert items_of(home, f"#{before['id']}")[0]["fields"]["Estimate"] == "21"


def test_what_was_listed_as_json_is_imported_changed(home: Home) -> None:
    found = items_of(home, "type:bug status:open")[:2]
    found[0]["fields"]["Name"] = "Renamed by a file"
    done = home.run(*DEMO, "items", "import", "-", given=json.dumps(found))

    assert "0 new, 1 changed." in done.stdout
    assert [each["id"] for each in items_of(home, '"Renamed by a file"')] == [found[0]["id"]]


def test_every_fault_is_told_with_its_line_and_nothing_is_written(home: Home) -> None:
    lines = ["type,Name,est,area,IsVisibleInPortal", "Story,One,many,,", "Bug,,3,Nowhere,", "Feedback,Ok,,,yes"]
    wrong = home.run(*DEMO, "items", "import", "-", given="\n".join(lines))
    seen = home.run(*DEMO, "items", "import", "-", given="\n".join([lines[0], lines[3]]))
    unknown = home.run(*DEMO, "items", "import", "-", given="type,colour\nStory,red\n")

    assert wrong.returncode == seen.returncode == unknown.returncode == 1
    assert "Line 3: There is no area “Nowhere”." in wrong.stderr
    assert "Nothing was written." in wrong.stderr
    assert "--customers-see" in seen.stderr
    assert "Line 1: there is no field 'colour'." in unknown.stderr
