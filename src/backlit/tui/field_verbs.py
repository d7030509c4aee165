"""The verbs that change one field, the same on every screen that has items (KEYMAP, rule e)."""

from backlit.model.fields import SYNC_KEYS, Settable, fields_of
from backlit.tui.acting import CannotAct
from backlit.tui.acts import field_named, to_value
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.field_asking import FieldAsking, title_of


class FieldVerbs(FieldAsking):
    """One verb for each field that is changed often, and one for any of them."""

    def do_item_status(self, _count: int | None) -> None:
        """Pick another status."""
        self.ask("Status")

    def do_item_assign(self, _count: int | None) -> None:
        """Pick another owner."""
        self.ask("AssignedToID")

    def do_item_iteration(self, _count: int | None) -> None:
        """Pick another iteration."""
        self.ask("IterationID")

    def do_item_area(self, _count: int | None) -> None:
        """Pick another area."""
        self.ask("AreaID")

    def do_item_team(self, _count: int | None) -> None:
        """Pick another team."""
        self.ask("TeamID")

    def do_item_tags(self, _count: int | None) -> None:
        """Put tags on and take tags off."""
        self.ask("Tags")

    def do_item_name(self, _count: int | None) -> None:
        """Type another name."""
        self.ask("Name")

    def do_item_description(self, _count: int | None) -> None:
        """Write another description."""
        self.ask("Description")

    def do_item_estimate(self, _count: int | None) -> None:
        """Type another estimate."""
        self.ask("Estimate")

    def do_item_priority(self, _count: int | None) -> None:
        """Type another priority."""
        self.ask("Priority")

    def do_item_priority_class(self, _count: int | None) -> None:
        """Pick another class of priority."""
        self.ask("PriorityClass")

    def do_item_severity(self, _count: int | None) -> None:
        """Pick another severity."""
        self.ask("Severity")

    def do_item_remaining(self, _count: int | None) -> None:
        """Type how much work remains."""
        self.ask("WorkRemaining")

    def do_item_blocking(self, _count: int | None) -> None:
        """Say that it blocks, or that it does not."""
        self.ask("IsBlocking")

    def do_item_field(self, _count: int | None) -> None:
        """Pick a field, then its value."""
        items = self.chosen()
        found: dict[str, Choice] = {}
        for item_type in dict.fromkeys(item.type for item in items):
            for field in fields_of(item_type, self.store.custom_fields()):
                if field.settable is Settable.ALWAYS and field.key not in SYNC_KEYS:
                    having = sum(field.applies_to(item.type) for item in items)
                    hint = field.section.value if having == len(items) else f"{having:,} of {len(items):,}"
                    found[field.key] = Choice(field.key, field.label, hint)

        def picked(key: object) -> None:
            try:
                self.ask(str(key), items)
            except CannotAct as reason:
                self.say(str(reason), is_bad=True)

        self.pick(title_of("Field", len(items), len(items)), list(found.values()), None, picked)

    # Owner

    def do_item_assign_me(self, _count: int | None) -> None:
        """Assign to the user who is signed in."""
        user = self.store.connection.user
        if user is None:
            raise CannotAct("Nobody is signed in yet, so there is no “me” to assign to.")
        self.set_owner(user.id, user.display_name)

    def do_item_unassign(self, _count: int | None) -> None:
        """Take the owner off."""
        self.set_owner(None, "nobody")

    def set_owner(self, user_id: int | None, words: str) -> None:
        """Give the chosen items to somebody, or to nobody."""
        items = self.chosen()
        self.having("AssignedToID", items)
        self.carry_out(to_value(field_named("AssignedToID", self.store), user_id, words), items)
