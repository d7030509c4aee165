"""The settings of the current project in the service: read, and changed at once, as all others see them at once."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from backlit.model.errors import BadRequest, Conflict, PreconditionFailed
from backlit.model.field_values import Misfit
from backlit.model.settings.setting_rules import SHARED_SETTINGS, ProjectStatuses, SettingKey
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import Document
from backlit.store.remote.capabilities import SETTINGS
from backlit.store.views.lookups import MANAGER, Lookups

if TYPE_CHECKING:
    from backlit.client.client import DocumentEndpoint, FetchedResource

CHANGED_MEANWHILE = "Somebody else has changed this meanwhile. Look at the new value, and then change it again."

AskSettings = Callable[
    [int, Callable[["DocumentEndpoint"], Awaitable["FetchedResource"]]], Awaitable["FetchedResource"]
]
"""Lets a function read or change the settings of a project in the service; raises what prevents it."""


class SettingEdit(Struct, frozen=True):
    """A new value of a setting; with an entry, of one status or type of the setting, where None removes it."""

    key: str
    value: object
    entry: str = ""

    def of(self, settings: Mapping[str, Any]) -> object:
        """Return the value that the settings have where this edit has its own."""
        value = settings.get(self.key)
        return (value or {}).get(self.entry) if self.entry else value

    def applied_to(self, settings: Mapping[str, Any]) -> object:
        """Return the whole value of the setting with the edit."""
        if not self.entry:
            return self.value
        return SHARED_SETTINGS[self.key].with_entry(settings.get(self.key), self.entry, self.value)


class ProjectSettingsEdits:
    """Reads and changes the settings of the current project. What was read last is what an edit is based on."""

    def __init__(self, files: LocalDatabase, lookups: Lookups, ask: AskSettings) -> None:
        self._files = files
        self._lookups = lookups
        self._ask = ask
        self._read: tuple[int, FetchedResource] | None = None

    @property
    def is_offered(self) -> bool:
        return self._lookups.announces(SETTINGS)

    @property
    def is_manager(self) -> bool:
        return self._lookups.role() == MANAGER

    async def read(self) -> Document:
        """Read the settings, and let the mirror have them. Raises what prevents it."""
        project_id = self._lookups.need_project()
        fetched = await self._ask(project_id, lambda settings: settings.fetch())
        await self._keep(project_id, fetched)
        return fetched.document

    def check(self, edit: SettingEdit, label: str) -> None:
        """Raise BadRequest with a sentence about the label for a value that the service would refuse."""
        groups = self._lookups.status_groups()
        statuses = {each: groups.of(each) for each in self._lookups.all_statuses()}
        try:
            SHARED_SETTINGS[edit.key].parse(edit.applied_to(self._known()), ProjectStatuses(statuses, {}))
        except Misfit as misfit:
            raise BadRequest(misfit.sentence_for_people(label)) from None

    def value_of(self, key: str, entry: str = "") -> object:
        """Return what an edit of a setting, or of one of its entries, would replace now."""
        return SettingEdit(key, None, entry).of(self._known())

    async def change(self, edit: SettingEdit, base: object) -> None:
        """Send an edit of the value `base`. Raises what the service answers, and Conflict where it is another by now.

        An edit that is then made again replaces the other value.
        """
        project_id = self._lookups.need_project()
        settings = self._known() or await self.read()
        try:
            await self._send(project_id, edit, base, settings)
        except PreconditionFailed:
            await self._send(project_id, edit, base, await self.read())

    async def _send(self, project_id: int, edit: SettingEdit, base: object, settings: Mapping[str, Any]) -> None:
        if edit.of(settings) not in (base, edit.value):
            raise Conflict(CHANGED_MEANWHILE)
        etag = self._read[1].etag if self._read is not None else None
        changes = {str(edit.key): edit.applied_to(settings)}
        await self._keep(project_id, await self._ask(project_id, lambda endpoint: endpoint.update(changes, etag)))

    def _known(self) -> Document:
        """Return the settings as they were read last; empty before."""
        if self._read is None or self._read[0] != self._lookups.project_id:
            return {}
        return self._read[1].document

    async def _keep(self, project_id: int, fetched: "FetchedResource") -> None:
        self._read = project_id, fetched
        await self._files.write(lambda writer: _keep(writer, project_id, fetched.document))


def _keep(writer: WriteContext, project_id: int, settings: Document) -> None:
    """Put the settings where the capabilities state them, which would come with the next sync."""
    told = writer.mirror.note(CAPABILITIES)
    if not isinstance(told, dict) or not isinstance(told.get("projects"), list):
        return
    projects = [_with(each, settings) if each.get("id") == project_id else each for each in told["projects"]]
    if writer.mirror.configure(CAPABILITIES, {**told, "projects": projects}):
        writer.signal.publish(StoreChange(Subject.PEOPLE))
        writer.signal.publish(StoreChange(Subject.ITEMS))


def _with(project: Document, settings: Document) -> Document:
    stated = {key: value for key, value in settings.items() if value is not None}
    if isinstance(groups := stated.get(SettingKey.STATUS_GROUPS), dict):
        stated[SettingKey.STATUS_GROUPS] = {status: group for status, group in groups.items() if group is not None}
    return {key: value for key, value in project.items() if key not in settings} | stated
