"""The dialog that shows the content of a file over the whole screen."""

import asyncio
from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from backlit.tui.attachments.file_preview import FilePreview
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.images import ImageProtocol, TerminalImage
from backlit.tui.drawing.markdown import Line
from backlit.tui.drawing.text import joined, literal
from backlit.tui.drawing.theme_styles import ThemeStyles
from backlit.tui.shell.workers import work

if TYPE_CHECKING:
    from backlit.tui.shell.chord_app import ChordApp


class FileLines(Widget):
    """Lines of a file, laid out for the width there is, with a part of them in sight."""

    DEFAULT_CSS = "FileLines { width: 100%; height: 1fr; }"

    def __init__(self, preview: FilePreview, way: ImageProtocol) -> None:
        super().__init__()
        self._preview = preview
        self._lines: list[Line] = []
        self._top = 0
        self._picture = TerminalImage(preview.picture, way) if preview.picture is not None else None

    def on_resize(self, event: events.Resize) -> None:
        """Lay the file out anew; a picture that the terminal draws itself is sent behind the empty lines."""
        theme = ThemeStyles.of(self.app)
        if self._picture is not None and self._picture.fits(theme):
            self.call_after_refresh(self._begin_picture)
        else:
            self._lines = self._preview.draw(event.size.width, event.size.height, theme)
        self.scroll_lines(0)

    def _begin_picture(self) -> None:
        self.run_worker(work(self._draw_picture), exclusive=True)

    async def _draw_picture(self) -> None:
        region = self.region
        if self._picture is not None:
            drawn = await asyncio.to_thread(self._picture.sequence, region, ThemeStyles.of(self.app).style())
            if self.is_attached and region == self.region:
                cast("ChordApp", self.app).draw_beside(drawn, region)

    def on_unmount(self) -> None:
        """Take the picture away."""
        if self._picture is not None:
            cast("ChordApp", self.app).draw_beside(self._picture.gone())

    def scroll_lines(self, lines: int) -> None:
        """Move what is in sight."""
        self._top = max(0, min(self._top + lines, len(self._lines) - self.size.height))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        at = self._top + y
        line = self._lines[at] if at < len(self._lines) else []
        return Strip(line).adjust_cell_length(self.size.width, ThemeStyles.of(self.app).style())

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll three lines."""
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll three lines back."""
        event.stop()
        self.scroll_lines(-3)


class FilePreviewDialog(Dialog[None]):
    """Shows a file; j k ctrl+d ctrl+u g G scroll, q, enter and esc leave."""

    def __init__(self, name: str, preview: FilePreview, way: ImageProtocol = ImageProtocol.BLOCKS) -> None:
        super().__init__(joined([name, preview.kind, preview.note]))
        self._lines = FileLines(preview, way)
        self.frame.border_subtitle = literal("j k scroll  q leaves")

    def content(self) -> ComposeResult:
        """The lines."""
        yield self._lines

    def on_mount(self) -> None:
        """Remove the notifications: one that went away would leave a hole in a picture."""
        self.app.clear_notifications()

    def type_early(self, character: str) -> None:
        """Scroll, or leave."""
        page = self._lines.size.height
        steps = {"j": 1, "k": -1, " ": page, "g": -(10**9), "G": 10**9}
        if character == "q":
            self.dismiss(None)
        elif character in steps:
            self._lines.scroll_lines(steps[character])

    def press(self, key: str) -> bool:
        """Scroll, or leave."""
        page = self._lines.size.height
        steps = {"down": 1, "up": -1, "pagedown": page, "pageup": -page, "ctrl+d": page // 2, "ctrl+u": -page // 2}
        steps |= {"home": -(10**9), "end": 10**9}
        if key not in steps:
            return super().press("escape" if key == "enter" else key)
        self._lines.scroll_lines(steps[key])
        return True
