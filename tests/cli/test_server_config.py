"""`--config FILE` of serve and admin: options out of a file."""

from pathlib import Path

import pytest

from backlit.cli.arguments import parser

FILE = """
host = "0.0.0.0"
port = 9000
database = "sqlite:///served.db"
trusted-proxy = ["10.0.0.1", "10.0.0.2"]
legacy-clients = true
sample = false
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "server.toml"


def test_the_server_reads_its_options_and_those_of_the_command_line_win(file: Path) -> None:
    file.write_text(FILE)

    read = parser().parse_args(["serve", "--port", "9001", "--config", str(file)])

    assert (read.host, read.port, read.database) == ("0.0.0.0", 9001, "sqlite:///served.db")
    assert (read.trusted_proxy, read.legacy_clients, read.sample) == (["10.0.0.1", "10.0.0.2"], True, False)


def test_admin_takes_the_place_of_the_data_from_the_same_file(file: Path) -> None:
    file.write_text(FILE)

    read = parser().parse_args(["admin", "users", "list", f"--config={file}"])

    assert (read.database, read.files) == ("sqlite:///served.db", None)


@pytest.mark.parametrize("command", [("serve",), ("admin", "check")], ids=" ".join)
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "cannot be read: No such file or directory"),
        ("port = ", "is no TOML"),
        ("prot = 9000", "there is no option “prot”. Did you mean “port”?"),
        ("help = true", "there is no option “help”."),
        ("config = 'x'", "there is no option “config”."),
        ("database = true", "database is a text or a number"),
        ("[database]\nurl = 1", "database is a text or a number"),
    ],
    ids=str,
)
def test_a_fault_of_the_file_is_said_with_its_name(
    file: Path, command: tuple[str, ...], text: str | None, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        file.write_text(text)

    with pytest.raises(SystemExit) as ended:
        parser().parse_args([*command, "--config", str(file)])

    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert str(file) in said
    assert sentence in said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("port = 99999", "the highest port is 65535"), ("sample = 'yes'", "sample is true or false")],
)
def test_a_value_of_the_file_is_checked_as_an_option(
    file: Path, text: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(text)

    with pytest.raises(SystemExit):
        parser().parse_args(["serve", "--config", str(file)])

    assert sentence in capsys.readouterr().err
