"""The verbs that act on a work item, the same on every screen that has a current one (KEYMAP, rule e)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from backlit.model.errors import BacklitError
from backlit.model.fields import FIELD_BY_KEY, NAME_LIMIT, ItemType
from backlit.store.people import TreeKind
from backlit.store.rows import Item
from backlit.tui.acting import CannotAct
from backlit.tui.ages import days_until
from backlit.tui.looks import status_sign, type_sign
from backlit.tui.screens.base import StoreScreen

if TYPE_CHECKING:
    from backlit.tui.dialogs.pick import Choice

NEW_TYPES = (
    ItemType.STORY,
    ItemType.BUG,
    ItemType.FEATURE,
    ItemType.ISSUE,
    ItemType.RISK,
    ItemType.FEEDBACK,
)


class ItemVerbs(StoreScreen[None]):
    """A screen with a current item; subclasses say which, and what to do with a new one."""

    def current_item(self) -> Item:
        """The item the verbs act on; raises CannotAct where there is none."""
        raise NotImplementedError

    def item_added(self, item_id: int) -> None:
        """A new item was journalled under a temporary id."""

    # Changing one field

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

    # Whole items

    def do_item_open(self, _count: int | None) -> None:
        """Open the editor."""
        from backlit.tui.screens.editor import EditorScreen

        self.app.push_screen(EditorScreen(self.store, self.current_item().id))

    def do_item_add(self, _count: int | None) -> None:
        """Ask for type and name, then add an item in the same area and iteration."""
        from backlit.tui.dialogs.pick import Choice, PickDialog

        choices = [Choice(kind, kind.value, type_sign(kind)) for kind in NEW_TYPES]

        def chosen(choice: Choice | None) -> None:
            if choice is not None:
                self._ask_name(ItemType(str(choice.value)), self.inherited())

        self.app.push_screen(PickDialog("New item", choices), chosen)

    def do_item_add_task(self, _count: int | None) -> None:
        """Ask for a name, then add a task under the item (or beside it, when it is a task)."""
        item = self.current_item()
        parent = item.fields.get("ParentID") if item.type == ItemType.TASK else item.id
        preset = {key: item.fields.get(key) for key in ("AreaID", "IterationID")}
        self._ask_name(ItemType.TASK, {**preset, "ParentID": parent})

    def inherited(self) -> dict[str, object]:
        """What a new item takes over from where it is added."""
        try:
            item = self.current_item()
        except CannotAct:
            return {}
        return {key: item.fields[key] for key in ("AreaID", "IterationID") if item.fields.get(key) is not None}

    def do_item_comment(self, _count: int | None) -> None:
        """Write a comment; what is typed is kept as a draft until it is sent."""
        from backlit.tui.dialogs.compose import ComposeDialog

        item = self.current_item()

        def written(text: str | None) -> None:
            if text and text.strip():
                self.run_worker(self._comment(item.id, text), group="writes")

        dialog = ComposeDialog(self.store, f"comment:{item.id}", f"Comment on {item.fields.get('Name') or item.id}")
        self.app.push_screen(dialog, written)

    def do_item_comments(self, _count: int | None) -> None:
        """Go to the comments."""
        from backlit.tui.screens.comments import CommentsScreen

        self.app.push_screen(CommentsScreen(self.store, self.current_item().id))

    def do_item_copy_id(self, _count: int | None) -> None:
        """Copy the id."""
        self._copy(str(self.current_item().id))

    def do_item_copy_name(self, _count: int | None) -> None:
        """Copy the name."""
        self._copy(str(self.current_item().fields.get("Name") or ""))

    # How

    def change(self, item: Item, changes: Mapping[str, object]) -> None:
        """Journal a change; a refusal is said and nothing is changed."""
        self.run_worker(self._write(item.id, changes), group="writes")

    async def _write(self, item_id: int, changes: Mapping[str, object]) -> None:
        try:
            await self.store.edit([item_id], changes)
        except BacklitError as error:
            self.say(" ".join([str(error), *error.errors.values()]), is_bad=True)

    async def _add(self, item_type: ItemType, fields: Mapping[str, object]) -> None:
        try:
            self.item_added(await self.store.add(item_type, fields))
        except BacklitError as error:
            self.say(" ".join([str(error), *error.errors.values()]), is_bad=True)

    async def _comment(self, item_id: int, text: str) -> None:
        try:
            await self.store.comment(item_id, text)
        except BacklitError as error:
            self.say(str(error), is_bad=True)
            return
        await self.store.discard_draft(f"comment:{item_id}")

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

        check = _check_name if key == "Name" else None
        dialog = LineDialog(FIELD_BY_KEY[key].label, str(item.fields.get(key) or ""), check)
        self.app.push_screen(dialog, typed)

    def _ask_name(self, item_type: ItemType, preset: Mapping[str, object]) -> None:
        from backlit.tui.dialogs.line import LineDialog

        def typed(text: str | None) -> None:
            if text is not None:
                self.run_worker(self._add(item_type, {**preset, "Name": text.strip()}), group="writes")

        self.app.push_screen(LineDialog(f"New {item_type.value.lower()}", "", _check_name), typed)

    def _copy(self, text: str) -> None:
        self.app.copy_to_clipboard(text)
        self.say(f"Copied {text}")


def _check_name(text: str) -> str | None:
    if not text.strip():
        return "A name is needed; esc leaves without one."
    if len(text.strip()) > NAME_LIMIT:
        return f"A name has at most {NAME_LIMIT} characters; this one has {len(text.strip())}."
    return None
