"""Serve a team over HTTP."""

import argparse
import asyncio
import socket
import sys
from pathlib import Path

from backlit.cli.login import is_loopback
from backlit.cli.wiring import make_sample, workspace_settings
from backlit.config import find_locations
from backlit.model.errors import BacklitError, BadRequest
from backlit.service.app import Service
from backlit.service.sample import PASSWORD, UNLICENSED
from backlit.service.sample_words import PEOPLE
from backlit.service.settings import ServiceSettings

_SQLITE = "sqlite:///"
BACKLOG = 2048
"""Connections that may wait to be accepted."""


def run(arguments: argparse.Namespace) -> None:
    """Serve until interrupted; a sample, whose passwords everybody knows, only to this machine."""
    if arguments.sample and not arguments.yes_really and not is_loopback(arguments.host):
        raise BadRequest(
            f"Everybody knows the sample's passwords, and {arguments.host} can be reached from other machines."
            " Add --yes-really to serve it there."
        )
    if arguments.sample and (arguments.database or arguments.files):
        raise BadRequest("The sample has a database and files of its own; leave out --database and --files.")
    settings = _sample_settings(arguments) if arguments.sample else _settings(arguments)
    with _listener(arguments.host, arguments.port) as listener:
        asyncio.run(_serve(settings, listener, arguments))


def _settings(arguments: argparse.Namespace) -> ServiceSettings:
    folder = find_locations().data / "served"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    usual = workspace_settings(folder)
    files = Path(arguments.files) if arguments.files else usual.files
    database = arguments.database or usual.database
    path = database.removeprefix(_SQLITE)
    if path == database or not path:
        raise BadRequest(f"A database is written as {_SQLITE}path/to/file.db.")
    if not Path(path).exists():
        print("The database is new and has no users yet. To look around, use: backlit serve --sample")
    return ServiceSettings(database, files, arguments.service_name)


def _sample_settings(arguments: argparse.Namespace) -> ServiceSettings:
    folder = find_locations().data / "workspaces" / f"served-{arguments.items}-{arguments.seed}"
    make_sample(folder, arguments.items, arguments.seed, _show_progress)
    return workspace_settings(folder, arguments.service_name)


def _show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\rMaking the sample: {done} of {total}", end="\n" if done >= total else "", file=sys.stderr, flush=True)


def _listener(host: str, port: int) -> socket.socket:
    """Bind the address; asyncio turns Nagle's algorithm off only on sockets that say they are TCP."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host.strip("[]"), port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise BacklitError(f"Port {port} on {host} cannot be used: {error.strerror or error}.") from error
    return listener


async def _serve(settings: ServiceSettings, listener: socket.socket, arguments: argparse.Namespace) -> None:
    import uvicorn

    service = Service(settings)
    await service.start()
    try:
        _announce(listener, arguments)
        config = uvicorn.Config(
            service.asgi,
            interface="asgi3",
            http="httptools",
            ws="none",
            lifespan="off",
            log_level="warning",
            access_log=False,
        )
        await uvicorn.Server(config).serve([listener])
    finally:
        await service.stop()


def _announce(listener: socket.socket, arguments: argparse.Namespace) -> None:
    host, port = listener.getsockname()[:2]
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    print(f"Serving {arguments.service_name} at {address}")
    if arguments.sample:
        names = ", ".join(name for name, _, _ in PEOPLE if name not in UNLICENSED)
        print(f"Users: {names}\nPassword of each: {PASSWORD}\nSign in: backlit login {address} --user maya")
    print("Leave with ctrl+c.", flush=True)
