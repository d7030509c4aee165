"""Commands on the summary of the groom queue."""

import re
from typing import Protocol

from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.save_file import Saved, file_in, save_file
from backlit.tui.shell.paths import downloads
from backlit.tui.shell.target import StoreTarget
from backlit.tui.widgets.text_view import TextView

_NOT_FOR_FILES = re.compile(r"[^\w.-]+")


class SummaryTarget(StoreTarget, Protocol):
    """The summary of a queue of `count` items."""

    count: int
    text: TextView

    def quoted(self) -> str:
        """Return the summary for use outside of backlit, with users' texts escaped."""

    def go_to(self, place: int) -> None:
        """Show a place of the queue instead."""

    def dismiss(self, result: None = None) -> object:
        """Close the summary."""


def scroll(target: SummaryTarget, call: Call) -> None:
    """Scroll by a page, in the direction of the command's argument."""
    target.text.page_by(int(call.command.argument))


def copy(target: SummaryTarget, _call: Call) -> None:
    """Copy the Markdown."""
    markdown = target.quoted()
    target.copy(markdown)
    target.say(f"Copied the summary, {len(markdown.splitlines()):,} lines of Markdown.")


async def save(target: SummaryTarget, _call: Call) -> None:
    """Ask for a path and save the summary there; asks before it replaces a file."""
    store, markdown = target.store, target.quoted()
    project = next((each.name for each in store.lookups.projects() if each.id == store.project_id), "")
    name = f"groomed-{_NOT_FOR_FILES.sub('-', project).strip('-.').lower()}-{store.today().isoformat()}.md"
    await save_file(target, Saved("Save the summary", lambda _path: markdown, file_in), downloads() / name)


def go_back(target: SummaryTarget, _call: Call) -> None:
    """Go back to the last item of the queue."""
    stop = target.store.grooming.previous_stop(target.count)
    if stop is None:
        raise CannotAct("None of the items is there any more.")
    target.go_to(stop.place)


def leave(target: SummaryTarget, _call: Call) -> None:
    """Leave the summary; the queue stays for the next time."""
    target.say("gq shows the summary again; q there ends the queue.")
    target.dismiss(None)


async def close(target: SummaryTarget, _call: Call) -> None:
    """Close the summary and end the queue."""
    target.dismiss(None)
    await target.store.grooming.end()
