"""A server whose certificate is signed by one's own authority."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.admin_world import Workspace
from tests.cli.commands.test_doctor_encryption import Authority
from tests.cli.home import Home, Server


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def encrypted(workspace: Workspace, authority: Authority) -> Iterator[Server]:
    server = Server(workspace.settings, authority.context(days=100))
    yield server
    server.stop()


@pytest.mark.slow
def test_an_authority_named_at_the_sign_in_is_kept(home: Home, encrypted: Server, authority: Authority) -> None:
    unknown = home.run("login", encrypted.address, "--user", "maya", given="lantern\n")
    known = home.run("login", encrypted.address, "--user", "maya", "--ca", str(authority.path), given="lantern\n")
    authority.path.unlink()
    listed = home.run("items", "list", "--limit", "1", "--fresh")
    health = home.run("doctor", "--json").json
    again = home.run("login", encrypted.address, "--user", "maya", given="lantern\n")

    assert (unknown.returncode, "is not signed by an authority" in unknown.stderr) == (5, True)
    assert (known.returncode, listed.returncode, again.returncode) == (0, 0, 0), listed.stderr
    assert len(listed.stdout.splitlines()) == 1
    assert [each for each in health["findings"] if each["health"] == "broken"] == []


@pytest.mark.parametrize(
    ("content", "sentence"), [(None, "No such file or directory."), ("text", "has no certificates.")]
)
def test_a_file_without_authorities_is_refused(home: Home, tmp_path: Path, content: str | None, sentence: str) -> None:
    file = tmp_path / "ca.pem"
    if content:
        file.write_text(content)

    done = home.run("login", "https://127.0.0.1:1", "--user", "maya", "--ca", str(file), given="lantern\n")

    assert done.returncode in {1, 6}
    assert sentence in done.stderr
