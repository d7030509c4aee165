"""The seam between commands and screens: the target of a command, its session, and the `OpenItem` message."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeVar

from textual.message import Message
from textual.screen import Screen

from backlit.config.settings import Motion
from backlit.model.settings.user_settings import OwnCapacities
from backlit.store.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from backlit.model.import_mappings import ImportMapping
    from backlit.model.settings.user_settings import Template
    from backlit.tui.fields.field_edits import FieldEdit

Answer = TypeVar("Answer")


class ItemDestination(StrEnum):
    """A place that shows an item; NAME is the editor with the item's name in its input."""

    EDITOR = "editor"
    NAME = "name"
    TASKS = "tasks"
    LINKS = "links"
    CRITERIA = "criteria"
    COMMENTS = "comments"
    ATTACHMENTS = "attachments"
    HISTORY = "history"
    GROOM = "groom"
    BACKLOG = "backlog"


class OpenItem(Message):
    """Asks the application to show an item at a place.

    `comment_id` narrows attachments to those of a comment, `field` the history to the changes of a field.
    """

    def __init__(self, item_id: int, place: ItemDestination, comment_id: int | None = None, field: str = "") -> None:
        super().__init__()
        self.field = field
        self.item_id = item_id
        self.place = place
        self.comment_id = comment_id


class OpenProfile(Message):
    """Asks the application to end, for its caller to open another profile."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class UiSession:
    """State of a run of the program that belongs to no screen."""

    def __init__(
        self,
        estimate_scale: Sequence[float] = (),
        templates: Sequence[Template] = (),
        capacities: OwnCapacities | None = None,
        images: str = "auto",
        motion: Motion = Motion.AUTO,
    ) -> None:
        self.estimate_scale = estimate_scale
        """The scale of this machine, for projects whose service states none."""
        self.templates = templates
        self.capacities = capacities or OwnCapacities()
        self.images = images
        self.motion = motion
        self.is_low_bandwidth = False
        """Whether low bandwidth is on."""
        self.editor = self.opener = ""
        """Command lines of the user's programs; empty: those of the environment."""
        self.last_act: FieldEdit | None = None
        self.agreed_estimates: set[str] = set()
        """Estimates without points that the user agreed to, and is not asked about again."""
        self.import_mappings: dict[Path, ImportMapping] = {}
        """What was said of files to import, which is kept while their screens are closed."""
        self.recent_commands: tuple[str, ...] = ()
        """Ids of the commands chosen in the palette, the last one first."""

    def scale_in(self, store: Store) -> Sequence[float]:
        """Return the estimates that the current project steps through."""
        return store.lookups.stated_settings().estimate_scale or self.estimate_scale


class StoreCommandTarget(Protocol):
    """Any screen over the store."""

    store: Store

    @property
    def session(self) -> UiSession: ...

    async def ask(self, dialog: Screen[Answer]) -> Answer: ...

    def say(self, sentence: str, *, is_bad: bool = False) -> None: ...

    def copy(self, text: str, words: str) -> None:
        """Put a text on the clipboard; say so in words, with the route that it took."""

    def edit_outside(self, text: str, suffix: str) -> str:
        """Return the text as edited in the user's editor; raises CannotAct on failure."""

    def open(self, item_id: int, place: ItemDestination, comment_id: int | None = None, field: str = "") -> None: ...
