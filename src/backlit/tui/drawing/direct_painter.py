"""Painting of single widgets into a frame, past Textual's pass over all widgets."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any, Protocol

from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from textual.filter import ANSIToTruecolor
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.style import Style as VisualStyle
from textual.widget import Widget

from backlit.tui.drawing.frame import Frame
from backlit.tui.drawing.textual_private import (
    compositor_of,
    has_changes_to_paint,
    mark_dirty,
    raise_again,
    styles_cache_of,
)

_SYSTEMS = {"standard": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT}


class FrameReceiver(Protocol):
    """The application that frames are painted for."""

    console: Console

    @property
    def screen(self) -> Screen[Any]: ...

    @property
    def takes_frames(self) -> bool:
        """True while painted lines go to the terminal."""

    def send(self) -> None:
        """Send the changed cells."""

    def call_later(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Call a function once the messages so far are handled."""


# Textual asks all visible widgets for their lines where one line changed, a sixtieth of a second later. Painted by
# Textual, a `j` at 30 a second takes 1.5 times the CPU and up to twice as long to its first byte, a PageDown 1.3 times
# the CPU. With all of a list painted where its rows only move, a `j` that scrolls takes 1.3 times (`python -m
# benchmarks keys`). A test compares the frames with Textual's cell by cell.


class DirectPainter:
    """Paints the lines of widgets into a frame, without a pass over the other widgets.

    `waiting` has the parts to be painted of each widget; an empty set stands for all of it.
    """

    def __init__(self, app: FrameReceiver, frame: Frame) -> None:
        self.waiting: dict[Widget, set[Region]] = {}
        self._scrolled: dict[Widget, tuple[Region, int]] = {}
        self._app = app
        self._frame = frame

    def paint_soon(self, widget: Widget, regions: Sequence[Region]) -> None:
        """Paint parts of a widget, or all of it without parts, when the event loop is next free."""
        if not self.waiting:
            asyncio.get_running_loop().call_soon(self.paint)
        before = self.waiting.get(widget, {*regions})
        self.waiting[widget] = {*before, *regions} if before and regions else set()

    def scroll(self, widget: Widget, region: Region, lines: int) -> bool:
        """Move painted lines of a widget up, or down where `lines` is less than 0, when the event loop is next free.

        False where all of the widget has to be painted.
        """
        waiting, (place, before) = self.waiting.get(widget), self._scrolled.get(widget, (region, 0))
        if waiting == set() or place != region or abs(before + lines) >= region.height:
            return False
        edge = Region(region.x, region.bottom - lines if lines > 0 else region.y, region.width, abs(lines))
        moved = {each.translate((0, -lines)).intersection(region) for each in waiting or () if each.overlaps(region)}
        still = {each for each in waiting or () if not region.contains_region(each)}
        self.paint_soon(widget, [edge])
        self.waiting[widget] = {edge, *moved, *still}
        self._scrolled[widget] = region, before + lines
        return True

    def forget_scrolls(self) -> None:
        """Have all of the widgets painted that were to be scrolled: Textual may have drawn them meanwhile."""
        self.waiting.update((widget, set()) for widget in self._scrolled)
        self._scrolled.clear()

    def paint(self) -> None:
        """Paint what was asked for: directly where nothing hinders that, else as Textual does."""
        waiting, self.waiting = self.waiting, {}
        try:
            for widget, regions in waiting.items():
                parts = () if widget in self._scrolled else regions
                if not self.paint_directly(widget, regions):
                    Widget.refresh(widget, *parts)
            self._scrolled.clear()
            self._app.send()
        except Exception as error:  # noqa: BLE001 - raised again where it ends the application
            self._app.call_later(raise_again, error)

    def paint_directly(self, widget: Widget, regions: set[Region]) -> bool:
        """Put parts of a widget into the frame; False where it is partly in sight, or other changes wait."""
        if not (widget.is_attached and self._is_free_for(widget)):
            return False
        visible, cache = compositor_of(widget.screen).visible_widgets, styles_cache_of(widget)
        if widget not in visible:
            cache.clear()
            return True  # it is painted when it comes into sight
        place, clip = visible[widget]
        if not clip.contains_region(place):
            return False
        own, content = place.size.region, widget.size.region.translate(widget.content_offset)
        parts = [each.translate(content.offset).intersection(content) for each in regions] or [own]
        places = [part.translate(place.offset) for part in parts]
        region, moved = self._scrolled.get(widget, (Region(), 0))
        body = region.translate(content.offset + place.offset)
        if not _is_on_top(widget, [*places, body], visible):
            return False
        if moved:
            cache.clear()
            self._frame.scroll(body, moved)
        elif regions:
            cache.set_dirty(*parts)
        else:
            cache.clear()
            mark_dirty(widget, own)
        system = colours_of(self._app.console)
        is_plain = _is_plain(widget) and all(map(content.contains_region, parts))
        lines = _content_lines(widget) if is_plain else widget.render_lines
        for part, at in zip(parts, places, strict=True):
            for y, strip in enumerate(lines(part) if part else (), at.y):
                self._frame.put(at.x, y, strip, system)
        return True

    def _is_free_for(self, widget: Widget) -> bool:
        """Return whether frames are shown, and a widget's screen is on top without a layout or a paint to come."""
        screen = widget.screen
        if not self._app.takes_frames or screen is not self._app.screen:
            return False
        return self._frame.size == compositor_of(screen).size and not has_changes_to_paint(widget)


# Textual's cache of styled lines takes each line apart and joins it again. With it, a PageDown takes 1.15 times the
# CPU, and a `j` beside the preview 1.1 times (`python -m benchmarks keys`).


def _is_plain(widget: Widget) -> bool:
    """Return whether a widget's content is shown as it is drawn, without an effect of its styles."""
    styles = widget.styles
    has_effect = styles.outline or styles.tint.a or styles.has_rule("hatch") or styles.text_opacity != 1
    return not has_effect and widget.opacity == 1


def _content_lines(widget: Widget) -> Callable[[Region], Iterator[Strip]]:
    """Return what draws a part of the content, on the widget's ground, as Textual's cache of styled lines has it."""
    (left, top), width = widget.content_offset, widget.size.width
    base, ground = widget.background_colors
    style, filters = VisualStyle(background=base + ground).rich_style, widget.get_line_filters()

    def lines(part: Region) -> Iterator[Strip]:
        start, end = part.x - left, part.right - left
        for y in part.line_range:
            strip = widget.render_line(y - top)
            if start or strip.cell_length != end:
                strip = strip.adjust_cell_length(width, style).crop(start, end)
            for each in filters:
                if not (isinstance(each, ANSIToTruecolor) and all(_is_true(look) for _, look, _ in strip)):
                    strip = strip.apply_filter(each, ground)
            yield strip

    return lines


@lru_cache(maxsize=1024)
def _is_true(style: Style | None) -> bool:
    """Return whether a style has colours of its own, which Textual does not replace by those of a theme."""
    return style is None or not (style.dim or any(each and not each.triplet for each in (style.color, style.bgcolor)))


def colours_of(console: Console) -> ColorSystem:
    """Return the number of colours; Textual treats a terminal that does not say as one with all."""
    return _SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)


def _is_on_top(widget: Widget, parts: Sequence[Region], visible: Mapping[Widget, tuple[Region, Region]]) -> bool:
    """Return whether nothing covers parts of a widget; `visible` has places and clips, the topmost first."""
    above = takewhile(lambda each: each[0] is not widget, visible.items())
    return not any(place.overlaps(part) and clip.overlaps(part) for _, (place, clip) in above for part in parts)
