"""What a list takes on the command line: `:sort est desc`, `:group area`, `:view Mine`, `:filter @me`, `:explain`."""

from collections.abc import Sequence
from dataclasses import replace

from textual.content import Content

from backlit.model.errors import BadRequest
from backlit.model.query import Candidate, complete
from backlit.store.views import View
from backlit.store.views_saved import MOST_GROUPS, sort_key
from backlit.tui.commands import Command
from backlit.tui.spoken import beginning
from backlit.tui.text import literal
from backlit.tui.view_tabs import ViewTabs


class ListWords(ViewTabs):
    """A list that is told what to show."""

    shown_view: View

    def may_follow(self, command: Command, text: str, cursor: int) -> Sequence[Candidate]:
        """Fields, names of views, parts of a query."""
        match command.id:
            case "list.sort" | "list.group" | "list.columns":
                begun = max(text.rfind(" ", 0, cursor), text.rfind(",", 0, cursor)) + 1
                part = text[begun:cursor].lower()
                keys = self.store.names.vocabulary().keys
                never = {"text"} if command.id == "list.columns" else {"text", "lint"}
                return [Candidate(key, begun, cursor) for key in keys if key.startswith(part) and key not in never]
            case "list.filter":
                return complete(text, cursor, self.store.names.vocabulary()) if text.strip() else ()
            case "view.go":
                return beginning([each.name for each in self.tabs], text, cursor)
        return ()

    def told_list_sort(self, keys: str) -> None:
        """Sort by some fields. Raises BadRequest naming what is none."""
        found = [sort_key(part.strip()) for part in keys.split(",") if part.strip()]
        self.show_spec(replace(self.spec, sort=tuple(replace(key, name=self.key_named(key.name)) for key in found)))

    def told_list_group(self, keys: str) -> None:
        """Group by a field or two. Raises BadRequest naming what is none."""
        names = () if keys == "none" else tuple(map(self.key_named, keys.replace(",", " ").split()))
        if len(names) > MOST_GROUPS:
            raise BadRequest(f"A list is grouped by {MOST_GROUPS} fields at most.")
        self.show_spec(replace(self.spec, group=names))

    def told_list_filter(self, query: str) -> None:
        """Show of the view what a query asks for. Raises BadRequest naming the place in it."""
        self.show_spec(self.narrowed(query, self.tab.spec.query))

    def told_view_go(self, name: str) -> None:
        """Go to a view by its name or number. Raises BadRequest naming those there are."""
        self.go_to_view(self.view_named(name))

    def told_view_save(self, name: str) -> None:
        """Keep what is shown under a name."""
        self.save_view(name)

    def do_list_explain(self, _count: int | None) -> None:
        """Show what ran for the list, and what the service was asked."""
        from backlit.tui.dialogs.reading import ReadingDialog

        lines: list[Content] = []
        for sentence in self.shown_view.explain():
            lines += [literal(sentence), literal("")]
        self.app.push_screen(ReadingDialog("What ran for this list", lines[:-1]))
