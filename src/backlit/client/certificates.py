"""Certificates of servers: what a person compares, and the key that a profile pins.

The standard library decodes a certificate that it trusts alone, and no public key.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

_SEQUENCE, _SET, _UTC_TIME, _VERSION = 0x30, 0x31, 0x17, 0xA0
_NAMES = {b"\x55\x04\x03": "CN", b"\x55\x04\x0a": "O", b"\x55\x04\x0b": "OU"}
"""Parts of a name that are shown, by their object identifiers."""


class ServerCertificate(NamedTuple):
    """A server's certificate; `fingerprint` is that of its public key, which outlives a renewal with the same key."""

    subject: str
    issuer: str
    good_until: datetime
    fingerprint: str


class _Element(NamedTuple):
    """An element of DER: its tag, its content, and all its bytes."""

    tag: int
    content: bytes
    whole: bytes


def fingerprint_of(certificate: bytes) -> str:
    """Return the SHA-256 of a certificate's public key (RFC 7469), as `sha256:` and digits; ValueError for no DER."""
    return f"sha256:{hashlib.sha256(_parts(certificate)[5].whole).hexdigest()}"


def read_certificate(certificate: bytes) -> ServerCertificate:
    """Read a certificate in DER; raise ValueError for anything else."""
    _, _, issuer, validity, subject, _ = _parts(certificate)[:6]
    *_, end = _elements(validity.content)
    return ServerCertificate(_name(subject), _name(issuer), _time(end), fingerprint_of(certificate))


def _parts(certificate: bytes) -> list[_Element]:
    """Return serial number, algorithm, issuer, validity, subject, public key and the rest."""
    try:
        (whole,) = _elements(certificate)
        body, *_ = _elements(whole.content)
        parts = [each for each in _elements(body.content) if each.tag != _VERSION]
    except (IndexError, ValueError):
        raise ValueError("no certificate") from None
    if len(parts) < 6 or any(each.tag != _SEQUENCE for each in parts[1:6]):
        raise ValueError("no certificate")
    return parts


def _elements(content: bytes) -> Iterator[_Element]:
    at = 0
    while at < len(content):
        begin, tag, size, at = at, content[at], content[at + 1], at + 2
        if size & 0x80:  # the next bytes are the size
            width = size & 0x7F
            size, at = int.from_bytes(content[at : at + width]), at + width
        if at + size > len(content):
            raise ValueError("cut off")
        yield _Element(tag, content[at : at + size], content[begin : at + size])
        at += size


def _name(name: _Element) -> str:
    found = []
    for group in _elements(name.content):
        for pair in _elements(group.content) if group.tag == _SET else ():
            key, value = _elements(pair.content)
            if key.content in _NAMES:
                found.append(f"{_NAMES[key.content]}={value.content.decode('utf-8', 'replace')}")
    return ", ".join(found) or "without a name"


def _time(element: _Element) -> datetime:
    text = element.content.decode("ascii")
    if element.tag == _UTC_TIME:  # two digits of the year, up to 2049
        text = f"{'20' if text < '5' else '19'}{text}"
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)
