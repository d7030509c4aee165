"""The model of `[notify]` in `config.toml`, of all profiles and of one."""

import json
from typing import Annotated

from pydantic import Field, PlainValidator

from backlit.config.notify import USUAL_NOTICES, NoticeKind, NotifySettings
from backlit.config.schema.documents import Table, as_list, must


def _read_kinds(value: object) -> tuple[NoticeKind, ...]:
    written = as_list(value)
    kinds = [str(each) for each in written] if isinstance(written, list) else [""]
    if not set(kinds) <= set(NoticeKind):
        must(f"must be a list of some of {', '.join(map(json.dumps, NoticeKind))}")
    return tuple(dict.fromkeys(map(NoticeKind, kinds)))


class NotifyTable(Table):
    """The table `[notify]`, of all profiles or of one."""

    bell: bool = False
    """Whether the terminal rings its bell."""
    desktop: bool = False
    """Whether the terminal shows a message of the desktop, by OSC 9; inside tmux it needs `allow-passthrough`."""
    text: bool = False
    """Whether that message names the items; others may see it."""
    when: Annotated[tuple[NoticeKind, ...], PlainValidator(_read_kinds)] = Field(
        default=USUAL_NOTICES, examples=['when = ["mention", "assigned", "refused", "conflict"]']
    )
    """What is worth it: a change of yours `"refused"` or in `"conflict"`, a `"mention"` of you, an item `"assigned"` to
    you, the server out of reach (`"offline"`), and reached again (`"sync"`).
    """

    def settings(self) -> NotifySettings:
        return NotifySettings(self.bell, self.desktop, self.text, self.when)
