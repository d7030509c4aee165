"""The verbs that change one field of a work item, the same on every screen that has a current one (KEYMAP, rule e)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from backlit.model.errors import BacklitError
from backlit.model.fields import FIELD_BY_KEY, NAME_LIMIT
from backlit.store.people import TreeKind
from backlit.store.rows import Item
from backlit.tui.acting import CannotAct
from backlit.tui.ages import days_until
from backlit.tui.looks import status_sign
from backlit.tui.screens.base import StoreScreen

if TYPE_CHECKING:
    from backlit.tui.dialogs.pick import Choice


class FieldVerbs(StoreScreen[None]):
    """A screen with a current item; subclasses say which."""

    def current_item(self) -> Item:
        """The item the verbs act on; raises CannotAct where there is none."""
        raise NotImplementedError

    def do_item_status(self, _count: int | None) -> None:
        """Pick another status."""
        from backlit.tui.dialogs.pick import Choice

        item = self._item_with("Status")
        choices = [Choice(status, status, status_sign(status)) for status in self.store.statuses(item.type)]
        self._pick(item, "Status", choices)

    def do_item_estimate(self, _count: int | None) -> None:
        """Type another estimate."""
        self._ask_line(self._item_with("Estimate"), "Estimate")

    def do_item_name(self, _count: int | None) -> None:
        """Type another name."""
        self._ask_line(self.current_item(), "Name")

    def do_item_assign_me(self, _count: int | None) -> None:
        """Assign to the user who is signed in."""
        user = self.store.connection.user
        if user is None:
            raise CannotAct("Nobody is signed in yet, so there is no “me” to assign to.")
        self.change(self._item_with("AssignedToID"), {"AssignedToID": user.id})

    def do_item_unassign(self, _count: int | None) -> None:
        """Take the owner off."""
        self.change(self._item_with("AssignedToID"), {"AssignedToID": None})

    def do_item_assign(self, _count: int | None) -> None:
        """Pick another owner."""
        from backlit.tui.dialogs.pick import Choice

        people = sorted(self.store.people().values(), key=lambda person: person.display_name.casefold())
        choices = [Choice(person.id, person.display_name, person.username) for person in people]
        self._pick(self._item_with("AssignedToID"), "AssignedToID", [Choice(None, "–", "nobody"), *choices])

    def do_item_iteration(self, _count: int | None) -> None:
        """Pick another iteration."""
        self._pick_node(self.current_item(), TreeKind.ITERATIONS, "IterationID")

    def do_item_area(self, _count: int | None) -> None:
        """Pick another area."""
        self._pick_node(self.current_item(), TreeKind.AREAS, "AreaID")

    # How

    def change(self, item: Item, changes: Mapping[str, object]) -> None:
        """Journal a change; a refusal is said and nothing is changed."""
        self.run_worker(self._write(item.id, changes), group="writes")

    async def _write(self, item_id: int, changes: Mapping[str, object]) -> None:
        try:
            await self.store.edit([item_id], changes)
        except BacklitError as error:
            self.say(" ".join([str(error), *error.errors.values()]), is_bad=True)

    def _item_with(self, key: str) -> Item:
        item = self.current_item()
        field = FIELD_BY_KEY[key]
        if not field.applies_to(item.type):
            raise CannotAct(f"A {item.type.lower()} has no {field.label.lower()}.")
        return item

    def _pick(self, item: Item, key: str, choices: "list[Choice]") -> None:
        from backlit.tui.dialogs.pick import PickDialog

        def chosen(choice: "Choice | None") -> None:
            if choice is not None:
                self.change(item, {key: choice.value})

        self.app.push_screen(PickDialog(FIELD_BY_KEY[key].label, choices, item.fields.get(key)), chosen)

    def _pick_node(self, item: Item, kind: TreeKind, key: str) -> None:
        from backlit.tui.dialogs.pick import Choice

        tree = self.store.tree(kind)
        dates = self.store.iterations() if kind is TreeKind.ITERATIONS else {}
        choices = []
        for node in tree.walk():
            end = dates[node.id].end if node.id in dates else None
            hint = days_until(end, self.store.today()) if end else ""
            choices.append(Choice(node.id, "  " * tree.depth(node.id) + node.name, hint))
        self._pick(item, key, choices)

    def _ask_line(self, item: Item, key: str) -> None:
        from backlit.tui.dialogs.line import LineDialog

        def typed(text: str | None) -> None:
            if text is not None:
                self.change(item, {key: text.strip() or None if key != "Name" else text.strip()})

        check = check_name if key == "Name" else None
        text = str(item.fields.get(key) or "")
        dialog = LineDialog(FIELD_BY_KEY[key].label, text, check, is_replaced=key != "Name")
        self.app.push_screen(dialog, typed)


def check_name(text: str) -> str | None:
    """What is wrong with a name, as a sentence; None where nothing is (DECISIONS, "Work items")."""
    if not text.strip():
        return "A name is needed; esc leaves without one."
    if len(text.strip()) > NAME_LIMIT:
        return f"A name has at most {NAME_LIMIT} characters; this one has {len(text.strip())}."
    return None
