"""The session: settings that all screens share, and the last change, which `.` repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from backlit.model.planning import OwnCapacities

if TYPE_CHECKING:
    from backlit.model.settings.templates import Template
    from backlit.tui.fields.acts import Act


class Session:
    """State of one run of the program that belongs to no screen."""

    def __init__(
        self,
        estimate_scale: Sequence[float] = (),
        templates: Sequence[Template] = (),
        capacities: OwnCapacities | None = None,
        images: str = "auto",
    ) -> None:
        self.estimate_scale = estimate_scale
        self.templates = templates
        self.capacities = capacities or OwnCapacities()
        self.images = images
        self.last_act: Act | None = None
