"""The network: certificates, proxies of the profile and the environment, and the reasons of failures."""

import errno
import ipaddress
import os
import shlex
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.request import getproxies, proxy_bypass, proxy_bypass_environment  # type: ignore[attr-defined]

import certifi
import httpx

from backlit.client.certificates import ServerCertificate, fingerprint_of, read_certificate
from backlit.config.connection import USUAL_CONNECTION, ConnectionSettings
from backlit.model.errors import Offline, SignInNeeded, UntrustedServer
from backlit.model.plain import plain

_SYSTEM_SETTINGS = "the network settings of the system"
_PROFILE = "the profile"
_PROXY_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})
"""The schemes of proxies that httpx knows."""
_EXAMPLES = "Use an address such as http://proxy.example:3128 or socks5://proxy.example:1080"
_PROXY = "proxy"
"""The extension of a request that holds its NamedProxy."""
_SIGN_IN_NEEDED = 407


# As an error of connecting it takes the way of all requests that were not sent: a change stays in the outbox.
class UnusableSetting(httpx.ConnectError):
    """A setting of this machine with which no request can be sent; its text is a sentence that names the setting."""


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class NamedProxy(NamedTuple):
    """A proxy with the variable that names it, or the profile; `url` holds its user name and password."""

    variable: str
    url: httpx.URL

    @classmethod
    def of(cls, url: httpx.URL, connection: ConnectionSettings = USUAL_CONNECTION) -> Self | None:
        """Return the proxy to an address, or None; raise UnusableSetting for a value that is no address.

        The profile's own comes first. The variables are those of curl: HTTPS_PROXY or HTTP_PROXY by the address, then
        ALL_PROXY; NO_PROXY exempts. What goes to this machine leaves it only by a proxy of the profile.
        """
        place = url.host if ":" in url.host else f"{url.host}:{_port_of(url)}"
        if connection.no_proxy and proxy_bypass_environment(place, {"no": connection.no_proxy}):
            return None
        if connection.proxy:
            return cls._named(_PROFILE, connection.proxy)
        # A service on this machine cannot be reached through a proxy elsewhere. Go's client exempts it as well.
        proxies = {} if is_loopback(url.host) else getproxies()
        kind = next((kind for kind in (url.scheme, "all") if proxies.get(kind)), None)
        if kind is None or proxy_bypass(place):
            return None
        return cls._named(_variable(f"{kind}_proxy"), proxies[kind])

    @classmethod
    def _named(cls, variable: str, value: str) -> Self:
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
        verb = "name" if self.variable == _SYSTEM_SETTINGS else "names"  # a variable or the profile
        return f"the proxy {self.address}, which {self.variable} {verb}"

    def answer_of_others(self, status: int, url: httpx.URL) -> str:
        """Say that the server did not write an answer: the proxy did, or a gateway that the server stands behind."""
        server = server_of(url)
        return (
            f"{_capital(str(self))}, or a gateway of {server} answered in place of the server (status {status})."
            f" Ask those who run them, or go without the proxy: {self.exemption(url.host)}"
        )

    def exemption(self, host: str) -> str:
        """Return what has a server reached without this proxy."""
        if self.variable == _PROFILE:
            return f'no_proxy = "{host}" in [connection] of config.toml'
        return f"NO_PROXY={host}"

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


def speaking_proxy(request: httpx.Request) -> NamedProxy | None:
    """Return the proxy that a sent request went through, if it could answer in place of the server.

    To https addresses, and where it speaks SOCKS, a proxy passes on bytes that it cannot make.
    """
    proxy: NamedProxy | None = request.extensions.get(_PROXY)
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


_LOADING = threading.Lock()
"""Held while files are loaded. Connections begin in threads, and two that load an encrypted key at once end Python."""


class TrustingContext(ssl.SSLContext):
    """TLS with the authorities of the machine, loaded for the first connection: http is spared the 20 ms."""

    _is_loaded = False
    connection = USUAL_CONNECTION
    """What the profile says of authorities, certificates and keys."""

    def wrap_bio(self, *arguments: Any, **options: Any) -> ssl.SSLObject:
        """Begin a connection; raise UnusableSetting for files of the settings that cannot be read."""
        with _LOADING:
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
        if self.connection.ca:
            self._load_own(self.connection.ca)
        if self.connection.client_cert:
            self._load_client_certificate(self.connection)

    def _load_own(self, authority: str) -> None:
        try:
            self.load_verify_locations(authority)
        except OSError as error:
            raise UnusableSetting(
                f"The authority of this profile cannot be read ({plain(authority, 200)}). Name it again:"
                " backlit login URL --ca FILE"
            ) from error

    def _load_client_certificate(self, connection: ConnectionSettings) -> None:
        key = connection.client_key or connection.client_cert
        try:
            if Path(key).stat().st_mode & 0o077:
                raise UnusableSetting(f"Others can read the key {plain(key, 200)}. Protect it: chmod 600 {key}")
            self.load_cert_chain(connection.client_cert, key, lambda: _key_password(connection))
        except ssl.SSLError as error:
            raise UnusableSetting(
                f"The client certificate {plain(connection.client_cert, 200)} and its key {plain(key, 200)} cannot be"
                f" used: {plain(error.reason or str(error), 80)}. Name PEM files that belong together, and the key's"
                " password by key_password_command."
            ) from error
        except OSError as error:
            raise UnusableSetting(
                f"The client certificate of this profile cannot be read: {error.strerror} ({error.filename})."
                " Name it again: backlit login URL --client-cert FILE"
            ) from error


_PASSWORD_SECONDS = 10.0
"""The time that a command may take to print a password."""


def _key_password(connection: ConnectionSettings) -> str:
    """Return the password of a key; without a callback OpenSSL would ask for it on the terminal."""
    if not connection.key_password_command:
        key = connection.client_key or connection.client_cert
        raise UnusableSetting(
            f"The key {plain(key, 200)} needs a password. Name a command that prints it in config.toml:"
            ' [connection] with key_password_command = ["pass", "show", "backlit"]'
        )
    return first_line_of(connection.key_password_command)


def first_line_of(command: Sequence[str]) -> str:
    """Return the first line that a command prints; raise UnusableSetting where it fails."""
    words = plain(shlex.join(command), 120)
    try:
        done = subprocess.run(  # noqa: S603 - the user's own
            list(command), check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=_PASSWORD_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise UnusableSetting(f"The command {words} did not end in {_PASSWORD_SECONDS:g} s.") from None
    except subprocess.CalledProcessError as error:
        raise UnusableSetting(f"The command {words} ended with {error.returncode}, and gave no password.") from None
    except OSError as error:
        raise UnusableSetting(f"The command {words} did not start: {error.strerror}.") from None
    return done.stdout.decode(errors="replace").partition("\n")[0].rstrip("\r")


def password_of(command: Sequence[str]) -> str:
    """Return the password of a sign-in, which a command prints; raise SignInNeeded where it prints none."""
    try:
        password = first_line_of(command)
    except UnusableSetting as error:
        raise SignInNeeded(str(error)) from None
    if not password:
        raise SignInNeeded(f"The command {plain(shlex.join(command), 120)} printed no password.")
    return password


class PinnedConnection(ssl.SSLObject):
    """TLS with a server whose certificate has the public key that the profile names."""

    def do_handshake(self) -> None:
        super().do_handshake()
        wanted: str = self.context.connection.fingerprint  # type: ignore[attr-defined] # of TrustingContext
        shown = fingerprint_of(self.getpeercert(binary_form=True) or b"")
        if shown != wanted:
            raise UnusableSetting(
                f"{self.server_hostname} shows another certificate than the one of the profile: its key is {shown}, and"
                f" {wanted} is trusted. No request was sent. Ask those who run the server; if they changed it: backlit"
                f" login URL --fingerprint {shown}"
            )


def trusted(connection: ConnectionSettings = USUAL_CONNECTION) -> ssl.SSLContext:
    """Trust the system's authorities, or those of SSL_CERT_FILE or SSL_CERT_DIR; without both, certifi's list.

    The profile's authority comes beside them, and its fingerprint in place of all.
    """
    context = TrustingContext(ssl.PROTOCOL_TLS_CLIENT)
    context.connection = connection
    if connection.fingerprint or connection.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if connection.fingerprint:
        context.sslobject_class = PinnedConnection
    return context


class NetworkTransport(httpx.AsyncBaseTransport):
    """Transport to the network, through the proxies that the profile or the environment names.

    httpx's own reading of the environment does not tell which proxy a failed request used, nor which variable named it,
    and a proxy that it cannot use ends the program.
    """

    def __init__(self, limits: httpx.Limits, connection: ConnectionSettings = USUAL_CONNECTION) -> None:
        self._limits = limits
        self._connection = connection
        self._encryption = trusted(connection)
        self._transports: dict[NamedProxy | None, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response; raise httpx's errors, ProxyError where a proxy asks for a sign-in."""
        proxy = request.extensions[_PROXY] = NamedProxy.of(request.url, self._connection)
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

    def _through(self, proxy: NamedProxy | None) -> httpx.AsyncHTTPTransport:
        if proxy not in self._transports:
            way = None if proxy is None else httpx.Proxy(proxy.url, ssl_context=self._encryption_of(proxy))
            try:
                transport = httpx.AsyncHTTPTransport(verify=self._encryption, limits=self._limits, proxy=way)
            except ImportError:
                raise UnusableSetting(
                    f"{_capital(str(proxy))}, is a SOCKS proxy, and this installation lacks socksio, a part of backlit"
                    " that it needs. Install backlit again, or socksio beside it."
                ) from None
            self._transports[proxy] = transport
        return self._transports[proxy]

    def _encryption_of(self, proxy: NamedProxy) -> ssl.SSLContext | None:
        """Return the encryption towards a proxy; what the profile pins and shows is for the server alone."""
        if proxy.url.scheme != "https":
            return None
        return trusted(ConnectionSettings(ca=self._connection.ca))


def proxy_between(address: str, connection: ConnectionSettings = USUAL_CONNECTION) -> str | None:
    """Return the name of the proxy to an address, or None; raise Offline for a setting that names no usable one."""
    try:
        proxy = NamedProxy.of(httpx.URL(address), connection)
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
    """The protocol's version, and the server's certificate."""

    version: str
    certificate: ServerCertificate


async def tls_details_of(
    address: str, patience: float, connection: ConnectionSettings = USUAL_CONNECTION
) -> TlsDetails:
    """Connect to an address as the client does, and return what the server shows; raise Offline without a connection.

    `patience` is in seconds.
    """
    shown: list[ssl.SSLObject] = []

    async def trace(event: str, information: Mapping[str, Any]) -> None:
        if event.endswith("start_tls.complete"):
            shown.append(information["return_value"].get_extra_info("ssl_object"))

    timeout = httpx.Timeout(patience).as_dict()
    request = httpx.Request("HEAD", address, extensions={"timeout": timeout, "trace": trace})
    transport = NetworkTransport(httpx.Limits(), connection)
    try:
        await transport.handle_async_request(request)
    except httpx.RequestError as error:
        if not shown:
            raise offline(error, request) from None
    finally:
        await transport.aclose()
    peer: Any = shown[-1]  # behind a proxy that is encrypted too, the server comes last
    return TlsDetails(peer.version(), read_certificate(peer.getpeercert(binary_form=True)))


_UNREACHABLE = "The server cannot be reached"
_CUT = frozenset({ConnectionError, httpx.ReadError, httpx.RemoteProtocolError})  # a reset may overtake the alert
_REASONS: Mapping[type[BaseException], str] = {
    socket.gaierror: f"{_UNREACHABLE}: there is no address for {{host}}. Check the name and this machine's network.",
    ConnectionRefusedError: f"{_UNREACHABLE}: nothing is listening on {{place}}. Check the port, or start the server.",
    ssl.SSLError: "{place} does not speak HTTPS. Check the port, or use http://.",
    ConnectionError: "{place} broke off the connection. If it does so again, check the port and the scheme.",
    httpx.RemoteProtocolError: (
        "{place} broke off its response or does not speak {scheme}. Check the port and the scheme."
    ),
    httpx.DecodingError: "The response of {host} is not compressed as its headers declare.",
    httpx.ReadTimeout: "{place} did not respond in time. Try again later, or have a look at the server.",
    httpx.ConnectTimeout: f"{_UNREACHABLE}: {{place}} did not answer in time. Check the address and the network.",
    OSError: f"{_UNREACHABLE}: {{error}} ({{place}}).",
    httpx.ReadError: "{place} broke off the connection. If it does so again, check the port and the scheme.",
}
"""Sentences by the kind of a failure; the first that fits the failure or one of its causes."""
_WAY_OUT = "Correct it there, or exempt the server: {exemption}"
_PROXY_REASONS: Mapping[type[BaseException], str] = {
    socket.gaierror: f"{_UNREACHABLE}: there is no address for {{proxy}}. {_WAY_OUT}",
    ConnectionRefusedError: f"{_UNREACHABLE}: nothing is listening on {{proxy}}. {_WAY_OUT}",
    ssl.SSLError: f"{{place}} does not speak HTTPS behind {{proxy}}. Check the port and the scheme. {_WAY_OUT}",
    ConnectionError: f"{{place}} or {{proxy}}, broke off the connection. {_WAY_OUT}",
    httpx.RemoteProtocolError: (
        f"{{place}} or {{proxy}}, broke off the response or does not speak {{scheme}}. {_WAY_OUT}"
    ),
    httpx.DecodingError: "The response of {host} is not compressed as its headers declare, behind {proxy}.",
    httpx.ReadTimeout: f"{{place}} did not respond in time behind {{proxy}}. {_WAY_OUT}",
    httpx.ConnectTimeout: f"{_UNREACHABLE}: no answer in time from {{proxy}}. {_WAY_OUT}",
    OSError: f"{_UNREACHABLE}: {{error}} ({{proxy}}). {_WAY_OUT}",
    httpx.ReadError: f"{{place}} or {{proxy}}, broke off the connection. {_WAY_OUT}",
}
"""The same for a request that went through a proxy."""
_OWN_FAULTS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""Errors of connecting that the server has no part in."""
_ENDED, _NOT_YET = 10, 9
_CLIENT_REFUSED = ("ALERT_CERTIFICATE_REQUIRED", "ALERT_BAD_CERTIFICATE", "ALERT_UNKNOWN_CA")
"""OpenSSL's reasons where a server misses the client's certificate, or rejects it."""
_CLIENT_CERTIFICATE = " If it asks for a client certificate, name yours: backlit login URL --client-cert FILE"
"""Follows where an encrypted connection breaks off: some servers end it so, without a reason."""
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
            is_untrusted = cause.verify_code in _UNKNOWN_AUTHORITY and not is_encrypted
            kind = UntrustedServer if is_untrusted else Offline
            return kind(f"{_fault_of(cause, host)} No request was sent.")
        if isinstance(cause, httpx.ProxyError) and proxy is not None:
            return Offline(proxy.failure(cause, place))
        if isinstance(cause, ssl.SSLError) and any(
            word in str(cause).upper().replace(" ", "_") for word in _CLIENT_REFUSED
        ):
            return Offline(
                f"{place} wants a client certificate, and took none of this profile's. Name one that it knows: backlit"
                " login URL --client-cert FILE"
            )
        if isinstance(cause, OSError) and cause.errno in _OWN_FAULTS:
            return Offline(
                f"This machine opens no more connections: {cause.strerror}. End other programs and try again."
            )
    names = {"host": url.host, "place": place, "scheme": url.scheme.upper(), "proxy": proxy}
    names["exemption"] = "" if proxy is None else proxy.exemption(url.host)
    for cause_type, words in (_REASONS if proxy is None else _PROXY_REASONS).items():
        for cause in causes:
            if isinstance(cause, cause_type):
                sentence = words.format(**names, error=getattr(cause, "strerror", None) or cause)
                return Offline(sentence + _CLIENT_CERTIFICATE * (url.scheme == "https" and cause_type in _CUT))
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
