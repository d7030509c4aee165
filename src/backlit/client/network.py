"""The network: authorities of encryption, proxies of the environment, and the reasons of failures."""

import errno
import ipaddress
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.request import getproxies, proxy_bypass

import certifi
import httpx

from backlit.model.errors import Offline
from backlit.model.plain import plain

_SYSTEM_SETTINGS = "the network settings of the system"
_PROXY_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})
"""The schemes of proxies that httpx knows."""
_EXAMPLES = "Use an address such as http://proxy.example:3128 or socks5://proxy.example:1080"
_PROXY = "proxy"
"""The extension of a request that holds its EnvironmentProxy."""
_SIGN_IN_NEEDED = 407


# As an error of connecting it takes the way of all requests that were not sent: a change stays in the outbox.
class UnusableSetting(httpx.ConnectError):
    """A setting of this machine with which no request can be sent; its text is a sentence that names the setting."""


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class EnvironmentProxy(NamedTuple):
    """A proxy with the variable that names it; `url` holds its user name and password."""

    variable: str
    url: httpx.URL

    @classmethod
    def of(cls, url: httpx.URL) -> Self | None:
        """Return the proxy to an address, or None; raise UnusableSetting for a value that is no address.

        The variables are those of curl: HTTPS_PROXY or HTTP_PROXY by the address, then ALL_PROXY; NO_PROXY exempts.
        What goes to this machine never leaves it.
        """
        # A service on this machine cannot be reached through a proxy elsewhere. Go's client exempts it as well.
        proxies = {} if is_loopback(url.host) else getproxies()
        kind = next((kind for kind in (url.scheme, "all") if proxies.get(kind)), None)
        if kind is None or proxy_bypass(url.host if ":" in url.host else f"{url.host}:{_port_of(url)}"):
            return None
        value, variable = proxies[kind], _variable(f"{kind}_proxy")
        try:
            proxy = cls(variable, httpx.URL(value if "://" in value else f"http://{value}"))
        except httpx.InvalidURL:
            raise UnusableSetting(f"The proxy in {variable} has no valid address. {_EXAMPLES}") from None
        if proxy.url.scheme not in _PROXY_SCHEMES:
            raise UnusableSetting(f"{_capital(str(proxy))}, is of an unknown kind. {_EXAMPLES}")
        return proxy

    @property
    def address(self) -> str:
        """The address without user name and password."""
        port = f":{self.url.port}" if self.url.port else ""
        host = f"[{self.url.host}]" if ":" in self.url.host else self.url.host
        return plain(f"{self.url.scheme}://{host}{port}", 200)

    def __str__(self) -> str:
        verb = "name" if self.variable == _SYSTEM_SETTINGS else "names"
        return f"the proxy {self.address}, which {self.variable} {verb}"

    def answer_of_others(self, status: int, url: httpx.URL) -> str:
        """Say that the server did not write an answer: the proxy did, or a gateway that the server stands behind."""
        server = server_of(url)
        return (
            f"{_capital(str(self))}, or a gateway of {server} answered in place of the server (status {status})."
            f" Ask those who run them, or go without the proxy: NO_PROXY={url.host}"
        )

    def failure(self, error: httpx.ProxyError, place: str) -> str:
        if str(error).startswith(str(_SIGN_IN_NEEDED)):
            if self.url.userinfo:
                return f"{_capital(str(self))}, rejects the user name or password in it (407). Correct them there."
            return (
                f"{_capital(str(self))}, asks for a user name and a password (407)."
                f" Put them there: {self.url.scheme}://NAME:PASSWORD@{self.address.partition('://')[2]}"
            )
        return f"{_capital(str(self))}, did not connect to {place}: {plain(str(error), 200).rstrip('.')}."


def server_of(url: httpx.URL) -> str:
    """Name a server in a sentence: its host, and the port where the address names one."""
    return plain(url.netloc.decode("ascii", "replace"), 100)


def speaking_proxy(request: httpx.Request) -> EnvironmentProxy | None:
    """Return the proxy that a sent request went through, if it could answer in place of the server.

    To https addresses, and where it speaks SOCKS, a proxy passes on bytes that it cannot make.
    """
    proxy: EnvironmentProxy | None = request.extensions.get(_PROXY)
    may_answer = proxy is not None and request.url.scheme == "http" and proxy.url.scheme.startswith("http")
    return proxy if may_answer else None


def _port_of(url: httpx.URL) -> int:
    return url.port or {"https": 443}.get(url.scheme, 80)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _variable(lower: str) -> str:
    """Return the name of a set variable in its own case; the small one wins, as for urllib."""
    names = [name for name, value in os.environ.items() if value and name.lower() == lower]
    return lower if lower in names else next(iter(reversed(names)), _SYSTEM_SETTINGS)


class TrustingContext(ssl.SSLContext):
    """TLS with the authorities of the machine, loaded for the first connection: http is spared the 20 ms."""

    _is_loaded = False
    authority: Path | None = None
    """A file of the profile with an authority that is trusted beside those of the machine."""

    def wrap_bio(self, *arguments: Any, **options: Any) -> ssl.SSLObject:
        """Begin a connection; raise UnusableSetting if a variable names authorities that cannot be read."""
        if not self._is_loaded:
            self._load()
            self._is_loaded = True
        return super().wrap_bio(*arguments, **options)

    def _load(self) -> None:
        paths = ssl.get_default_verify_paths()
        file, folders = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
        # OpenSSL ignores what it cannot read, and each certificate then seems to be signed by nobody
        if folders and not any(Path(folder).is_dir() for folder in folders.split(os.pathsep)):
            raise UnusableSetting(
                f"SSL_CERT_DIR names {plain(folders, 200)}, which is no directory. Correct the variable or remove it."
            )
        if not file:
            self.load_default_certs()
        else:
            try:
                self.load_verify_locations(file, paths.capath)
            except OSError as error:
                fault = (
                    "has no certificates" if isinstance(error, ssl.SSLError) else f"cannot be read: {error.strerror}"
                )
                raise UnusableSetting(
                    f"SSL_CERT_FILE names {plain(file, 200)}, which {fault}. Correct the variable or remove it."
                ) from error
        if not (paths.cafile or folders or (paths.capath and any(Path(paths.capath).iterdir()))):
            self.load_verify_locations(certifi.where())
        if self.authority is not None:
            self._load_own(self.authority)

    def _load_own(self, authority: Path) -> None:
        try:
            self.load_verify_locations(authority)
        except OSError as error:
            raise UnusableSetting(
                f"The authority of this profile cannot be read ({plain(str(authority), 200)}). Name it again:"
                " backlit login URL --ca FILE"
            ) from error


def trusted(authority: Path | None = None) -> ssl.SSLContext:
    """Trust the system's authorities, or those of SSL_CERT_FILE or SSL_CERT_DIR; without both, certifi's list.

    The authority in a file comes beside them.
    """
    context = TrustingContext(ssl.PROTOCOL_TLS_CLIENT)
    context.authority = authority
    return context


class NetworkTransport(httpx.AsyncBaseTransport):
    """Transport to the network, through the proxies that the environment names.

    httpx's own reading of the environment does not tell which proxy a failed request used, nor which variable named it,
    and a proxy that it cannot use ends the program.
    """

    def __init__(self, limits: httpx.Limits, authority: Path | None = None) -> None:
        self._limits = limits
        self._authorities = trusted(authority)
        self._transports: dict[EnvironmentProxy | None, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response; raise httpx's errors, ProxyError where a proxy asks for a sign-in."""
        proxy = request.extensions[_PROXY] = EnvironmentProxy.of(request.url)
        try:
            response = await self._through(proxy).handle_async_request(request)
        except _socks_errors() as error:
            raise httpx.ProxyError("it does not speak SOCKS") from error
        # To http addresses the proxy's own 407 arrives as if the server had sent it.
        if proxy is not None and response.status_code == _SIGN_IN_NEEDED:
            await response.aclose()
            raise httpx.ProxyError(f"{_SIGN_IN_NEEDED}")
        return response

    async def aclose(self) -> None:
        for transport in self._transports.values():
            await transport.aclose()

    def _through(self, proxy: EnvironmentProxy | None) -> httpx.AsyncHTTPTransport:
        if proxy not in self._transports:
            way = None if proxy is None else httpx.Proxy(proxy.url, ssl_context=self._authorities_of(proxy))
            try:
                # socksio is an extra and not a dependency of everybody: it is small, but had no release since 2020.
                transport = httpx.AsyncHTTPTransport(verify=self._authorities, limits=self._limits, proxy=way)
            except ImportError:
                raise UnusableSetting(
                    f"{_capital(str(proxy))}, is a SOCKS proxy, and this installation has no socksio to use it."
                    " Install it in a checkout: pip install '.[socks]'"
                ) from None
            self._transports[proxy] = transport
        return self._transports[proxy]

    def _authorities_of(self, proxy: EnvironmentProxy) -> ssl.SSLContext | None:
        return self._authorities if proxy.url.scheme == "https" else None


def proxy_between(address: str) -> str | None:
    """Return the name of the proxy to an address, or None; raise Offline for a setting that names no usable one."""
    try:
        proxy = EnvironmentProxy.of(httpx.URL(address))
    except UnusableSetting as error:
        raise Offline(str(error)) from None
    return None if proxy is None else str(proxy)


def _socks_errors() -> tuple[type[Exception], ...]:
    """Return what socksio raises for a malformed reply, which httpx lets pass; nothing without socksio."""
    try:
        return (import_module("socksio").SOCKSError,)
    except ImportError:
        return ()


class TlsDetails(NamedTuple):
    """The protocol's version, and the end of the server's certificate in seconds since 1970."""

    version: str
    good_until: int


async def tls_details_of(address: str, patience: float, authority: Path | None = None) -> TlsDetails:
    """Connect to an address as the client does, and return what the server shows; raise Offline without a connection.

    `patience` is in seconds.
    """
    shown: list[ssl.SSLObject] = []

    async def trace(event: str, information: Mapping[str, Any]) -> None:
        if event.endswith("start_tls.complete"):
            shown.append(information["return_value"].get_extra_info("ssl_object"))

    timeout = httpx.Timeout(patience).as_dict()
    request = httpx.Request("HEAD", address, extensions={"timeout": timeout, "trace": trace})
    transport = NetworkTransport(httpx.Limits(), authority)
    try:
        await transport.handle_async_request(request)
    except httpx.RequestError as error:
        if not shown:
            raise offline(error, request) from None
    finally:
        await transport.aclose()
    peer: Any = shown[-1]  # behind a proxy that is encrypted too, the server comes last
    return TlsDetails(peer.version(), ssl.cert_time_to_seconds(peer.getpeercert()["notAfter"]))


_UNREACHABLE = "The server cannot be reached"
_REASONS: Mapping[type[BaseException], str] = {
    socket.gaierror: f"{_UNREACHABLE}: there is no address for {{host}}. Check the name and this machine's network.",
    ConnectionRefusedError: f"{_UNREACHABLE}: nothing is listening on {{place}}. Check the port, or start the server.",
    ssl.SSLError: "{place} does not speak HTTPS. Check the port, or use http://.",
    httpx.RemoteProtocolError: (
        "{place} broke off its response or does not speak {scheme}. Check the port and the scheme."
    ),
    httpx.DecodingError: "The response of {host} is not compressed as its headers declare.",
    httpx.ReadTimeout: "{place} did not respond in time. Try again later, or have a look at the server.",
    httpx.ConnectTimeout: f"{_UNREACHABLE}: {{place}} did not answer in time. Check the address and the network.",
    OSError: f"{_UNREACHABLE}: {{error}} ({{place}}).",
}
"""Sentences by the kind of a failure; the first that fits the failure or one of its causes."""
_WAY_OUT = "Correct it there, or exempt the server: NO_PROXY={host}"
_PROXY_REASONS: Mapping[type[BaseException], str] = {
    socket.gaierror: f"{_UNREACHABLE}: there is no address for {{proxy}}. {_WAY_OUT}",
    ConnectionRefusedError: f"{_UNREACHABLE}: nothing is listening on {{proxy}}. {_WAY_OUT}",
    ssl.SSLError: f"{{place}} does not speak HTTPS behind {{proxy}}. Check the port and the scheme. {_WAY_OUT}",
    httpx.RemoteProtocolError: (
        f"{{place}} or {{proxy}}, broke off the response or does not speak {{scheme}}. {_WAY_OUT}"
    ),
    httpx.DecodingError: "The response of {host} is not compressed as its headers declare, behind {proxy}.",
    httpx.ReadTimeout: f"{{place}} did not respond in time behind {{proxy}}. {_WAY_OUT}",
    httpx.ConnectTimeout: f"{_UNREACHABLE}: no answer in time from {{proxy}}. {_WAY_OUT}",
    OSError: f"{_UNREACHABLE}: {{error}} ({{proxy}}). {_WAY_OUT}",
}
"""The same for a request that went through a proxy."""
_OWN_FAULTS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""Errors of connecting that the server has no part in."""
_ENDED, _NOT_YET = 10, 9
_UNKNOWN_AUTHORITY = frozenset({2, 18, 19, 20, 21, 24, 27})
_OTHER_NAME = frozenset({62, 63, 64})
"""OpenSSL's numbers of certificate errors (X509_V_ERR)."""


def offline(error: BaseException, request: httpx.Request) -> Offline:
    """Return the reason of a missing response: a setting, the proxy, certificate, name, port, scheme, or time."""
    url, proxy = request.url, request.extensions.get(_PROXY)
    place = f"{url.host}:{_port_of(url)}"
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, UnusableSetting):
            return Offline(str(cause))
        if isinstance(cause, ssl.SSLCertVerificationError):
            # an encrypted proxy shows a certificate too, and the error does not say whose it is
            is_encrypted = proxy is not None and proxy.url.scheme == "https"
            host = f"{url.host} or {proxy}," if is_encrypted else url.host
            return Offline(f"{_fault_of(cause, host)} No request was sent.")
        if isinstance(cause, httpx.ProxyError) and proxy is not None:
            return Offline(proxy.failure(cause, place))
        if isinstance(cause, OSError) and cause.errno in _OWN_FAULTS:
            return Offline(
                f"This machine opens no more connections: {cause.strerror}. End other programs and try again."
            )
    names = {"host": url.host, "place": place, "scheme": url.scheme.upper(), "proxy": proxy}
    for kind, words in (_REASONS if proxy is None else _PROXY_REASONS).items():
        for cause in causes:
            if isinstance(cause, kind):
                return Offline(words.format(**names, error=getattr(cause, "strerror", None) or cause))
    return Offline(f"{server_of(url)} cannot be reached.")


def _fault_of(error: ssl.SSLCertVerificationError, host: str) -> str:
    match error.verify_code:
        case code if code == _ENDED:
            return f"The certificate of {host} has expired. Its owner has to renew it."
        case code if code == _NOT_YET:
            return f"The certificate of {host} is not valid yet. Check this machine's clock."
        case code if code in _UNKNOWN_AUTHORITY:
            return (
                f"The certificate of {host} is not signed by an authority that this machine trusts. If it is your own,"
                " name its authority: backlit login URL --ca FILE, or SSL_CERT_FILE=/path/to/authority.pem"
            )
        case code if code in _OTHER_NAME:
            return f"The certificate is for another name than {host}. Check the address."
        case _:
            return f"The certificate of {host} is invalid: {error.verify_message}."


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for each in error.exceptions:
                yield from _causes(each)
        error = error.__cause__ or error.__context__
