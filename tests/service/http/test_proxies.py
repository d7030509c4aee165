"""Trusted proxies without a service: the caller that a request is counted for, and the address that it used."""

from collections.abc import Sequence
from typing import Any

import pytest

from backlit.service.http.proxies import Proxies, share_of


@pytest.mark.parametrize(
    ("host", "share"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("in process", "in process"),
    ],
)
def test_a_share_is_an_address_or_the_network_that_a_caller_has(host: str, share: str) -> None:
    assert share_of(host) == share


TRUSTED = ("10.0.0.0/8", "2001:db8::1")
FORWARDED = {"x-forwarded-for": "198.51.100.9", "x-forwarded-proto": "https", "x-forwarded-host": "a.example"}


@pytest.mark.parametrize(
    ("trusted", "nearest", "headers", "shown"),
    [
        ((), "10.0.0.1", FORWARDED, ("10.0.0.1", 80, "http", "own")),
        (TRUSTED, "192.0.2.7", FORWARDED, ("192.0.2.7", 80, "http", "own")),
        (TRUSTED, "10.0.0.1", FORWARDED, ("198.51.100.9", 0, "https", "a.example")),
        (TRUSTED, "::ffff:10.0.0.1", FORWARDED, ("198.51.100.9", 0, "https", "a.example")),
        (TRUSTED, "2001:db8::1", FORWARDED, ("198.51.100.9", 0, "https", "a.example")),
        (TRUSTED, "2001:db8::2", FORWARDED, ("2001:db8::2", 80, "http", "own")),
        (TRUSTED, "somewhere", FORWARDED, ("somewhere", 80, "http", "own")),
        (TRUSTED, "10.0.0.1", {}, ("10.0.0.1", 80, "http", "own")),
        (TRUSTED, "10.0.0.1", {"x-forwarded-proto": "ftp"}, ("10.0.0.1", 80, "http", "own")),
        (TRUSTED, "10.0.0.1", {"x-forwarded-proto": "http, HTTPS "}, ("10.0.0.1", 80, "https", "own")),
        (TRUSTED, "10.0.0.1", {"x-forwarded-host": "evil, b.example"}, ("10.0.0.1", 80, "http", "b.example")),
        (TRUSTED, "10.0.0.1", {"x-forwarded-for": "192.0.2.1, bad, 10.2.2.2"}, ("10.2.2.2", 0, "http", "own")),
        (TRUSTED, "10.0.0.1", {"x-forwarded-for": "192.0.2.1, 192.0.2.2:99"}, ("192.0.2.2", 0, "http", "own")),
        (TRUSTED, "10.0.0.1", {"x-forwarded-for": "[2001:db8::9]:99, 2001:db8::1"}, ("2001:db8::9", 0, "http", "own")),
    ],
)
def test_only_a_trusted_proxy_names_the_caller_and_the_address(
    trusted: Sequence[str], nearest: str, headers: dict[str, str], shown: tuple[str, int, str, str]
) -> None:
    given = [(name.encode(), value.encode()) for name, value in (headers | {"host": "own"}).items()]
    scope: dict[str, Any] = {"type": "http", "client": (nearest, 80), "scheme": "http", "headers": given}

    Proxies(trusted).apply(scope)

    assert [value.decode() for name, value in scope["headers"] if name == b"host"] == [shown[3]]
    assert (*scope["client"], scope["scheme"]) == shown[:3]


def test_a_proxy_that_names_the_caller_twice_names_the_nearest_last() -> None:
    given = [(b"x-forwarded-for", b"192.0.2.1"), (b"x-forwarded-for", b"192.0.2.2"), (b"host", b"own")]
    scope = {"type": "http", "client": ("10.0.0.1", 80), "scheme": "http", "headers": given}

    Proxies(TRUSTED).apply(scope)

    assert scope["client"] == ("192.0.2.2", 0)


def test_a_connection_without_an_address_is_left_as_it_is() -> None:
    scope = {"type": "http", "client": None, "scheme": "http", "headers": [(b"x-forwarded-proto", b"https")]}

    Proxies(("0.0.0.0/0",)).apply(scope)

    assert scope["scheme"] == "http"
