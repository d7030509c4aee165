"""A list that is filtered as the backlog is, and by which the backlog is filtered in turn."""

from collections.abc import Callable

from textual.message import Message

from backlit.tui.list_words import ListWords
from backlit.tui.live_filter import Filtering
from backlit.tui.view_files import ViewFiles


class SharedFilter(ListWords):
    """Takes over the backlog's filter and views when it is come to, and tells by what it is filtered then."""

    class Filtered(Message):
        """It is filtered otherwise."""

        def __init__(self, filtering: Filtering) -> None:
            super().__init__()
            self.filtering = filtering

    _shared: Callable[[], Filtering] | None = None
    _told = Filtering()
    _files: ViewFiles | None = None

    def share(self, shared: Callable[[], Filtering], files: ViewFiles | None) -> None:
        """Be filtered as something says, and offer the views of some files."""
        self._shared = shared
        self._files = files

    def on_screen_resume(self) -> None:
        """Be filtered as the backlog was meanwhile, by the views there are."""
        if self._files is not None and self.view_files is None:
            self.read_views(self._files)
        if self._shared is not None:
            self._told = self._shared()
            self.take_filtering(self._told)

    def tell_filtering(self) -> None:
        """Have the backlog filtered as this is, if it is not."""
        if self.filtering != self._told:
            self._told = self.filtering
            self.post_message(self.Filtered(self._told))
