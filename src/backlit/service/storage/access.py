"""Callers and their rights in projects."""

from collections.abc import Collection, Mapping
from enum import StrEnum

from msgspec import Struct

from backlit.model.errors import Forbidden, NotFound


class Role(StrEnum):
    """Roles of a user in a project."""

    READER = "reader"
    CONTRIBUTOR = "contributor"
    MANAGER = "manager"


class Caller(Struct, frozen=True):
    """The signed-in user, the role in each project granted, and the revision of each project's settings."""

    id: int
    name: str
    roles: Mapping[int, Role]
    revisions: Mapping[int, int]

    @property
    def project_ids(self) -> Collection[int]:
        return self.roles.keys()

    def can_see(self, project_id: int) -> bool:
        return project_id in self.roles

    def can_write(self, project_id: int) -> bool:
        return self.roles.get(project_id, Role.READER) is not Role.READER

    def is_manager_of(self, project_id: int) -> bool:
        return self.roles.get(project_id) is Role.MANAGER

    def must_see(self, project_id: int | None, what: str) -> None:
        """Raise NotFound for a project that is not granted, as for one that does not exist."""
        if project_id not in self.roles:
            # 403 would tell strangers which ids exist.
            raise NotFound(f"{what} does not exist, or you have no access to it.")

    def must_write(self, project_id: int | None, what: str) -> None:
        """Raise NotFound where the user may not see it, Forbidden where it may only be read."""
        self.must_see(project_id, what)
        if project_id is not None and self.roles[project_id] is Role.READER:
            raise Forbidden("You may read this project, but not change it.")

    def must_manage(self, project_id: int | None, what: str, managed: str = "areas and iterations") -> None:
        self.must_see(project_id, what)
        if project_id is not None and not self.is_manager_of(project_id):
            raise Forbidden(f"Only managers of the project may change its {managed}.")
