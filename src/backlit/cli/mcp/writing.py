"""Tools that change something, each after a dry run. None deletes for good, or writes what customers see."""

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from backlit.cli.mcp.reading import MAX_ITEMS, Results, Run
from backlit.store.records.item import is_seen_by_customers

Ids = Annotated[list[int], Field(min_length=1, max_length=MAX_ITEMS)]
Fields = Annotated[
    dict[str, str], Field(description="Values by name, such as est, owner, iter, area, tags, status, desc or priority.")
]
_FIRST = "Call the tool with dry_run true first, look at the changes, and then call it again with the same arguments."


class WritingTools:
    """Tools that go through the outbox as the commands do."""

    def __init__(self, run: Run, failure: Callable[[str], Exception]) -> None:
        self._run = run
        self._failure = failure
        self._shown: set[str] = set()
        """The changes that a dry run has shown, and that may be made once."""

    def all(self) -> Iterable[Callable[..., Any]]:
        yield from (self.items_new, self.items_set, self.items_move, self.items_assign)
        yield from (self.comments_add, self.plan_apply, self.undo)

    def items_new(self, name: str, type: str = "Story", fields: Fields | None = None, dry_run: bool = True) -> Results:  # noqa: A002
        """Make a work item. The first call is a dry run."""
        words = [f"name={self._text(name)}", *self._assignments(fields or {})]
        return self._change(["items", "new", f"--type={type}"], words, dry_run=dry_run)

    def items_set(self, ids: Ids, fields: Fields, dry_run: bool = True) -> Results:
        """Change fields of work items; an empty value clears one. The first call is a dry run."""
        return self._change(["items", "set", "--yes"], [*map(str, ids), *self._assignments(fields)], dry_run=dry_run)

    def items_move(self, ids: Ids, iteration: str, dry_run: bool = True) -> Results:
        """Move work items to an iteration: a name, current, next, or backlog. The first call is a dry run."""
        return self._change(["items", "move", "--yes"], [*map(str, ids), iteration], dry_run=dry_run)

    def items_assign(self, ids: Ids, who: str, dry_run: bool = True) -> Results:
        """Give work items to a person: a user name, me, or none. The first call is a dry run."""
        return self._change(["items", "assign", "--yes"], [*map(str, ids), who], dry_run=dry_run)

    def comments_add(self, id: int, text: str, dry_run: bool = True) -> Results:  # noqa: A002
        """Comment on a work item; customers do not see it. The first call is a dry run."""
        return self._change(["comments", "add"], [str(id), self._text(text)], dry_run=dry_run)

    def plan_apply(self, plan: str, dry_run: bool = True) -> Results:
        """Apply a plan as text, as `backlit plan export` writes it. The first call is a dry run."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "plan"
            file.write_text(plan, encoding="utf-8")
            self._need_shown(["plan", plan], dry_run=dry_run)
            told = self._run(["plan", "apply", *(["--dry-run"] if dry_run else [])], [str(file)])
        self._note(["plan", plan], dry_run=dry_run)
        return {"text": told, "dryRun": dry_run}

    def undo(self, dry_run: bool = True) -> Results:
        """Undo the last change of one item on this machine. The first call is a dry run."""
        return self._change(["undo"], [], dry_run=dry_run)

    def _change(self, words: Sequence[str], places: Sequence[str], *, dry_run: bool) -> Results:
        key = [*words, *places]
        self._need_shown(key, dry_run=dry_run)
        found = self._run([*words, "--json", *(["--dry-run"] if dry_run else [])], places)
        if dry_run:
            self._refuse_for_customers(found)
        self._note(key, dry_run=dry_run)
        return found if isinstance(found, dict) else {"results": found, "dryRun": dry_run}

    def _need_shown(self, key: Sequence[str], *, dry_run: bool) -> None:
        if not dry_run and json.dumps(key) not in self._shown:
            raise self._failure(_FIRST)

    def _note(self, key: Sequence[str], *, dry_run: bool) -> None:
        if dry_run:
            self._shown.add(json.dumps(key))
        else:
            self._shown.discard(json.dumps(key))

    def _refuse_for_customers(self, found: Any) -> None:
        keys = {str(row["field"]) for item in found["items"] for row in item["changes"]}
        seen = sorted(filter(is_seen_by_customers, keys))
        if seen:
            raise self._failure(f"Customers see {', '.join(seen)}. Only a person changes that.")

    def _assignments(self, fields: Mapping[str, str]) -> list[str]:
        return [f"{name}={self._text(value)}" for name, value in fields.items()]

    def _text(self, value: str) -> str:
        """Return a value that no command reads from a file or from the input; raise ToolError for another."""
        if value == "-" or value.startswith("@"):
            raise self._failure(f"“{value[:40]}” would be read from a file. Begin the text with another character.")
        return value
