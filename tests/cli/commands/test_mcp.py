"""The tools of `backlit mcp`, asked for over standard input and output by the library's own client."""

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.cli.home import DEMO, Home

from backlit.config.settings import NO_WORKSPACE

pytest.importorskip("mcp", reason="needs the extra mcp")

from mcp import Client, StdioServerParameters, stdio_client

pytestmark = pytest.mark.slow
STORY = 19
WRITING = {"items_new", "items_set", "items_move", "items_assign", "comments_add", "plan_apply", "undo"}


class Tools:
    """A client with what it is answered."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def names(self) -> set[str]:
        return {tool.name for tool in (await self._client.list_tools()).tools}

    async def call(self, name: str, /, **arguments: Any) -> Mapping[str, Any]:
        done = await self._client.call_tool(name, arguments)
        assert not done.is_error, done.content
        found: Mapping[str, Any] = done.structured_content
        return found

    async def refused(self, name: str, /, **arguments: Any) -> str:
        done = await self._client.call_tool(name, arguments)
        assert done.is_error, done.structured_content
        text = str(done.content[0].text)  # type: ignore[union-attr]
        return text.removeprefix(f"Error executing tool {name}: ")


@asynccontextmanager
async def tools(home: Home, *options: str) -> AsyncIterator[Tools]:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "backlit", "mcp", *options], env=home.environment
    )
    async with Client(stdio_client(server)) as client:
        yield Tools(client)


async def test_reading_tools_answer_with_the_documents_within_bounds(demo_home: Home) -> None:
    async with tools(demo_home, *DEMO) as reading:
        names = await reading.names()
        listed = await reading.call("items_list", query="status:open", limit=3)
        shown = await reading.call("items_show", ids=[STORY])
        report = await reading.call("report", name="velocity")
        others = [await reading.call(name) for name in ("iterations_list", "areas_list", "users_list", "plan_show")]

    assert not names & WRITING
    assert len(names) == 11
    assert [len(listed["results"]), listed["more"]] == [3, True]
    assert listed["count"] > 3
    assert shown["results"][0]["names"]["AssignedToID"]["user"] == "maya"
    assert report["report"] == "velocity"
    assert all(each["results"] for each in others)


async def test_a_change_is_made_after_its_dry_run_and_undone(demo_home: Home) -> None:
    change = {"ids": [STORY], "fields": {"est": "8"}}
    async with tools(demo_home, *DEMO, "--write") as writing:
        names = await writing.names()
        early = await writing.refused("items_set", **change, dry_run=False)
        planned = await writing.call("items_set", **change)
        before = await writing.call("items_show", ids=[STORY])
        done = await writing.call("items_set", **change, dry_run=False)
        again = await writing.refused("items_set", **change, dry_run=False)
        after = await writing.call("items_show", ids=[STORY])
        await writing.call("undo")
        undone = await writing.call("undo", dry_run=False)

    assert names >= WRITING
    assert early.startswith("Call the tool with dry_run true first")
    assert again == early
    assert planned["dryRun"] is True
    assert planned["items"][0]["changes"] == [{"field": "Estimate", "before": "5", "after": "8"}]
    assert [each["results"][0]["fields"]["Estimate"] for each in (before, after)] == ["5", "8"]
    assert [each["items"][0]["state"] for each in (done, undone)] == ["saved", "saved"]


async def test_an_item_is_made_commented_on_and_moved(demo_home: Home) -> None:
    async with tools(demo_home, *DEMO, "--write") as writing:
        new = {"name": "--yes = a name", "type": "bug", "fields": {"tags": "found", "desc": "First\nsecond"}}
        await writing.call("items_new", **new)
        made = await writing.call("items_new", **new, dry_run=False)
        item = made["results"][0]["id"]
        for name, arguments in (
            ("comments_add", {"id": item, "text": "--customers-see"}),
            ("items_move", {"ids": [item], "iteration": "next"}),
            ("items_assign", {"ids": [item], "who": "me"}),
        ):
            await writing.call(name, **arguments)
            await writing.call(name, **arguments, dry_run=False)
        shown = (await writing.call("items_show", ids=[item]))["results"][0]
        comments = await writing.call("comments_list", id=item)

    assert (shown["fields"]["Name"], shown["fields"]["Description"]) == ("--yes = a name", "First\nsecond")
    assert shown["names"]["IterationID"]["name"] == "Sprint 15"
    assert shown["names"]["AssignedToID"]["user"] == "maya"
    assert [each["text"] for each in comments["results"]] == ["--customers-see"]


SEEN = {"PortalDescription": "Text"}
REFUSED: Sequence[tuple[str, Mapping[str, Any], str]] = (
    ("items_show", {"ids": [987654]}, "Work item 987654 does not exist here"),
    ("items_list", {"query": "colour:red"}, "unknown key"),
    ("items_set", {"ids": [STORY], "fields": {"desc": "@/etc/passwd"}}, "would be read from a file"),
    ("items_new", {"name": "A", "type": "Feedback", "fields": SEEN}, "Customers see PortalDescription."),
    ("comments_add", {"id": STORY, "text": "-"}, "would be read from a file"),
    ("items_assign", {"ids": [STORY], "who": "nobody"}, "Unknown user “nobody”."),
    ("items_move", {"ids": [STORY], "iteration": "--area=Checkout"}, "Unknown iteration"),
    ("items_list", {"limit": 100_000}, "200"),
    ("report", {"name": "nothing"}, "invalid choice: 'nothing'"),
)


async def test_bad_arguments_are_refused_with_a_sentence(demo_home: Home) -> None:
    async with tools(demo_home, *DEMO, "--write") as writing:
        made = {"name": "A wish", "type": "Feedback"}
        await writing.call("items_new", **made)
        wish = (await writing.call("items_new", **made, dry_run=False))["results"][0]["id"]
        changed = await writing.refused("items_set", ids=[wish], fields=SEEN)
        answers = [await writing.refused(name, **arguments) for name, arguments, _ in REFUSED]

    assert changed == "Customers see PortalDescription. Only a person changes that."
    assert [answer for answer, (*_, sentence) in zip(answers, REFUSED, strict=True) if sentence not in answer] == []


async def test_without_a_workspace_a_tool_says_how_to_begin(home: Home) -> None:
    async with tools(home) as reading:
        assert await reading.refused("items_list") == NO_WORKSPACE
