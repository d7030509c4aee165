"""The preview of a file: lines of text, tables, Markdown or a picture, and the dialog that shows them."""

import asyncio
import codecs
import csv
import json
import mimetypes
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.amounts import counted, size_text
from backlit.tui.attachments.table_figures import MIN_FIGURES_WIDTH, ColumnFigures, column_figures, figure_lines
from backlit.tui.commands.table import key_of
from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.drawing.images import (
    ImageError,
    ImageProtocol,
    TerminalImage,
    background_of,
    image_lines,
    kitty_removal,
    read_image,
)
from backlit.tui.drawing.markdown import markdown_lines
from backlit.tui.drawing.text import Line, fit, fit_right, joined, safe, safe_block
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.shell.workers import work

if TYPE_CHECKING:
    from PIL.Image import Image

    from backlit.tui.shell.chord_app import ChordApp


PREVIEW_BYTES = 256 * 1024
"""Bytes that are fetched for a look."""
PICTURE_BYTES = 16 * 1024 * 1024
"""Bytes that are fetched of a picture; the half of one shows little."""
MAX_LINES = 20_000
MAX_ROWS = 5_000
MAX_COLUMNS = 40
WIDEST_COLUMN = 40
COLUMN_GAP, FIGURES_GAP = 3, 4
"""Cells between the columns that the rows of a narrow table are set in, and before the figures beside them."""
_PICTURES = ((b"\x89PNG\r\n\x1a\n", "PNG"), (b"\xff\xd8\xff", "JPEG"), (b"GIF8", "GIF"), (b"BM", "BMP"))
_OTHERS = (
    *((b"%PDF", "PDF document"), (b"PK\x03\x04", "zip archive, or a document in one"), (b"\x1f\x8b", "gzip archive")),
    *((b"7z\xbc\xaf\x27\x1c", "7z archive"), (b"SQLite format 3\0", "SQLite database"), (b"\x7fELF", "program")),
)
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "bmp", "webp", "svg", "heic"), "picture"),
    **dict.fromkeys(("csv", "tsv", "xls", "xlsx", "ods"), "table"),
    **dict.fromkeys(("pdf", "doc", "docx", "odt", "rtf", "ppt", "pptx", "odp"), "document"),
    **dict.fromkeys(("md", "markdown", "txt", "log", "rst"), "text"),
    **dict.fromkeys(("json", "geojson", "xml", "yaml", "yml", "toml", "sql"), "data"),
    **dict.fromkeys(("zip", "gz", "7z", "tar", "xz", "bz2"), "archive"),
    **dict.fromkeys(("mp4", "mov", "webm", "mkv", "avi"), "film"),
}
"""The words for files by the ends of their names."""
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

FileLayout = Callable[[int, int, ThemeStyles], list[Line]]
"""Lays a file out for so many columns and lines."""


class FilePreview(Struct, frozen=True):
    """A file as it is shown: its kind, a remark, its lines, and the picture it is.

    The first line of a table is the heading of its columns.
    """

    kind: str
    note: str
    draw: FileLayout
    picture: "Image | None" = None
    is_table: bool = False
    figures: Sequence[ColumnFigures] = ()
    """What the columns of a table hold."""

    def first_lines(self, width: int, height: int, theme: ThemeStyles) -> list[Line]:
        """Return the lines of a file that fit below a list, and the number of the others.

        Without room for a heading, a row and that number, they are the first lines. The figures of a table stand beside
        it where they fit; else the rows of a narrow one are set in columns.
        """
        lines, heads = self.draw(width, max(1, height), theme), int(self.is_table)
        if len(lines) <= height or height < heads + 2:
            return self._with_figures(lines[: max(0, height)], width, height, theme)
        heading, rest = lines[:heads], lines[heads:]
        cells = max((_cells(line) for line in lines[: width * height]), default=0) + COLUMN_GAP
        has_figures = bool(self.figures) and width - cells >= MIN_FIGURES_WIDTH
        most = max(1, (width + COLUMN_GAP) // cells) if self.is_table and not has_figures else 1
        rows = height - heads
        needed = -(-len(rest) // rows)
        rows = -(-len(rest) // needed) if needed <= most else rows - 1
        parts = [rest[at : at + rows] for at in range(0, len(rest), rows)][:most]
        shown = [_beside([[*heading, *part][y : y + 1] for part in parts], cells, theme) for y in range(heads + rows)]
        shown = self._with_figures(shown, width, heads + rows, theme)
        left = len(rest) - sum(map(len, parts))
        more = fit(f"… {counted(left, 'more row' if self.is_table else 'more line')}", width)
        return [*shown, [Segment(more, theme.style("muted"))]] if left else shown

    def _with_figures(self, lines: Sequence[Line], width: int, height: int, theme: ThemeStyles) -> list[Line]:
        start = max(map(_cells, lines), default=0) + FIGURES_GAP
        if not self.figures or width - start < MIN_FIGURES_WIDTH:
            return list(lines)
        beside = [*figure_lines(self.figures, width - start, height, theme)][:height]
        return [
            [*line, Segment(" " * (start - _cells(line)), theme.style()), *other]
            for line, other in zip_longest(lines, beside, fillvalue=list[Segment]())
        ]


def preview_of(content: bytes, name: str, size: int | None, *, with_pictures: bool = True) -> FilePreview:
    """Return the preview of a file's first bytes; slow for pictures, so not for the event loop."""
    is_cut = len(content) >= PREVIEW_BYTES and size != len(content)
    note = f"only the first {len(content) // 1024:,} KB" if is_cut else ""
    if not content:
        return FilePreview("empty file", "", _words("The file is empty."))
    picture = picture_kind(content)
    if picture is not None:
        if with_pictures and len(content) == PREVIEW_BYTES != size:
            how_large = f", {size_text(size)}" if size is not None else ""
            return FilePreview(
                f"{picture} picture", "", _words(f"{picture} picture{how_large}. Press enter to show it.")
            )
        return _picture(content, picture, note, with_pictures=with_pictures)
    text = _text_of(content, is_cut=is_cut)
    if text is None:
        return FilePreview(_kind_of(content, name), "", _words(_cannot(_kind_of(content, name), size)))
    suffix = name.lower().rpartition(".")[2]
    if suffix in {"md", "markdown"}:
        return FilePreview("Markdown", note, lambda width, _height, theme: markdown_lines(text, width, theme))
    if suffix in {"csv", "tsv"} and (rows := _rows(text, suffix, is_cut=is_cut)):
        is_part = is_cut or text.count("\n") > MAX_ROWS
        kind = f"{'first ' * is_part}{counted(len(rows) - 1, 'row')}, {len(rows[0]):,} columns"
        figures = column_figures(rows)
        return FilePreview(
            kind, note, lambda width, _, theme: _table(rows, width, theme), is_table=True, figures=figures
        )
    if suffix in {"json", "geojson"}:
        return _json(text, note)
    return FilePreview("text", note, _lines_of(text))


def _beside(parts: Sequence[Sequence[Line]], cells: int, theme: ThemeStyles) -> Line:
    whole: Line = []
    for at, line in enumerate(each[0] if each else [] for each in parts):
        gap, half = cells * at - _cells(whole), COLUMN_GAP // 2
        whole += [*([Segment("│".rjust(gap - half) + " " * half, theme.style("rule"))] if at else ()), *line]
    return whole


def _cells(line: Line) -> int:
    return sum(segment.cell_length for segment in line)


def kind_word(name: str) -> str:
    """Return a word for a file by the end of its name, before the file is read; empty for an unknown one."""
    return _KINDS.get(name.lower().rpartition(".")[2], "")


def picture_kind(content: bytes) -> str | None:
    """Return the kind of picture that begins like this; None for other files."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "WebP"
    return next((kind for begin, kind in _PICTURES if content.startswith(begin)), None)


def _picture(content: bytes, kind: str, note: str, *, with_pictures: bool) -> FilePreview:
    if not with_pictures:
        return FilePreview(f"{kind} picture", "", _words("Pictures are switched off (images = false in config.toml)."))
    try:
        picture = read_image(content)
    except ImageError as reason:
        return FilePreview(f"{kind} picture", "", _words(str(reason)))

    def draw(width: int, height: int, theme: ThemeStyles) -> list[Line]:
        ground = background_of(theme.style())
        return image_lines(picture, width, height, ground, is_colourless=theme.is_colourless)

    return FilePreview(f"{kind} picture", note, draw, picture)


def _text_of(content: bytes, *, is_cut: bool) -> str | None:
    """Decode the bytes, without a character that is cut off at the end; return None for other than text."""
    encoding = next((name for bom, name in _BOMS if content.startswith(bom)), "utf-8")
    if encoding != "utf-16" and b"\0" in content:
        return None
    try:
        return codecs.getincrementaldecoder(encoding)().decode(content, final=not is_cut)
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    controls = sum(character < " " and character not in "\t\n\r\f" for character in text[:4096])
    unusual = sum("\x7f" <= character < "\xa0" for character in text[:4096])
    return text if controls == 0 and unusual == 0 else None


def _kind_of(content: bytes, name: str) -> str:
    found = next((kind for begin, kind in _OTHERS if content.startswith(begin)), None)
    return found or mimetypes.guess_type(name)[0] or "file of an unknown kind"


def _cannot(kind: str, size: int | None) -> str:
    how_large = f", {size_text(size)}" if size is not None else ""
    ways = f"{key_of('attachments.open')} opens it, {key_of('attachments.save')} saves it"
    return f"{kind[:1].upper()}{kind[1:]}{how_large}. It cannot be shown here: {ways}."


def _json(text: str, note: str) -> FilePreview:
    try:
        laid_out = json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return FilePreview("JSON, not formatted", note, _lines_of(text))
    return FilePreview("JSON", note, _lines_of(laid_out))


def _words(sentence: str) -> FileLayout:
    return lambda width, _height, theme: [[Segment(line, theme.style("muted"))] for line in _folded(sentence, width)]


def _lines_of(text: str) -> FileLayout:
    def draw(width: int, _height: int, theme: ThemeStyles) -> list[Line]:
        lines: list[Line] = []
        for line in safe_block(text).rstrip("\n").split("\n"):
            if len(lines) >= MAX_LINES:
                return [*lines, [Segment("…", theme.style("muted"))]]
            lines += [[Segment(part, theme.style())] for part in _folded(line, width)]
        return lines

    return draw


def _folded(line: str, width: int) -> list[str]:
    return [line] if cell_len(line) <= width else list(chop_cells(line, max(1, width)))


def _rows(text: str, suffix: str, *, is_cut: bool) -> list[list[str]]:
    """Return the rows of a table; empty where the text does not read as one."""
    lines = text.splitlines()
    if is_cut:
        lines = lines[:-1]
    first = next((line for line in lines if line.strip()), "")
    between = "\t" if suffix == "tsv" else max(",;\t|", key=first.count)
    try:
        rows = [row[:MAX_COLUMNS] for row in csv.reader(lines[:MAX_ROWS], delimiter=between) if row]
    except csv.Error:
        return []
    width = max((len(row) for row in rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows] if width > 1 else []


def _table(rows: Sequence[Sequence[str]], width: int, theme: ThemeStyles) -> list[Line]:
    """Draw a table: the first row as its heading, numbers by their decimal points, and as many columns as fit."""
    columns = [_on_point(column) for column in zip(*rows, strict=True)]
    widths = [min(WIDEST_COLUMN, max(cell_len(safe(cell)) for cell in column)) for column in columns]
    numeric = [all(_is_number(cell) for cell in column[1:]) and len(column) > 1 for column in columns]
    lines: list[Line] = []
    whole = min(width, sum(widths) + 2 * len(widths) - 2)
    for index, row in enumerate(zip(*columns, strict=True)):
        style = theme.style("muted" if index == 0 else "foreground", bold=index == 0)
        cells = [fit_right(cell, w) if n else fit(cell, w) for cell, w, n in zip(row, widths, numeric, strict=True)]
        lines.append([Segment(fit("  ".join(cells), whole), style)])
    return lines


def _on_point(column: Sequence[str]) -> Sequence[str]:
    head, *cells = column
    most = max((len(cell.partition(".")[2]) for cell in cells), default=0)
    if not most or not all(map(_is_number, cells)):
        return column
    return [head, *(cell + " " * (most - len(cell.partition(".")[2]) + ("." not in cell)) for cell in cells)]


def _is_number(cell: str) -> bool:
    return not cell.strip() or cell.strip().lstrip("+-").replace(".", "", 1).replace(",", "").isdigit()


# The dialog


class FileLines(Widget):
    """Lines of a file, laid out for the width there is, with a part of them in sight."""

    DEFAULT_CSS = "FileLines { width: 100%; height: 1fr; }"

    def __init__(self, preview: FilePreview, way: ImageProtocol) -> None:
        super().__init__()
        self._preview = preview
        self._lines: list[Line] = []
        self._top = 0
        self._picture: TerminalImage | None = None
        if preview.picture is not None and way is ImageProtocol.KITTY:
            self._picture = TerminalImage(preview.picture)

    def on_resize(self, event: events.Resize) -> None:
        theme = ThemeStyles.of(self.app)
        if self._picture is not None and not theme.is_colourless:
            self.call_after_refresh(self.run_worker, work(self._draw_picture), exclusive=True)
        else:
            self._lines = self._preview.draw(event.size.width, event.size.height, theme)
        self.scroll_lines(0)

    async def _draw_picture(self) -> None:
        region = self.region
        if self._picture is not None:
            drawn = await asyncio.to_thread(self._picture.sequence, region)
            if self.is_attached and region == self.region:
                cast("ChordApp", self.app).send_after_frame(drawn)

    def on_unmount(self) -> None:
        if self._picture is not None:
            cast("ChordApp", self.app).send_after_frame(kitty_removal())

    def scroll_lines(self, lines: int) -> None:
        self._top = max(0, min(self._top + lines, len(self._lines) - self.size.height))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        at = self._top + y
        line = self._lines[at] if at < len(self._lines) else []
        return Strip(line).adjust_cell_length(self.size.width, ThemeStyles.of(self.app).style())

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-3)


class FilePreviewDialog(Dialog[None]):
    """Shows a file; j k ctrl+d ctrl+u g G scroll, q, enter and esc leave."""

    def __init__(self, name: str, preview: FilePreview, way: ImageProtocol = ImageProtocol.BLOCKS) -> None:
        super().__init__(joined([name, preview.kind, preview.note]))
        self._lines = FileLines(preview, way)
        self.name_keys(("j k", "scroll"), ("q", "close"))

    def content(self) -> ComposeResult:
        yield self._lines

    def on_mount(self) -> None:
        """Remove the notifications: one that went away would leave a hole in a picture."""
        self.app.clear_notifications()

    def type_early(self, character: str) -> None:
        page = self._lines.size.height
        steps = {"j": 1, "k": -1, " ": page, "g": -(10**9), "G": 10**9}
        if character == "q":
            self.dismiss(None)
        elif character in steps:
            self._lines.scroll_lines(steps[character])

    def press(self, key: str) -> bool:
        page = self._lines.size.height
        steps = {"down": 1, "up": -1, "pagedown": page, "pageup": -page, "ctrl+d": page // 2, "ctrl+u": -page // 2}
        steps |= {"home": -(10**9), "end": 10**9}
        if key not in steps:
            return super().press("escape" if key == "enter" else key)
        self._lines.scroll_lines(steps[key])
        return True
