"""Ways to a server that a sign-in names: they hold in the command line and the screens, and at the next start."""

import asyncio
import json
import os
import ssl
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.cli.admin_world import Workspace
from tests.cli.commands.test_doctor_encryption import Authority
from tests.cli.home import Home, Server
from tests.cli.proxy_servers import PASSWORD, proxy
from tests.store.world import until

from backlit.cli.wiring import store_of
from backlit.config.settings import Profiles, Settings, find_locations
from backlit.store import ConnectionState
from backlit.tui.app.app import BacklitApp


@pytest.fixture(autouse=True)
def without_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("SSL_CERT"):
            monkeypatch.delenv(name)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def encryption(authority: Authority) -> ssl.SSLContext:
    return authority.context(days=100)


@pytest.fixture
def server(workspace: Workspace, encryption: ssl.SSLContext) -> Iterator[Server]:
    found = Server(workspace.settings, encryption)
    yield found
    found.stop()


def log_in(home: Home, server: Server, *options: str) -> tuple[int, str]:
    done = home.run("login", server.address, "--user", "maya", *options, given="lantern\n")
    return done.returncode, done.stderr


def works_everywhere(home: Home) -> None:
    """Check that a command and the screens reach the server with what is kept of the sign-in."""
    listed = home.run("items", "list", "--limit", "1", "--fresh")
    assert listed.returncode == 0, listed.stderr
    health = home.run("doctor", "--json").json
    assert [each for each in health["findings"] if each["health"] == "broken"] == []
    asyncio.run(screens_connect(home))


async def screens_connect(home: Home) -> None:
    locations = find_locations({"BACKLIT_HOME": str(home.path)})
    store = store_of(Profiles(locations).signed_in(), locations, Settings())
    store.open()
    try:
        async with BacklitApp(store).run_test(size=(100, 30)):
            await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
    finally:
        store.close()


def private_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["http", "socks5"])
def test_a_proxy_of_the_profile_is_used_for_everything(
    home: Home, server: Server, authority: Authority, kind: str
) -> None:
    pytest.importorskip("socksio") if kind == "socks5" else None
    with proxy(kind) as between:
        signed_in = log_in(home, server, "--ca", str(authority.path), "--proxy", between.address)
        before = between.used
        works_everywhere(home)
        doctor = home.run("doctor").stdout
        used = between.used - before
    (kept,) = home.path.glob("state/*/connection.json")

    assert signed_in[0] == 0, signed_in[1]
    assert used > 2
    assert f"{kind}://127.0.0.1:" in doctor
    assert "which the profile names" in doctor
    assert PASSWORD.replace(" ", "%20") not in doctor
    assert private_mode(kept) == 0o600


@pytest.mark.slow
def test_a_dead_proxy_of_the_profile_is_blamed_with_the_way_out(home: Home, server: Server) -> None:
    status, said = log_in(home, server, "--proxy", f"http://maya:{PASSWORD.split()[0]}@127.0.0.1:9")

    assert status == 5
    assert "nothing is listening on the proxy http://127.0.0.1:9, which the profile names" in said
    assert 'no_proxy = "127.0.0.1" in [connection] of config.toml' in said
    assert PASSWORD.split()[0] not in said


@pytest.mark.slow
def test_a_pinned_key_is_trusted_alone_and_another_one_is_refused(
    home: Home, server: Server, authority: Authority, encryption: ssl.SSLContext, tmp_path: Path
) -> None:
    status, unknown = log_in(home, server)
    fingerprint = unknown.split("--fingerprint ")[1].split()[0]
    signed_in = log_in(home, server, "--fingerprint", fingerprint.upper())
    works_everywhere(home)
    authority.context(days=100)  # a new key, in the file of the running server
    encryption.load_cert_chain(tmp_path / "server.pem")
    changed = home.run("items", "list", "--fresh")

    assert status == 5
    assert signed_in[0] == 0, signed_in[1]
    assert changed.returncode == 5
    assert f"and {fingerprint} is trusted. No request was sent." in changed.stderr


def client_certificate(folder: Path, password: bytes | None = None) -> Path:
    """A certificate of a person with its key, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "maya")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=100))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    kind: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if password:
        kind = serialization.BestAvailableEncryption(password)
    file = folder / "maya.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, kind)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    file.chmod(0o600)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("password", [None, b"letmein"], ids=["plain", "encrypted"])
def test_a_client_certificate_is_shown_to_the_server_that_asks_for_it(
    home: Home, server: Server, authority: Authority, encryption: ssl.SSLContext, password: bytes | None
) -> None:
    certificate = client_certificate(authority.path.parent, password)
    encryption.verify_mode = ssl.CERT_REQUIRED
    encryption.load_verify_locations(certificate)
    trust = ("--ca", str(authority.path))
    missing = log_in(home, server, *trust)
    certificate.chmod(0o644)
    readable = log_in(home, server, *trust, "--client-cert", str(certificate))
    certificate.chmod(0o600)
    if password:
        without = log_in(home, server, *trust, "--client-cert", str(certificate))
        assert "needs a password. Name a command that prints it" in without[1]
        (home.path / "config").mkdir(parents=True, exist_ok=True)
        command = json.dumps(["echo", password.decode()])
        (home.path / "config" / "config.toml").write_text(f"[connection]\nkey_password_command = {command}\n")
    signed_in = log_in(home, server, *trust, "--client-cert", str(certificate))
    works_everywhere(home)

    assert (missing[0], readable[0], signed_in[0]) == (5, 5, 0), signed_in[1]
    assert "client certificate" in missing[1]
    assert f"chmod 600 {certificate}" in readable[1]
