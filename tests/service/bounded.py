"""A process that serves with the limits of a test: `python -m tests.service.bounded` and what `Bounded` gives it.

The file of a certificate holds its key too.
"""

import asyncio
import json
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
from tests.service.served_process import PATIENCE

from backlit.service.app import Service
from backlit.service.front import set_up_log
from backlit.service.server import TransportSecurity, run_server
from backlit.service.storage.settings import ServiceLimits, ServiceSettings

QUICK = {"linger": 0.1, "notice": 0.1}


class Bounded:
    """A process with limits of its own."""

    def __init__(
        self,
        folder: Path,
        settings: dict[str, object],
        limits: dict[str, float],
        files: int | None,
        certificate: Path | None = None,
    ) -> None:
        database = f"sqlite:///{folder}/service.db"
        given = [
            database,
            str(folder / "files"),
            json.dumps(settings),
            json.dumps(QUICK | limits),
            str(certificate or ""),
        ]
        self._log = folder / "bounded.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.service.bounded", *given],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=Path(__file__).parents[2],
            )
        assert self.process.stdout is not None
        self.base = self.process.stdout.readline().strip() or self._log.read_text()
        self.port = int(self.base.rpartition(":")[2])
        if files is not None:
            resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (files, files))

    def connect(self, data: bytes | str = b"", address: str = "127.0.0.1") -> socket.socket:
        caller = socket.create_connection(("127.0.0.1", self.port), PATIENCE, source_address=(address, 0))
        caller.sendall(data.encode() if isinstance(data, str) else data)
        return caller

    def ask(self, data: bytes | str = b"", address: str = "127.0.0.1") -> bytes:
        """Send, and read until the service closes the connection."""
        with self.connect(data, address) as caller:
            return rest_of(caller)

    def get(self, path: str = "/healthz", **headers: str) -> int:
        return httpx.get(f"{self.base}{path}", headers=headers, timeout=PATIENCE).status_code

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    def lines_of(self, what: str) -> list[dict[str, object]]:
        """The lines of the log that count something, once there is one."""
        until = time.monotonic() + PATIENCE
        while not (found := [line for line in self.lines() if what in line]) and time.monotonic() < until:
            time.sleep(0.02)
        return found

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


def rest_of(caller: socket.socket) -> bytes:
    parts = []
    try:
        while part := caller.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def announce(base: str) -> None:
    sys.stdout.write(f"{base}\n")
    sys.stdout.flush()


def main() -> None:
    database, files, settings, limits, certificate = sys.argv[1:]
    set_up_log("warning")
    service = Service(
        ServiceSettings(database, files, limits=ServiceLimits(**json.loads(limits)), **json.loads(settings))
    )
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(512)
    transport = TransportSecurity(certificate, certificate) if certificate else TransportSecurity()
    port = listener.getsockname()[1]
    asyncio.run(run_server(service, listener, transport, lambda: announce(f"{transport.scheme}://127.0.0.1:{port}")))


if __name__ == "__main__":
    main()
