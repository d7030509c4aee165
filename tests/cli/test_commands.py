"""The command line: most of it in this process, its start, signals and pipes in processes of their own."""

import asyncio
import importlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.cli.home import COMMAND, DEMO, Home

from backlit.cli.arguments import parser
from backlit.cli.selection import values_of
from backlit.cli.wiring import connect_to
from backlit.config.settings import Locations, demo_profile, find_locations, local_profile
from backlit.model.version import VERSION
from backlit.store.item_documents import document_of
from backlit.store.journal.journal import Journal
from backlit.store.journal.undo_log import ItemCopy
from backlit.store.records.item import Item, RowSign

HEAVY = ("httpx", "sqlalchemy", "starlette", "textual", "rich", "uvicorn", "platformdirs", "asyncio")
SETTINGS = ("msgspec", "orjson", "pydantic", "shutil", "typing")


def locations_of(home: Home) -> Locations:
    return find_locations(home.environment)


def nothing(_sentence: str, _done: int, _total: int) -> None:
    return


@pytest.mark.parametrize(
    ("words", "function"),
    [
        ("", "open_app"),
        ("demo", "open_demo"),
        ("serve", "serve"),
        ("login https://example.org", "log_in"),
        ("logout", "log_out"),
        ("whoami", "show_user"),
        ("doctor", "examine"),
        ("trash", "show_trash"),
        ("items list", "list_items"),
        ("items show 1", "show_item"),
        ("items import -", "import_items"),
        ("log 1 2h", "log_work"),
        ("iterations start current", "record_event"),
        ("iterations close previous --withdraw", "record_event"),
        ("plan export", "export_plan"),
        ("plan apply -", "apply_plan"),
        ("report burnup", "write_report"),
        ("admin users list", "list_users"),
        ("admin grants list", "list_grants"),
        ("admin keys rotate", "rotate_key"),
        ("admin projects list", "list_projects"),
        ("admin teams list", "list_names"),
        ("admin time-entry-types list", "list_names"),
        ("admin fields list", "list_fields"),
        ("admin values list 1", "list_values"),
        ("admin export -", "export_workspace"),
        ("admin import -", "import_workspace"),
        ("admin backup place", "back_up_workspace"),
        ("admin restore place", "restore_workspace"),
        ("admin check", "check_workspace"),
    ],
)
def test_each_command_names_the_function_that_runs_it(words: str, function: str) -> None:
    module, _, name = parser().parse_args(words.split()).handler.partition(":")

    assert name == function
    assert callable(getattr(importlib.import_module(f"backlit.cli.{module}"), name))


def test_reading_the_command_line_loads_nothing_heavy() -> None:
    script = f"import sys, backlit.__main__; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "unneeded"),
    [
        ("--version", ("argparse", "typing")),
        ("--help", SETTINGS),
        ("items --help", SETTINGS),
        ("items list -h", SETTINGS),
    ],
)
def test_help_loads_no_settings(words: str, unneeded: tuple[str, ...]) -> None:
    script = f"import sys, backlit.__main__ as main\ntry:\n main.run({words.split()!r})\nexcept SystemExit:\n pass\n"
    script += f"print([name for name in {(*HEAVY, *unneeded)!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)

    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("text", "size"), [("77", 77), ("512k", 524_288), ("100M", 104_857_600), ("2G", 2**31)])
def test_a_size_may_have_a_unit(text: str, size: int) -> None:
    assert parser().parse_args(["serve", "--max-upload", text]).max_upload == size


def test_the_version_is_said(home: Home) -> None:
    assert home.run_apart("--version").stdout == f"backlit {VERSION}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["items"],
        ["items", "show", "x"],
        ["demo", "--items", "-3"],
        ["serve", "--port", "70000"],
        ["serve", "--max-upload", "5X"],
    ],
)
def test_a_wrong_usage_leaves_with_2(home: Home, arguments: list[str]) -> None:
    done = home.run(*arguments)

    assert done.returncode == 2
    assert "usage: backlit" in done.stderr


def test_a_number_below_zero_is_named_as_what_is_wrong(home: Home) -> None:
    assert "'-3' is not a whole number of 0 or more" in home.run("demo", "--items", "-3").stderr


@pytest.mark.parametrize("arguments", [[], ["demo"]])
def test_without_a_terminal_the_way_out_is_named(home: Home, arguments: list[str]) -> None:
    done = home.run(*arguments)

    assert done.returncode == 1
    assert done.stderr == "backlit: backlit needs a terminal. In a script, use: backlit items list --json\n"


def in_terminal(home: Home, *arguments: str, term: str = "xterm-256color") -> tuple[int, int]:
    process, terminal = pty.fork()
    if process == 0:
        os.execve(sys.executable, [*COMMAND, *arguments], home.environment | {"TERM": term})
    return process, terminal


def read_until(terminal: int, wanted: bytes) -> bytes:
    output = b""
    while wanted not in output:
        try:
            output += os.read(terminal, 65536)
        except OSError:
            break
    return output


def test_a_dumb_terminal_is_refused(home: Home) -> None:
    process, terminal = in_terminal(home, "demo", term="dumb")
    output = read_until(terminal, b"items list")
    _, status = os.waitpid(process, 0)
    os.close(terminal)

    assert b"items list --json" in output
    assert os.waitstatus_to_exitcode(status) == 1


def test_the_first_thing_on_the_screen_is_the_profile_before_anything_heavy_is_loaded(home: Home) -> None:
    process, terminal = in_terminal(home, "demo", "--items", "30")
    output = read_until(terminal, b"demo-30-1")
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    os.close(terminal)

    assert output.endswith(b"\x1b[H backlit  demo-30-1")


def test_ones_own_workspace_is_there_at_once_and_empty(home: Home) -> None:
    done = home.run("--profile", "local", "items", "list", "--json")

    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, [], "")


@pytest.mark.slow
def test_the_demo_is_listed_limited_and_filtered(demo_home: Home) -> None:
    listed = demo_home.run(*DEMO, "items", "list", "--limit", "5", "--table")
    done = demo_home.run(*DEMO, "items", "list", "--json", "--filter", "type eq 'Story' and projectId eq 1")
    items = json.loads(done.stdout)

    assert len(listed.stdout.splitlines()) == 6
    assert listed.stdout.split()[:3] == ["ID", "Type", "Status"]
    assert {item["type"] for item in items} == {"Story"}
    assert {"id", "type", "projectId", "fields", "lastModifiedAt"} <= items[0].keys()


@pytest.mark.slow
def test_the_demo_is_listed_by_a_query_in_an_order(demo_home: Home) -> None:
    items = ("items", "list")
    one = demo_home.run(*DEMO, *items, "--query", "id:19 text:funnel")  # a word of its description
    stories = demo_home.run(*DEMO, *items, "--query", "type:story", "--json")
    done = demo_home.run(
        *DEMO, *items, "--json", "--query", "(type:story or type:bug) est>2 status:open", "--sort", "est desc,name"
    )
    found = [
        (item["type"], float(item["fields"]["Estimate"]), item["fields"]["Name"]) for item in json.loads(done.stdout)
    ]
    wrong = demo_home.run(*DEMO, *items, "--query", "type:story colour:red")

    assert one.stdout == "19\tStory\tNot Done\t5\tmaya\tSuggest categories beside articles while typing\n"
    assert {each["fields"]["Status"] for each in json.loads(stories.stdout)} == {"Not Done", "In Progress"}
    assert found
    assert {kind for kind, *_ in found} <= {"Story", "Bug"}
    assert all(points > 2 for _, points, _ in found)
    assert [points for _, points, _ in found] == sorted((points for _, points, _ in found), reverse=True)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("backlit: The query has an error at character 12")


@pytest.mark.slow
def test_items_are_listed_in_the_order_of_a_computed_column(demo_home: Home) -> None:
    def ids(*options: str) -> list[int]:
        return [item["id"] for item in json.loads(demo_home.run(*DEMO, "items", "list", "--json", *options).stdout)]

    unready = ids("--query", "lint:any")
    ordered = ids("--sort", "lint desc")

    assert 0 < len(unready) < len(ordered)
    assert set(ordered[: len(unready)]) == set(unready)


def test_a_filter_that_cannot_be_read_is_one_sentence(home: Home) -> None:
    done = home.run("--profile", "local", "items", "list", "--filter", "Nope eq 1")

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Nope" in done.stderr


def test_items_show_writes_names_for_ids(demo_home: Home) -> None:
    listed = json.loads(demo_home.run(*DEMO, "items", "list", "--limit", "1", "--json").stdout)
    shown = demo_home.run(*DEMO, "items", "show", str(listed[0]["id"]))

    assert listed[0]["fields"]["Name"] in shown.stdout
    assert "Aurora" in shown.stdout


def test_items_show_writes_every_set_field_with_its_label_and_the_comments(demo_home: Home) -> None:
    story = demo_home.run(*DEMO, "items", "show", "19").stdout.splitlines()
    bug = demo_home.run(*DEMO, "items", "show", "2").stdout.splitlines()

    assert story[:6] == [
        "#19 Story  Suggest categories beside articles while typing",
        "Status               Not Done",
        "Owner                Maya Kent",
        "Team                 Foundations",
        "Description          ",
        "  We lose people at this step; the funnel shows it clearly.",
    ]
    assert story[-15:-4] == [
        r"Area                 Aurora\Search\Ranking",
        r"Iteration            Aurora\Release 3.2\Sprint 14",
        "Estimate             5",
        "Certainty            2 - Somewhat Uncertain",
        "Complexity           4 - Somewhat Complex",
        "Maturity             1 - Undefined",
        "Backlog priority     3.891",
        "Calculated estimate  10",
        "BusinessValue_cf     20",
        "Channel_cf           Web",
        "NeedsLegalReview_cf  no",
    ]
    assert story[-4] == "Blocked By           33 Store a card without storing the card number"
    assert "Tags                security, quick-win" in bug
    assert "Triaged             yes" in bug
    assert re.fullmatch(r"priya  \d{4}-\d\d-\d\d \d\d:\d\d", bug[-2])
    assert (bug[-3], bug[-1][:20]) == ("", "  This was fixed by ")


def test_an_item_has_each_of_its_values_under_its_own_name() -> None:
    made, changed = datetime(2026, 3, 1, 9), datetime(2026, 3, 2, 10, 30, 0, 5000)
    item = Item(7, "Bug", 3, {"Name": "Now"}, {"Name": "Then"}, "maya", made, "jon", changed, RowSign.NONE)
    names = {"id": 7, "type": "Bug", "projectId": 3, "createdBy": "maya", "lastModifiedBy": "jon"}
    times = {"createdAt": "2026-03-01T09:00:00.000", "lastModifiedAt": "2026-03-02T10:30:00.005"}

    assert document_of(item) == {**names, **times, "fields": {"Name": "Now"}}
    assert document_of(replace(item, created_at=None, sign=RowSign.CONFLICT)) == {
        **names,
        **times,
        "createdAt": None,
        "fields": {"Name": "Now"},
        "unsent": "conflict",
    }
    assert values_of(item) == {"Name": "Now", **names, "createdAt": made, "lastModifiedAt": changed}


def test_an_item_that_is_not_there_is_said(home: Home) -> None:
    done = home.run("--profile", "local", "items", "show", "4711")

    assert (done.returncode, done.stderr) == (
        4,
        "backlit: Work item 4711 does not exist here, or you have no access to it.\n",
    )


@pytest.mark.slow
def test_times_of_comments_are_local_and_those_of_documents_are_the_services(
    demo_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown(zone: str, *more: str) -> str:
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        return demo_home.run(*DEMO, "items", "show", "2", *more).stdout

    stamp = re.compile(r"^\S+  (\d{4}-\d\d-\d\d \d\d:\d\d)$", re.MULTILINE)
    try:
        there, here = (
            [datetime.fromisoformat(each) for each in stamp.findall(shown(zone))] for zone in ("LINT-14", "UTC0")
        )

        assert here
        assert there == [each + timedelta(hours=14) for each in here]
        assert shown("LINT-14", "--json") == shown("UTC0", "--json")
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.slow
async def test_created_items_persist_with_visible_control_characters(home: Home) -> None:
    hostile = "a\x1b]0;owned\x07b\u202ec\x9bd\U000e0041é"
    async with await connect_to(local_profile(), locations_of(home))(nothing) as client:
        await client.work_items.create({"type": "Story", "projectId": 1, "fields": {"Name": hostile}})

    def written(*words: str) -> str:
        return home.run("items", *words).stdout

    listed = await asyncio.to_thread(written, "list")
    documents = [await asyncio.to_thread(written, *words, "--json") for words in (["list"], ["show", "1"])]

    assert "a�]0;owned�b�c�d�é" in listed
    assert json.loads(documents[0]) == [json.loads(documents[1])]
    assert json.loads(documents[1])["fields"]["Name"] == hostile
    assert all("".join(text.split()).isprintable() for text in documents)


async def test_a_sign_in_to_the_workspace_is_kept_until_the_workspace_is_another(home: Home) -> None:
    profile, places, kept = local_profile(), locations_of(home), list[bytes]()
    for is_another in (False, False, True):
        if is_another:
            shutil.rmtree(places.workspace(profile))
        async with await connect_to(profile, places)(nothing) as client:
            assert (await client.projects.page()).results
        kept.append(places.tokens(profile).read_bytes())

    assert kept[0] == kept[1] != kept[2]


@pytest.mark.parametrize("words", [("items", "show"), ("trash",), ("log",)])
def test_a_number_that_no_item_can_have_is_refused(home: Home, words: tuple[str, ...]) -> None:
    done = home.run(*words, str(2**63), *(["1h"] if words == ("log",) else []))

    assert done.returncode == 2
    assert "9223372036854775808' is not an item number" in done.stderr


@pytest.mark.slow
def test_a_sample_whose_making_was_killed_is_made_again(home: Home) -> None:
    workspace = locations_of(home).workspace(demo_profile(3000, 1))
    making = home.start("--profile", "demo-3000-1", "items", "list", "--limit", "1")
    while not list(workspace.glob("*.part*")) and making.poll() is None:
        time.sleep(0.01)
    making.kill()
    making.communicate()

    assert not (workspace / "service.db").exists()
    assert home.run("--profile", "demo-3000-1", "items", "list", "--limit", "1").returncode == 0


@pytest.mark.slow
def test_two_processes_make_one_sample(home: Home) -> None:
    both = [home.start("--profile", "demo-300-1", "whoami") for _ in range(2)]
    outputs = [process.communicate(timeout=60) for process in both]

    assert [process.returncode for process in both] == [0, 0], outputs
    assert all(out.startswith("maya (Maya Kent)") for out, _ in outputs)


@pytest.mark.slow
def test_an_interrupted_command_leaves_with_130(home: Home) -> None:
    making = home.start("--profile", "demo-60000-1", "items", "list")
    workspace = locations_of(home).workspace(demo_profile(60000, 1))
    while not list(workspace.glob("*.part*")) and making.poll() is None:
        time.sleep(0.01)
    making.send_signal(signal.SIGINT)
    output, errors = making.communicate(timeout=90)

    assert (making.returncode, output, errors) == (130, "", "")


@pytest.mark.slow
def test_a_reader_that_has_enough_is_no_failure_to_shout_about(demo_home: Home) -> None:
    demo_home.run(*DEMO, "whoami")
    listing = demo_home.start(*DEMO, "items", "list", "--json")
    assert listing.stdout is not None
    listing.stdout.close()
    listing.wait(90)
    assert listing.stderr is not None
    with listing.stderr as errors:
        assert errors.read() == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("items", "list", "--json"), ("items", "list"), ("--version",), ("items", "import", "-", "--yes")]
)
def test_an_output_that_takes_nothing_is_said_in_a_sentence(demo_home: Home, words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *DEMO, *words], check=False, env=demo_home.environment,
            input="type,name\nStory,x\n", stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip

    assert done.returncode == 1
    sentence = "The output could not be written: No space left on device."
    failure = json.loads(done.stderr)["error"]["message"] if "--json" in words else done.stderr
    assert failure.endswith(sentence if "--json" in words else f"backlit: {sentence}\n")


@pytest.mark.slow
def test_a_closed_output_is_no_failure(demo_home: Home) -> None:
    closed = ["sh", "-c", '"$@" >&-', "sh", *COMMAND, *DEMO, "items", "list"]
    done = subprocess.run(closed, check=False, env=demo_home.environment, capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_limit_0_lists_all_items(home: Home) -> None:
    all_items = home.run("--profile", "demo-20-1", "items", "list")
    with_0 = home.run("--profile", "demo-20-1", "items", "list", "--limit", "0")

    assert with_0.stdout == all_items.stdout
    assert len(with_0.stdout.splitlines()) > 10
    assert "\tDone\t" in with_0.stdout


@pytest.mark.parametrize("place", ["", "config", "data", "state", "cache"])
@pytest.mark.parametrize(
    "words", [("--profile", "local", "items", "list"), ("login", "http://127.0.0.1:9", "--user", "maya")]
)
def test_a_directory_that_cannot_be_written_is_said(home: Home, place: str, words: tuple[str, ...]) -> None:
    taken = home.path / place
    taken.parent.mkdir(parents=True, exist_ok=True)
    taken.write_text("a file in the place of the directory, which root cannot write to either")

    done = home.run(*words, given="secret\n")

    assert done.returncode in {1, 5}
    assert done.stderr.startswith("backlit: ")
    assert "Traceback" not in done.stderr


def test_a_profile_that_is_not_there_is_said(home: Home) -> None:
    done = home.run("--profile", "nowhere", "whoami")

    assert done.returncode == 4
    assert done.stderr.startswith("backlit: There is no profile 'nowhere'.")


@pytest.fixture(autouse=True)
def _no_home_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKLIT_HOME", str(tmp_path / "unused"))


def test_copies_of_deleted_items_are_listed_and_written(demo_home: Home) -> None:
    journal = find_locations(demo_home.environment).journal(demo_profile(60))
    item = {"id": 7, "type": "Story", "projectId": 1, "fields": {"Name": "Gone\x1b[31m"}}
    empty = demo_home.run(*DEMO, "trash")
    journal.parent.mkdir(parents=True, exist_ok=True)
    with closing(Journal(journal)) as opened:
        opened.trash.keep(ItemCopy({**item, "fields": {"Name": "Older"}}))
        opened.trash.keep(ItemCopy(item, tasks=[{"id": 8}]))

    listed = demo_home.run(*DEMO, "trash")
    whole = demo_home.run(*DEMO, "trash", "7")
    missing = demo_home.run(*DEMO, "trash", "9")

    assert (empty.returncode, empty.stdout) == (0, "")
    assert listed.stdout.splitlines()[0].split("\t")[1:] == ["7", "Story", "1", "0", "Gone�[31m"]
    assert "\x1b" not in listed.stdout
    assert json.loads(whole.stdout)["item"] == item
    assert (missing.returncode, "No copy of item 9" in missing.stderr) == (4, True)
