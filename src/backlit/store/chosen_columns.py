"""The columns chosen for the backlog as it is, kept across restarts; saved views keep their own."""

import json
from collections.abc import Sequence

from backlit.model.errors import BadRequest
from backlit.store.files import Files
from backlit.store.view_columns import ColumnWish, column_wish

_SETTING = "columns"


class ChosenColumns:
    """Reads from the journal once; what is chosen is written behind."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._wishes: tuple[ColumnWish, ...] | None = None

    def wishes(self) -> Sequence[ColumnWish]:
        """Those chosen last; none means the usual ones. What a later version wrote otherwise counts as none."""
        if self._wishes is None:
            kept = self._files.journal.settings.value(_SETTING)
            try:
                self._wishes = tuple(column_wish(text, str) for text in json.loads(kept or "[]"))
            except (ValueError, TypeError, BadRequest):
                self._wishes = ()
        return self._wishes

    def keep(self, wishes: Sequence[ColumnWish]) -> None:
        """Keep others from now on."""
        self._wishes = tuple(wishes)
        text = json.dumps([str(each) for each in wishes])
        self._files.submit(lambda writer: writer.journal.settings.keep(_SETTING, text))
