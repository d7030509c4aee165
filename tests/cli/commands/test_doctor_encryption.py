"""What the doctor and the client say of certificates, over real encrypted connections."""

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.store.world import raised

from backlit.cli.commands.doctor import Finding, Health, HealthReport, look_at_address
from backlit.client.calls import RetryPolicy
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import Offline

NOW = datetime.now(UTC)


class Authority:
    """One's own certificate authority; `path` is what has to be trusted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Our own authority")])
        self.path = folder / "authority.pem"
        made = self._builder(self._name, self._key, NOW + timedelta(days=365)).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        self.path.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def _builder(self, name: x509.Name, key: ec.EllipticCurvePrivateKey, until: datetime) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(NOW - timedelta(days=30))
            .not_valid_after(until)
        )

    def context(self, *, days: float, address: str = "127.0.0.1") -> ssl.SSLContext:
        """What a server at an address shows, good for so many days."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, address)])
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
        made = self._builder(name, key, NOW + timedelta(days=days)).add_extension(names, critical=False)
        file = self._folder / "server.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@asynccontextmanager
async def listening(context: ssl.SSLContext) -> AsyncIterator[str]:
    """Take encrypted connections on a free port and end them; gives the address."""

    async def end(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(end, "127.0.0.1", 0, ssl=context)
    try:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def found(context: ssl.SSLContext) -> Finding:
    report = HealthReport("tested")
    async with listening(context) as address:
        await look_at_address(address, report)
    return next(each for each in report.findings if each.about == "encryption")


@pytest.fixture
def trusts(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine trusts the authority, as its user has said."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))


@pytest.mark.usefixtures("trusts")
async def test_a_certificate_of_ones_own_authority_is_good_where_that_is_named(authority: Authority) -> None:
    finding = await found(authority.context(days=100))

    day = (NOW + timedelta(days=100)).date()
    assert (finding.health, finding.sentence) == (Health.OK, f"TLSv1.3; the certificate is valid until {day}.")


@pytest.mark.usefixtures("trusts")
async def test_a_certificate_that_ends_soon_is_noted(authority: Authority) -> None:
    finding = await found(authority.context(days=5))

    assert finding.health is Health.NOTE


async def test_a_certificate_of_an_unknown_authority_says_how_to_trust_it(authority: Authority) -> None:
    finding = await found(authority.context(days=100))

    assert finding.health is Health.BROKEN
    assert "127.0.0.1 is not signed by an authority that this machine trusts" in finding.sentence
    assert "SSL_CERT_FILE=" in finding.sentence


@pytest.mark.usefixtures("trusts")
async def test_an_expired_certificate_is_said_to_be_that(authority: Authority) -> None:
    finding = await found(authority.context(days=-1))

    assert finding.health is Health.BROKEN
    assert finding.sentence.startswith("The certificate of 127.0.0.1 has expired. Its owner has to renew it.")


@pytest.mark.usefixtures("trusts")
async def test_a_certificate_for_another_name_is_said_to_be_that(authority: Authority) -> None:
    finding = await found(authority.context(days=100, address="127.0.0.9"))

    assert finding.health is Health.BROKEN
    assert finding.sentence.startswith("The certificate is for another name than 127.0.0.1. Check the address.")


async def test_the_client_sends_nothing_over_a_bad_certificate_and_says_why(
    authority: Authority, tmp_path: Path
) -> None:
    async with (
        listening(authority.context(days=100)) as address,
        Client.at(address, TokenCache(tmp_path / "t.json", address), RetryPolicy(attempts=1)) as client,
    ):
        error = await raised(client.auth.sign_in("maya", "secret"))

    assert isinstance(error, Offline)
    assert error.message.startswith("The certificate of 127.0.0.1 is not signed by an authority")
    assert error.message.endswith("No request was sent.")


UNUSABLE = [
    ("SSL_CERT_FILE", "missing.pem", "which cannot be read: No such file or directory."),
    ("SSL_CERT_FILE", "", "which cannot be read: Is a directory."),
    ("SSL_CERT_FILE", "empty.pem", "which has no certificates."),
    ("SSL_CERT_DIR", "missing", "which is no directory."),
]


@pytest.mark.parametrize(("variable", "name", "fault"), UNUSABLE)
async def test_authorities_that_cannot_be_read_are_named_with_their_variable(  # noqa: PLR0917 - a table of three columns
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, name: str, fault: str
) -> None:
    (tmp_path / "empty.pem").touch()
    monkeypatch.setenv(variable, str(tmp_path / name))

    finding = await found(authority.context(days=100))

    assert finding.health is Health.BROKEN
    assert finding.sentence == f"{variable} names {tmp_path / name}, {fault} Correct the variable or remove it."


async def test_the_doctor_names_the_proxy_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    report = HealthReport("tested")
    monkeypatch.setenv("http_proxy", "maya:swordfish@proxy.example:3128")

    await look_at_address("http://team.example", report)

    assert (
        report.findings[0].sentence
        == "Requests go through the proxy http://proxy.example:3128, which http_proxy names."
    )
