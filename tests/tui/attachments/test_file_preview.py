"""What is in a file, as lines, and the paths that people type."""

import io
import sys
from pathlib import Path

import pytest
from PIL import Image
from tests.tui.attachments.pictures import picture

from backlit.tui.attachments.file_preview import MAX_ROWS, PREVIEW_BYTES, kind_word, preview_of
from backlit.tui.drawing import images, themes
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.shell.paths import completions, files_in, folder_and_name

VARIABLES = {**themes.VARIABLE_DEFAULTS, "foreground": "#ffffff", "background": "#000000", "panel": "#222222"}
LOOKS = ThemeStyles(VARIABLES)


def shown_of(content: bytes, name: str, width: int = 40, height: int = 20) -> list[str]:
    look = preview_of(content, name, len(content))
    return ["".join(segment.text for segment in line).rstrip() for line in look.draw(width, height, LOOKS)]


# What is in a file


def test_json_is_indented_and_what_is_none_stays_as_it_is() -> None:
    assert shown_of(b'{"a":[1,"\xc3\xa9"]}', "x.json") == ["{", '  "a": [', "    1,", '    "é"', "  ]", "}"]
    assert shown_of(b'{"a":', "x.json") == ['{"a":']


def test_a_table_has_columns_and_numbers_at_the_right() -> None:
    assert shown_of(b'name;count\n"a;b";5\nlong name;12\n', "x.csv") == [
        "name       count",
        "a;b            5",
        "long name     12",
    ]


def test_decimal_points_of_a_column_stand_below_each_other() -> None:
    assert shown_of(b"a,b\n0.25,x\n10,y\n2.0,z\n", "x.csv")[1:] == [" 0.25  x", "10     y", " 2.0   z"]


def first_of(content: bytes, name: str, width: int, height: int) -> list[str]:
    lines = preview_of(content, name, len(content)).first_lines(width, height, LOOKS)
    return ["".join(segment.text for segment in line).rstrip() for line in lines]


def test_the_rows_of_a_narrow_table_are_set_in_columns() -> None:
    table = b"a,b\n" + b"".join(b"%d,x\n" % number for number in range(1, 6))

    assert first_of(table, "x.csv", 12, 4) == ["a  b │ a  b", "1  x │ 4  x", "2  x │ 5  x", "3  x │"]
    assert first_of(table, "x.csv", 20, 4) == ["a  b │ a  b", "1  x │ 4  x", "2  x │ 5  x", "3  x │"]
    assert first_of(table, "x.csv", 20, 3) == ["a  b │ a  b │ a  b", "1  x │ 3  x │ 5  x", "2  x │ 4  x │"]
    assert first_of(table, "x.csv", 20, 9) == ["a  b", *(f"{number}  x" for number in range(1, 6))]


def test_the_figures_of_a_table_stand_beside_it_where_it_leaves_room() -> None:
    table = b"number,kind\n" + b"".join(b"%d,x\n" % number for number in range(1, 6))

    assert first_of(table, "x.csv", 80, 9)[0] == "number  kind    kind"
    assert first_of(table, "x.csv", 80, 9)[1].startswith("     1  x       x  ━━━")
    assert first_of(table, "x.csv", 40, 9)[1] == "     1  x"


@pytest.mark.parametrize(
    ("name", "content", "rest"),
    [("x.csv", b"a,b\n" + b"1,2\n" * 40, "… 30 more rows"),
     ("x.txt", b"word\n" * 40, "… 37 more lines")],
)  # fmt: skip
def test_the_beginning_of_a_long_file_says_how_much_is_left(name: str, content: bytes, rest: str) -> None:
    lines = first_of(content, name, 34, 4)

    assert len(lines) == 4
    assert lines[-1] == rest


@pytest.mark.parametrize("height", range(6))
@pytest.mark.parametrize(
    ("name", "content", "least"), [("x.csv", b"a,b\n" + b"1,2\n" * 40, 3), ("x.txt", b"word\n" * 40, 2)]
)
def test_the_beginning_of_a_file_has_as_many_lines_as_there_is_room(
    name: str, content: bytes, least: int, height: int
) -> None:
    lines = first_of(content, name, 34, height)

    assert len(lines) == height
    assert any(line.startswith("… ") for line in lines) is (height >= least)


def test_a_table_says_that_it_shows_the_first_rows_of_many() -> None:
    kinds = [preview_of(b"a,b\n" + b"1,2\n" * rows, "x.csv", None).kind for rows in (1, MAX_ROWS - 1, MAX_ROWS + 1)]

    assert kinds == ["1 row, 2 columns", "4,999 rows, 2 columns", "first 4,999 rows, 2 columns"]


def test_markdown_is_laid_out_and_text_is_folded() -> None:
    assert shown_of(b"# Head\n\n- one", "notes.md") == ["Head", "• one"]
    assert shown_of(b"abcdefghij\n\tk", "notes.txt", 6) == ["abcdef", "ghij", "    k"]


def test_hostile_text_is_drawn_as_text() -> None:
    (line,) = shown_of(b"\x1b[31mred\x1b]0;title\x07 [/b]\xe2\x80\xae", "x.txt", 60)

    assert "\x1b" not in line
    assert "\x07" not in line
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in line
    assert "[/b]" in line


def test_what_cannot_be_shown_says_its_kind_and_size() -> None:
    (line,) = shown_of(b"%PDF-1.7\n\0\0", "plan.pdf", 200)

    assert line == "PDF document, 11 B. It cannot be shown here: o opens it, s saves it."


def test_a_text_that_was_cut_inside_a_character_is_a_text() -> None:
    content = ("é" * PREVIEW_BYTES).encode()[: PREVIEW_BYTES - 1] + b"a"

    look = preview_of(content[:-1] + "é".encode()[:1], "x.txt", 10 * PREVIEW_BYTES)

    assert (look.kind, look.note) == ("text", "only the first 256 KB")


@pytest.mark.parametrize(
    ("name", "word"), [("shot.PNG", "picture"), ("a.csv", "table"), ("b.pdf", "document"), ("notes", ""), ("x.bin", "")]
)
def test_a_file_has_a_word_for_its_kind_by_its_name(name: str, word: str) -> None:
    assert kind_word(name) == word


def test_a_picture_is_half_blocks_of_its_colours() -> None:
    look = preview_of(picture(), "shot.png", None)

    lines = look.draw(8, 4, LOOKS)

    assert look.kind == "PNG picture"
    assert [len(line) for line in lines] == [8] * 4
    style = lines[0][0].style
    assert style is not None
    assert style.color is not None
    assert style.color.triplet is not None
    assert style.color.triplet.hex == "#ff0000"


def test_a_picture_without_colours_is_shades() -> None:
    plain = ThemeStyles(VARIABLES, is_colourless=True)

    lines = preview_of(picture("#ffffff"), "shot.png", None).draw(8, 4, plain)

    assert lines[0][0].text == "█" * 8


def test_pictures_can_be_switched_off_and_broken_ones_are_said() -> None:
    off = preview_of(picture(), "shot.png", None, with_pictures=False).draw(99, 4, LOOKS)
    broken = preview_of(b"\x89PNG\r\n\x1a\nnothing", "shot.png", None).draw(99, 4, LOOKS)

    assert off[0][0].text == "Pictures are switched off (images = false in config.toml)."
    assert broken[0][0].text == "The file could not be read as an image."


def test_without_the_extra_a_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    content = picture()
    monkeypatch.setitem(sys.modules, "PIL", None)

    lines = preview_of(content, "shot.png", None).draw(99, 4, LOOKS)

    assert lines[0][0].text == images.HOW_TO


def test_the_beginning_of_a_picture_leads_to_the_picture() -> None:
    begin = picture().ljust(PREVIEW_BYTES, b"\0")
    on, off = (preview_of(begin, "shot.png", 2**20, with_pictures=each).draw(99, 4, LOOKS) for each in (True, False))

    assert on[0][0].text == "PNG picture, 1.0 MB. Press enter to show it."
    assert "switched off" in off[0][0].text


def test_a_huge_picture_is_not_unpacked() -> None:
    file = io.BytesIO()
    Image.new("1", (9000, 9000)).save(file, "PNG")

    lines = preview_of(file.getvalue(), "shot.png", None).draw(99, 4, LOOKS)

    assert lines[0][0].text == "9,000 × 9,000 pixels are too many to show."


# Paths


@pytest.mark.parametrize("text", ["~nosuchuser/x", "~nosuchuser/", "x" * 5000, ""])
def test_what_can_be_no_path_is_said(text: str) -> None:
    assert completions(text) == [] or not text
    with pytest.raises(ValueError, match=r"No such user: nosuchuser|Invalid path|Enter a file name"):
        files_in(text)
    with pytest.raises(ValueError, match=r"No such user: nosuchuser|Invalid path|Enter a folder"):
        folder_and_name(text, "x")


def test_files_are_named_by_path_pattern_or_several(tmp_path: Path) -> None:
    for name in ("a one.txt", "b.txt", "c.png"):
        (tmp_path / name).write_text(name)

    assert files_in(f"{tmp_path}/a one.txt") == [tmp_path / "a one.txt"]
    assert files_in(f"{tmp_path}/*.txt") == [tmp_path / "a one.txt", tmp_path / "b.txt"]
    assert files_in(f"'{tmp_path}/a one.txt' {tmp_path}/c.png") == [tmp_path / "a one.txt", tmp_path / "c.png"]
    for text, sentence in (
        (f"{tmp_path}", "is a folder"),
        (f"{tmp_path}/x", "No such file"),
        ("", "Enter a file name"),
    ):
        with pytest.raises(ValueError, match=sentence):
            files_in(text)


def test_the_home_folder_is_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "Downloads").mkdir()
    (tmp_path / "data.txt").touch()
    (tmp_path / ".hidden").touch()

    assert completions("~/D") == ["~/Downloads/"]
    assert completions("~/") == ["~/Downloads/", "~/data.txt"]
    assert folder_and_name("~/Downloads/", "x.txt") == (tmp_path / "Downloads", "x.txt")
    assert folder_and_name("~/y.txt", "x.txt") == (tmp_path, "y.txt")
