"""Views that the service keeps: those that members of the project share, and the user's own. They stay offline."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from backlit.model.errors import BadRequest
from backlit.model.plain import plain
from backlit.model.query import parse_query
from backlit.model.settings.view_settings import MAX_GROUP_LEVELS, ViewTable
from backlit.store.engine.engine import Engine
from backlit.store.files.files import LocalDatabase
from backlit.store.records.changes import Subject
from backlit.store.records.item import Document, id_in, whole
from backlit.store.records.people import KEPT_VIEWS
from backlit.store.remote.capabilities import VIEWS
from backlit.store.views.lookups import MANAGER, Lookups
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import SavedView, table_of, view_from

if TYPE_CHECKING:
    from backlit.client.client import Client


_KEYS = frozenset(ViewTable.__struct_fields__) - {"name"}
"""The keys of a specification that this version knows."""
OF_USER = "you"
"""The owner of a view that the user shares."""
NO_KEPT_VIEWS = (
    "This server keeps no views, so yours cannot be shared there."
    " A file backlit-views.toml in a repository shares them with everybody who works in it."
)


class KeptView(Struct, frozen=True):
    """A view of the service, and whether the user owns it."""

    id: int
    view: SavedView
    is_own: bool
    owner: str

    @property
    def is_shared(self) -> bool:
        return bool(self.view.shared_by)


class KeptViews:
    """The views of the current project that the service keeps, as last read."""

    def __init__(self, files: LocalDatabase, lookups: Lookups, engine: Engine) -> None:
        self._files = files
        self._lookups = lookups
        self._engine = engine

    def all(self) -> tuple[KeptView, ...]:
        return self._lookups.keep(Subject.VIEWS, "kept views", self._read, Subject.PEOPLE)

    def _read(self) -> tuple[KeptView, ...]:
        me, people = self._lookups.me(), self._lookups.known_people()
        found = []
        for document in self._lookups.resources(KEPT_VIEWS):
            owner_id = whole(document.get("ownerId"))
            is_own = me is not None and owner_id == me.id
            person = people.get(owner_id or 0)
            owner = OF_USER if is_own else plain(person.username) if person else f"user {owner_id}"
            shared_by = owner if document.get("isShared") is True else ""
            found.append(KeptView(id_in(document), _view_of(document, shared_by), is_own, owner))
        return tuple(found)

    def need(self) -> None:
        """Raise BadRequest for a server that keeps no views, Forbidden for a user who only reads the project."""
        if not self._lookups.announces(VIEWS):
            raise BadRequest(NO_KEPT_VIEWS)
        self._lookups.need_writer()

    async def share(self, view: SavedView) -> None:
        """Share a view with the members of the project, in place of what the user shared by its name.

        Raises BadRequest where somebody else shares a view of that name, and the error that prevents it.
        """
        self.need()
        project_id = self._lookups.need_project()
        me = self._lookups.me()
        table = table_of(view)
        spec = {key: value for key in sorted(_KEYS) if (value := getattr(table, key))}
        body = {"name": view.name, "spec": spec, "isShared": True}
        await self._engine.ask(
            lambda session: self._share(session.client, project_id, me.id if me is not None else None, body)
        )

    async def _share(self, client: "Client", project_id: int, user_id: int | None, body: Mapping[str, Any]) -> None:
        from backlit.store.remote.views import read_views

        # Read anew: a view whose answer was lost is there already, and others may have shared one of this name.
        named = [each for each in await read_views(client, self._files, project_id) if each.get("name") == body["name"]]
        mine = next((each for each in named if each.get("ownerId") == user_id), None)
        if mine is None and named:
            raise BadRequest(f"Somebody else shares a view “{body['name']}”. Save yours under another name first (S).")
        if mine is None:
            await client.views.create_in(project_id, body)
        else:
            await client.views.update(id_in(mine), body)
        await read_views(client, self._files, project_id)

    async def end_sharing(self, kept: KeptView) -> None:
        """Take a view away from the others: the user's own from the service, another's is its owner's alone again.

        Raises BadRequest for a view of somebody else, unless the user manages the project.
        """
        self.need()
        project_id = self._lookups.need_project()
        if not kept.is_own and self._lookups.role() != MANAGER:
            raise BadRequest(f"Only {kept.owner} and managers of the project end the sharing of “{kept.view.name}”.")
        await self._engine.ask(lambda session: self._end_sharing(session.client, project_id, kept))

    async def _end_sharing(self, client: "Client", project_id: int, kept: KeptView) -> None:
        from backlit.store.remote.views import read_views

        if kept.is_own:
            await client.views.delete(kept.id)
        else:
            await client.views.update(kept.id, {"isShared": False})
        await read_views(client, self._files, project_id)


def _view_of(document: Document, shared_by: str) -> SavedView:
    """Read a view; one that this version cannot show has a sentence as its fault, which is said when it is opened."""
    name = plain(str(document.get("name") or "")).strip()
    try:
        view = view_from(_table_of(name, document.get("spec")))
    except BadRequest as error:
        owner = f" of {shared_by}" if shared_by else ""
        fault = f"The view “{name}”{owner} cannot be shown. {plain(str(error))}"
        return SavedView(name, ViewSpec(), (), shared_by, fault)
    return msgspec.structs.replace(view, shared_by=shared_by)


def _table_of(name: str, spec: object) -> ViewTable:
    """Raises BadRequest for what this version does not know: another client may have written it."""
    if not isinstance(spec, dict):
        raise BadRequest("It has no specification.")
    if unknown := sorted(set(spec) - _KEYS):
        raise BadRequest(f"It has “{unknown[0]}”, which this version of backlit does not know. Update backlit.")
    try:
        table = msgspec.convert({"name": name, **spec}, ViewTable)
    except msgspec.ValidationError as error:
        raise BadRequest(f"Its specification is of another form: {error}. Update backlit.") from None
    parse_query(table.query)
    if len(table.group) > MAX_GROUP_LEVELS:
        raise BadRequest(f"A list has at most {MAX_GROUP_LEVELS} levels of groups.")
    return table
