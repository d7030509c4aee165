"""`backlit time list` and `--with time`, on the sample."""

from datetime import date, timedelta

import pytest
from tests.cli.admin_world import Done
from tests.cli.home import DEMO, Home


def listed(home: Home, *words: str) -> Done:
    return home.run(*DEMO, "time", "list", *words)


def test_logged_hours_are_listed_with_unsent_ones_and_summed_up(demo_home: Home) -> None:
    (task,) = demo_home.run(*DEMO, "items", "list", "--query", "type:task", "--limit", "1", "--json=id").json
    demo_home.run(*DEMO, "log", str(task["id"]), "2.5", "--offline", "--note", "Seen\x1b[2J")
    words = ("--mine", "--offline")

    entries = listed(demo_home, *words, "--json").json
    text = listed(demo_home, *words)
    by_person = listed(demo_home, *words, "--by", "person", "--json").json
    by_feature = listed(demo_home, *words, "--by", "feature", "--csv").stdout.splitlines()

    first, whole = entries[0], sum(each["hours"] for each in entries)
    assert (first["hours"], first["item"], first["unsent"]) == (2.5, task["id"], True)
    assert {each["user"] for each in entries} == {first["user"]}
    assert "\x1b" not in text.stdout
    assert len(text.stdout.splitlines()) == len(entries)
    assert [(each["name"], each["entries"]) for each in by_person] == [(first["user"], len(entries))]
    assert by_person[0]["hours"] == pytest.approx(whole)
    assert by_feature[0] == "name,hours,entries"
    assert sum(int(line.rpartition(",")[2]) for line in by_feature[1:]) == len(entries)


def test_hours_of_everybody_are_read_from_the_server_or_the_list_says_what_is_missing(demo_home: Home) -> None:
    offline = listed(demo_home, "--json", "--offline")
    online = listed(demo_home, "--json")

    days = {date.fromisoformat(each["day"]) for each in online.json}
    assert "only the entries that this machine has read" in offline.stderr
    assert len({each["user"] for each in online.json}) > len({each["user"] for each in offline.json})
    assert max(days) - min(days) < timedelta(days=14)
    assert not online.stderr


def test_a_week_without_hours_says_so(demo_home: Home) -> None:
    done = listed(demo_home, "--week", "2001-W07", "--offline", "--table")

    assert "No hours were logged from 2001-02-12 to 2001-02-18." in done.stderr
    assert done.stdout == ""


def test_items_have_all_hours_of_tasks_with_them(demo_home: Home) -> None:
    entries = listed(demo_home, "--json").json
    task = max(entries, key=lambda each: each["day"])["item"]

    shown = demo_home.run(*DEMO, "items", "show", str(task), "--with", "time", "--json").json
    refused = demo_home.run(*DEMO, "items", "list", "--with", "time", "--csv")

    assert {each["id"] for each in entries if each["item"] == task} <= {each["id"] for each in shown["time"]}
    assert refused.returncode == 2
    assert "--with time needs --json or --ndjson." in refused.stderr
