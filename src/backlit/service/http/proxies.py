"""Reverse proxies: trusted sources of the caller's address, scheme and host."""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache

from starlette.datastructures import Headers
from starlette.types import Scope

from backlit.model.errors import BadRequest

_SCHEMES = frozenset({"http", "https"})

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks_of(addresses: Sequence[str]) -> tuple[Network, ...]:
    """Read addresses and networks (`10.0.0.0/8`); raises BadRequest."""
    try:
        return tuple(ipaddress.ip_network(address, strict=False) for address in addresses)
    except ValueError as error:
        raise BadRequest(f"A trusted proxy is an address or a network: {error}.") from None


# To read an address twice a write took a fiftieth of its CPU.
@lru_cache(4096)
def share_of(host: str) -> str:
    """Return the address that attempts and shares are counted for: of IPv6 the /64, which a caller has as a whole."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
    return str(address)


class Proxies:
    """Replacement of a connection's address, scheme and host by a trusted proxy's headers."""

    def __init__(self, trusted: Sequence[str]) -> None:
        self._networks = networks_of(trusted)

    def apply(self, scope: Scope) -> None:
        """Set client, scheme and host of a request from a trusted proxy; leave others unchanged."""
        client = scope.get("client")
        if not self._networks or client is None or not self.is_trusted(client[0]):
            return
        headers = Headers(scope=scope)
        scope["client"] = self._client(headers.getlist("x-forwarded-for"), client)
        scheme, host = _last(headers, "x-forwarded-proto").lower(), _last(headers, "x-forwarded-host")
        if scheme in _SCHEMES:
            scope["scheme"] = scheme
        if host:
            others = [(name, value) for name, value in scope["headers"] if name != b"host"]
            scope["headers"] = [(b"host", host.encode("latin-1")), *others]

    def _client(self, lines: list[str], nearest: tuple[str, int]) -> tuple[str, int]:
        """Return the nearest address outside the trusted proxies; further ones may be forged."""
        for text in reversed(",".join(lines).split(",")):
            address = _address(text.strip())
            if address is None:
                break
            nearest = address, 0
            if not self.is_trusted(address):
                break
        return nearest

    def is_trusted(self, text: str) -> bool:
        if not self._networks:
            return False
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return False
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        return any((mapped or address) in network for network in self._networks)


def _last(headers: Headers, name: str) -> str:
    """Return the nearest proxy's value; earlier ones may be forged."""
    return ",".join(headers.getlist(name)).rpartition(",")[2].strip()


def _address(text: str) -> str | None:
    """Return an address without its port, as some proxies add it."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None
