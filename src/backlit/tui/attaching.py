"""Attaching files to an item, or to one of its comments: asked for by path, agreed to, sent one after the other."""

from collections.abc import Callable, Sequence
from pathlib import Path

from backlit.model.attachments import friendly_size_of
from backlit.model.errors import BacklitError
from backlit.store.entries import FOR_CUSTOMERS
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.carrying import Carried, Carrying
from backlit.tui.paths import files_in

LARGE = 10 * 1024 * 1024
"""Bytes from which a question comes before attaching; what the service takes is not known (FEATURES rule 46)."""


class Attaching(Carrying):
    """A screen of one item's files, or of those of one of its comments."""

    def __init__(self, store: Store, item_id: int, comment_id: int | None = None) -> None:
        super().__init__(store)
        self._item_id = item_id
        self._comment_id = comment_id

    def do_attachments_upload(self, _count: int | None) -> None:
        """Ask for files, then attach them one after the other."""
        self._ask_files(None)

    def do_attachments_upload_open(self, _count: int | None) -> None:
        """The same with files that customers see, after a question."""
        self._ask_files(FOR_CUSTOMERS)

    def _ask_files(self, kind: str | None) -> None:
        from backlit.tui.dialogs.path import PathDialog

        self.must_be_free()
        item = self.store.item(self._item_id)
        if item is None:
            raise CannotAct("The item is not here any more, so nothing can be attached to it.")
        if item.id < 0:
            raise CannotAct("The item has not been sent yet; it can have files when the service has it.")

        def typed(text: str | None) -> None:
            if text is not None:
                self._agree_to(files_in(text), kind)

        note = "A path, or a pattern such as ~/shots/*.png."
        if self._comment_id is not None:
            note += " It goes to the comment, where the service takes files for comments."
        title = "Attach for customers" if kind else "Attach"
        dialog = PathDialog(title, "", lambda text: fault_of(lambda: files_in(text)), note)
        self.app.push_screen(dialog, typed)

    def _agree_to(self, paths: Sequence[Path], kind: str | None) -> None:
        """Begin; first ask where it is much, or where customers see it."""
        from backlit.tui.dialogs.confirm import Answer, ConfirmDialog

        try:
            size = sum(path.stat().st_size for path in paths)
        except OSError as error:
            self.say(f"{error.filename} cannot be read: {error.strerror}.", is_bad=True)
            return
        if size <= LARGE and kind is None:
            self._begin_upload(paths, kind)
            return

        def answered(key: str | None) -> None:
            if key == "y":
                self._begin_upload(paths, kind)

        what = paths[0].name if len(paths) == 1 else f"{len(paths):,} files"
        sentence = f"{what}, {friendly_size_of(size)}." + (" Customers see what is attached so." if kind else "")
        self.app.push_screen(ConfirmDialog("Attach", sentence, [Answer("y", "attach")], "leave it"), answered)

    def _begin_upload(self, paths: Sequence[Path], kind: str | None) -> None:
        self.carry(f"Attaching {paths[0].name}", lambda carried: self._upload(paths, kind, carried))

    async def _upload(self, paths: Sequence[Path], kind: str | None, carried: Carried) -> None:
        for done, path in enumerate(paths):
            which = f" ({done + 1:,} of {len(paths):,})" if len(paths) > 1 else ""
            carried.begin(f"Attaching {path.name}{which}")
            try:
                await self.store.transfers.upload(self._item_id, path, carried.progress, self._comment_id, kind)
            except BacklitError as error:
                so_far = f" {done:,} of {len(paths):,} files were attached." if len(paths) > 1 else ""
                self.say(f"{error}{so_far}", is_bad=True)
                return
        self.say(f"Attached {paths[0].name}." if len(paths) == 1 else f"Attached {len(paths):,} files.")


def fault_of(read: Callable[[], object]) -> str | None:
    """The sentence that a text is refused with; None where it is good."""
    try:
        read()
    except ValueError as error:
        return str(error)
    return None
