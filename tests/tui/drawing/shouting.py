"""A framed application that fills its screen anew at every key and writes down how many it took; run as a program."""

import sys
from pathlib import Path

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from backlit.tui.drawing.framed_app import FramedApp


class Wall(Widget):
    """The number of the last key, all over."""

    keys = 0

    def render_line(self, y: int) -> Strip:
        text = f"<{self.keys} {(y + 1) * self.keys * 7919}> " * 20 if self.keys else ""
        return Strip([Segment(text, Style())]).adjust_cell_length(self.size.width)


class ShoutingApp(FramedApp):
    """Every key is one more; z goes to the shell."""

    def compose(self) -> ComposeResult:
        yield Wall()

    def on_key(self, event: events.Key) -> None:
        if event.key == "z":
            self.action_suspend_process()
            return
        wall = self.query_one(Wall)
        wall.keys += 1
        wall.refresh()
        Path(sys.argv[1]).write_text(str(wall.keys))


if __name__ == "__main__":
    ShoutingApp().run()
