"""The network: the reason of a missing response, and the authorities of encrypted connections."""

import socket
import ssl

import certifi
import httpx
import pytest

from backlit.client.network import offline, trusted


@pytest.mark.parametrize(
    ("code", "words"),
    [
        *((10, "has expired"), (9, "is not valid yet"), (20, "is not signed by an authority"), (62, "another name")),
        *((64, "another name"), (2, "is not signed by an authority"), (23, "is invalid: odd")),
    ],
)
def test_the_fault_of_a_certificate_is_named_however_deep_it_lies(code: int, words: str) -> None:
    fault = ssl.SSLCertVerificationError(1, "failed")
    fault.verify_code, fault.verify_message = code, "odd"
    error = httpx.ConnectError("failed")
    error.__cause__ = ExceptionGroup("all attempts", [OSError("no route"), fault])

    found = offline(error, httpx.Request("GET", "https://a.example"))

    assert words in found.message
    assert found.message.endswith("No request was sent.")
    assert "a.example" in found.message


@pytest.mark.parametrize(
    ("error", "address", "words"),
    [
        (socket.gaierror(-2, "unknown"), "https://a.example", "there is no address for a.example"),
        (ConnectionRefusedError(111, "refused"), "https://a.example", "nothing is listening on a.example:443"),
        (ConnectionRefusedError(111, "refused"), "http://a.example", "nothing is listening on a.example:80"),
        (ConnectionRefusedError(111, "refused"), "http://a.example:8080", "nothing is listening on a.example:8080"),
        (ssl.SSLError(1, "wrong version"), "https://a.example:80", "a.example:80 does not speak HTTPS"),
        (ConnectionResetError(104, "reset"), "http://a.example", "a.example:80 broke off the connection."),
        (ConnectionResetError(104, "reset"), "https://a.example", "If it asks for a client certificate, name yours"),
        (httpx.ReadError("broken"), "https://a.example", "If it asks for a client certificate, name yours"),
        (OSError(101, "Network is unreachable"), "https://a.example", ": Network is unreachable (a.example:443)."),
        (
            OSError(24, "Too many open files"),
            "https://a.example",
            "This machine opens no more connections: Too many open",
        ),
        (ValueError("odd"), "https://a.example", "a.example cannot be reached."),
    ],
)
def test_the_cause_of_a_missing_answer_is_named(error: Exception, address: str, words: str) -> None:
    outer = httpx.ConnectError("failed")
    outer.__context__ = error

    assert words in offline(outer, httpx.Request("GET", address)).message


def test_authorities_are_loaded_for_the_first_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", certifi.where())
    context = trusted()
    before = context.cert_store_stats()["x509_ca"]

    context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="backlit.example")

    assert (before, context.cert_store_stats()["x509_ca"] > 0) == (0, True)
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
