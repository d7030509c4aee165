"""Commands in locales other than UTF-8: what they write can be read, and what they cannot read is a sentence."""

import ast
import io
import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.home import COMMAND, DEMO, Home

import backlit
from backlit.cli import ascii_output as ascii_module
from backlit.cli.ascii_output import replace_signs
from backlit.model.filters.matching import SYLLABIC

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
LATIN = {"PYTHONIOENCODING": "ISO-8859-1", "PYTHONUTF8": "0"}
"""What Python makes of a locale of western Europe, which this machine may not have."""


def run(home: Home, settings: dict[str, str], *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *words], check=False, env=home.environment | settings, input=given, capture_output=True, timeout=60
    )


COMMANDS = [
    (*DEMO, "items", "list"),
    (*DEMO, "doctor"),
    (*DEMO, "report", "burndown"),
    (*DEMO, "items", "show", "19"),
    (*DEMO, "plan", "export"),
    (*DEMO, "log", "30", "2h", "--dry-run"),
    (*DEMO, "items", "import", "-", "--dry-run"),
    ("admin", "users", "add", "--help"),
    ("--help",),
    ("items", "nosuch"),
]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        *(pytest.param(ASCII, words, marks=pytest.mark.slow) for words in COMMANDS[::2]),
        pytest.param(LATIN, COMMANDS[0], marks=pytest.mark.slow),
        *(pytest.param(ASCII, words, marks=pytest.mark.long) for words in COMMANDS[1::2]),
        *(pytest.param(LATIN, words, marks=pytest.mark.long) for words in COMMANDS[1:3]),
    ],
)
@pytest.mark.long_but("words1", "words2", "words4")
def test_a_command_ends_in_every_locale_as_in_utf_8(
    demo_home: Home, settings: dict[str, str], words: tuple[str, ...]
) -> None:
    given = "id,type,Name\n19,,Über – 山\n"
    usual = demo_home.run(*words, given=given)

    done = run(demo_home, settings, *words, given=given.encode())

    assert b"Traceback" not in done.stderr
    assert done.returncode == usual.returncode
    assert len(done.stdout.splitlines()) == len(usual.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("words", [("report", "burndown"), ("plan", "export")], ids=" ".join)
@pytest.mark.long_but("plan export")
def test_a_document_is_utf_8_in_every_locale(demo_home: Home, words: tuple[str, ...]) -> None:
    usual = demo_home.run(*DEMO, *words)

    assert run(demo_home, ASCII, *DEMO, *words).stdout.decode() == usual.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("items", "list", "--query", "\udcff"),
        ("log", "1", "2h", "--note", "\udcff"),
        ("items", "list", "--sort", "\udcff"),
        ("admin", "users", "add", "\udcff"),
    ],
    ids=ascii,
)
def test_an_argument_that_is_no_text_is_refused_in_a_sentence(demo_home: Home, words: tuple[str, ...]) -> None:
    done = run(demo_home, {}, *words)

    assert done.returncode == 2
    assert b"? is not text in this locale's encoding. Try another locale: LC_ALL=C.UTF-8\n" in done.stderr


def test_a_file_may_have_a_name_that_is_no_text(demo_home: Home, tmp_path: Path) -> None:
    file = tmp_path / "\udcff.csv"
    file.write_text("id,type,Name\n19,,Renamed\n")

    done = demo_home.run(*DEMO, "items", "import", str(file), "--dry-run")

    assert done.returncode == 0
    assert "changed 1" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("words", [("login", "http://127.0.0.1:9", "--user", "maya"), ("admin", "users", "add", "zoe")])
@pytest.mark.long_but("words0")
def test_a_password_that_is_not_utf_8_is_refused_in_a_sentence(home: Home, words: tuple[str, ...]) -> None:
    run(home, {}, "admin", "init")

    done = run(home, {}, *words, given=b"p\xe4ssword-of-maya\n")

    assert done.returncode == 6
    assert done.stderr.endswith(b"backlit: Standard input is not UTF-8 text.\n")


def written_signs() -> Iterator[str]:
    """The signs in the strings of every module that can write to the output of a command, but for ranges of letters."""
    source = Path(backlit.__file__).parent
    for module in source.rglob("*.py"):
        place = module.relative_to(source)
        if (
            place.parts[0] in {"tui", "service"}
            or place.is_relative_to("imports/markup")
            or module == Path(ascii_module.__file__)
        ):
            continue
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != SYLLABIC:
                yield from (sign for sign in node.value if not sign.isascii() and unicodedata.category(sign)[0] in "PS")


@pytest.fixture
def ascii_output(monkeypatch: pytest.MonkeyPatch) -> io.TextIOWrapper:
    output = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr("sys.stdout", output)
    replace_signs()
    return output


@pytest.mark.slow
def test_every_sign_that_a_command_writes_has_a_likeness_in_ascii(ascii_output: io.TextIOWrapper) -> None:
    characters = set(written_signs())
    ascii_output.write("".join(sorted(characters)))
    ascii_output.seek(0)

    assert "→" in characters
    assert "\\" not in ascii_output.read()


def test_other_characters_lose_their_accents_or_become_escapes(ascii_output: io.TextIOWrapper) -> None:
    ascii_output.write("Inês – Straße, 山, ½, \udcff.csv")
    ascii_output.flush()

    assert ascii_output.buffer.getvalue() == b"Ines - Strasse, \\u5c71, \\xbd, \xff.csv"  # type: ignore[attr-defined]
