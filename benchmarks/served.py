"""The service on a free port of this machine, for the benchmark: prints the port, serves until ended."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backlit.service.app import Service
from backlit.service.server import TransportSecurity, run_server
from backlit.service.storage.settings import ServiceSettings


def settings_in(folder: Path, database: str | None = None) -> ServiceSettings:
    """Where the benchmark keeps its service: in a folder, or in the PostgreSQL that is named."""
    return ServiceSettings(database or f"sqlite:///{folder / 'service.sqlite3'}", folder / "files")


@contextmanager
def sample_served(folder: Path, items: int, database: str | None) -> Iterator[str]:
    """A sample in a folder or in an empty PostgreSQL, served by a process of its own: its address."""
    from backlit.service.sample.workspace import write_sample  # noqa: PLC0415 - not in the process whose memory is measured

    write_sample(settings_in(folder, database), items)
    command = [sys.executable, "-m", "benchmarks.served", str(folder), *([database] if database else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


def main() -> None:
    """Serve the folder named as the first argument, with the database named as the second."""
    service = Service(settings_in(Path(sys.argv[1]), *sys.argv[2:]))
    # Named as TCP, because asyncio switches Nagle's algorithm off only on sockets that say so (40 ms an answer).
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    port = listener.getsockname()[1]
    asyncio.run(run_server(service, listener, TransportSecurity(), lambda: print(port, flush=True)))


if __name__ == "__main__":
    main()
