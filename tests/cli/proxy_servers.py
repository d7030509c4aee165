"""Proxies on this machine, in threads of the test: HTTP with a password, and SOCKS 5."""

import base64
import socket
import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar

USER, PASSWORD = "maya", "sword fish"


class _Relay(socketserver.BaseRequestHandler):
    """Passes bytes on between a client and the server that it names."""

    request: socket.socket

    def join(self, host: str, port: int, answer: bytes) -> None:
        with socket.create_connection((host, port)) as server:
            self.request.sendall(answer)
            back = threading.Thread(target=_pass_on, args=(server, self.request), daemon=True)
            back.start()
            _pass_on(self.request, server)
            back.join()

    def exactly(self, count: int) -> bytes:
        read = b""
        while len(read) < count and (part := self.request.recv(count - len(read))):
            read += part
        return read


def _pass_on(source: socket.socket, to: socket.socket) -> None:
    with suppress(OSError):
        while part := source.recv(65536):
            to.sendall(part)
        to.shutdown(socket.SHUT_WR)


class _HttpRelay(_Relay):
    """An HTTP proxy for https, which asks for a user name and a password."""

    def handle(self) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.exactly(1)
        wanted = base64.b64encode(f"{USER}:{PASSWORD}".encode())
        if b"Proxy-Authorization: Basic " + wanted not in head:
            self.request.sendall(b"HTTP/1.1 407 Sign in\r\nContent-Length: 0\r\n\r\n")
            return
        host, _, port = head.split(b" ")[1].decode().rpartition(":")
        self.join(host, int(port), b"HTTP/1.1 200 OK\r\n\r\n")


class _SocksRelay(_Relay):
    """A SOCKS 5 proxy (RFC 1928) without a sign-in."""

    def handle(self) -> None:
        _, count = self.exactly(2)
        self.exactly(count)
        self.request.sendall(b"\x05\x00")
        *_, kind = self.exactly(4)
        size = 4 if kind == 1 else self.exactly(1)[0]
        address = self.exactly(size)
        host = socket.inet_ntoa(address) if kind == 1 else address.decode()
        (port,) = struct.unpack("!H", self.exactly(2))
        self.join(host, port, b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")


class Proxy(socketserver.ThreadingTCPServer):
    """A proxy on a free port; `used` counts its connections."""

    daemon_threads = True
    block_on_close = False
    used = 0
    KINDS: ClassVar[dict[str, type[_Relay]]] = {"http": _HttpRelay, "socks5": _SocksRelay}

    def __init__(self, kind: str) -> None:
        super().__init__(("127.0.0.1", 0), self.KINDS[kind])
        secret = f"{USER}:{PASSWORD.replace(' ', '%20')}@" if kind == "http" else ""
        self.address = f"{kind}://{secret}127.0.0.1:{self.server_address[1]}"

    def process_request(self, request: object, client_address: object) -> None:
        self.used += 1
        super().process_request(request, client_address)  # type: ignore[arg-type] # as the base class has it


@contextmanager
def proxy(kind: str) -> Iterator[Proxy]:
    with Proxy(kind) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()
