"""The service under uvicorn on a free port of this machine, for the benchmark: prints the port, serves until ended."""

import socket
import sys
from pathlib import Path

import uvicorn

from backlit.service.app import Service
from backlit.service.settings import ServiceSettings


def settings_in(folder: Path) -> ServiceSettings:
    """Where the benchmark keeps its service."""
    return ServiceSettings(database=f"sqlite:///{folder / 'service.sqlite3'}", files=folder / "files")


def main() -> None:
    """Serve the folder named as the first argument."""
    service = Service(settings_in(Path(sys.argv[1])))
    # Named as TCP, because asyncio switches Nagle's algorithm off only on sockets that say so (40 ms an answer).
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    config = uvicorn.Config(service.asgi, log_level="warning", access_log=False, http="httptools", interface="asgi3")
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
