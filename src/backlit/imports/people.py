"""People of a file, found among the users of the service."""

from collections.abc import Mapping, Sequence

from backlit.imports.formats.markup import display_name
from backlit.imports.words.tables import folded
from backlit.store.records.people import Person


class PeopleMatching:
    """Finds users by e-mail address, display name, user name and what a mapping says; several that fit are none."""

    def __init__(
        self, users: Mapping[int, tuple[Person, str]], same: Mapping[str, set[str]], wanted: Mapping[str, str]
    ) -> None:
        self._users: dict[str, set[int]] = {}
        for user_id, (person, address) in users.items():
            for name in (person.username, person.display_name, address):
                if name:
                    self._users.setdefault(folded(name), set()).add(user_id)
        self._people = {user_id: person for user_id, (person, _) in users.items()}
        self._same = same
        self._wanted = {folded(name): user for name, user in wanted.items()}
        self._found: dict[tuple[str, ...], int | None] = {}

    def unknown_users(self) -> list[str]:
        """Return the users that the mapping names and the service does not have."""
        return [user for user in self._wanted.values() if user and folded(user) not in self._users]

    def find(self, names: Sequence[str]) -> int | None:
        key = tuple(names)
        if key not in self._found:
            self._found[key] = self._find(self._all(names))
        return self._found[key]

    def _all(self, names: Sequence[str]) -> list[str]:
        others = [other for name in names for other in sorted(self._same.get(name.casefold(), ()))]
        return [*dict.fromkeys([*names, *others])]

    def _find(self, names: Sequence[str]) -> int | None:
        for name in names:
            if (user := self._wanted.get(folded(name))) is not None:
                return next(iter(self._users.get(folded(user), ())), None) if user else None
        # An address is surer than a name, which two people may share.
        for name in sorted(names, key=lambda each: "@" not in each):
            found = self._users.get(folded(name), set())
            if len(found) == 1:
                return next(iter(found))
        return None

    def is_ambiguous(self, names: Sequence[str]) -> bool:
        return self.find(names) is None and any(len(self._users.get(folded(each), ())) > 1 for each in self._all(names))

    def shown(self, names: Sequence[str]) -> str:
        """Return the name by which a person is called: the user's, else the best of the file."""
        user = self.find(names)
        return self._people[user].display_name if user is not None else self.name_in_file(names)

    def name_in_file(self, names: Sequence[str]) -> str:
        return display_name(self._all(names))

    def user_name(self, user: int | None) -> str:
        return "" if user is None else self._people[user].username
