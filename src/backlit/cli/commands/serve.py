"""HTTP server for a team, in one process or in several workers."""

import argparse
import asyncio
import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial

from msgspec.structs import replace

from backlit.cli.served_workspace import has_no_users, print_first_steps, served_settings, warn_of_open_files
from backlit.cli.wiring import make_sample, workspace_settings
from backlit.client.network import is_loopback
from backlit.config.settings import find_locations
from backlit.model.errors import BacklitError, BadRequest
from backlit.service.app import Service
from backlit.service.front import set_up_log
from backlit.service.sample.vocabulary import PEOPLE
from backlit.service.sample.workspace import PASSWORD, UNLICENSED
from backlit.service.server import TransportSecurity, run_server
from backlit.service.storage.database import parsed_url, prepare, sole_server
from backlit.service.storage.settings import ServiceSettings

Announce = Callable[[socket.socket], None]
BACKLOG = 2048
"""Backlog of connections not accepted yet."""


def serve(arguments: argparse.Namespace) -> None:
    """Serve until interrupted; bind the sample, with its known passwords, to this machine only."""
    if arguments.sample and not arguments.yes_really and not is_loopback(arguments.host):
        raise BadRequest(
            f"Everybody knows the sample's passwords, and {arguments.host} can be reached from other machines."
            " Add --yes-really to serve it there."
        )
    if arguments.sample and (arguments.database or arguments.files):
        raise BadRequest("The sample has its own database and files. Leave out --database and --files.")
    if bool(arguments.tls_cert) != bool(arguments.tls_key):
        raise BadRequest("TLS needs both --tls-cert and --tls-key.")
    set_up_log(arguments.log_level or ("warning" if arguments.sample else "info"))
    settings = (
        _sample_settings(arguments)
        if arguments.sample
        else served_settings(arguments.database, arguments.files, arguments.service_name)
    )
    if arguments.workers > 1 and settings.database.startswith("sqlite"):
        raise BadRequest(
            "An SQLite database is served by one process. Leave out --workers, or keep the data in PostgreSQL:"
            " --database postgresql://user@host/name."
        )
    warn_of_open_files(settings)
    is_new = not arguments.sample and has_no_users(settings)
    announce = partial(_announce, arguments=arguments, is_new=is_new)
    settings = replace(
        settings,
        legacy_clients=arguments.legacy_clients,
        max_upload=arguments.max_upload,
        has_presence=arguments.presence == "on",
        trusted_proxies=tuple(arguments.trusted_proxy),
        concurrent_requests=arguments.max_requests,
        limits=replace(settings.limits, waiters=arguments.max_followers),
    )
    if arguments.workers > 1:
        _serve_together(settings, arguments, announce)
        return
    with _listener(arguments.host, arguments.port) as listener:
        asyncio.run(_serve(settings, listener, arguments, announce))


def _serve_together(settings: ServiceSettings, arguments: argparse.Namespace, announce: Announce) -> None:
    prepare(settings.database)
    with ExitStack() as stack:
        first = stack.enter_context(_listener(arguments.host, arguments.port, shared=True))
        port = first.getsockname()[1]
        others = [_listener(arguments.host, port, shared=True) for _ in range(arguments.workers - 1)]
        listeners = [first, *(stack.enter_context(other) for other in others)]
        announce(first)
        run_workers(listeners, lambda listener: asyncio.run(_serve(settings, listener, arguments)))


def _print_steps(arguments: argparse.Namespace) -> None:
    print("The database has no users yet. In another terminal, create a user and a project:")
    print_first_steps(arguments)
    print("To try it with sample data, use: backlit serve --sample")


def _sample_settings(arguments: argparse.Namespace) -> ServiceSettings:
    folder = find_locations().data / "workspaces" / f"served-{arguments.items}-{arguments.seed}"
    make_sample(folder, arguments.items, arguments.seed, _show_progress)
    return workspace_settings(folder, arguments.service_name)


def _show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\rMaking the sample: {done} of {total}", end="\n" if done >= total else "", file=sys.stderr, flush=True)


def _listener(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """Open a listening socket; a shared one gets its part of the connections.

    asyncio disables Nagle's algorithm only on sockets with an explicit TCP protocol.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind((host.strip("[]"), port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise BacklitError(f"Port {port} on {host} is not available: {error.strerror or error}.") from error
    return listener


async def _serve(
    settings: ServiceSettings,
    listener: socket.socket,
    arguments: argparse.Namespace,
    announce: Announce = lambda _listener: None,
) -> None:
    transport = TransportSecurity(arguments.tls_cert, arguments.tls_key)
    with sole_server(parsed_url(settings.database)):
        await run_server(Service(settings), listener, transport, lambda: announce(listener))


def _announce(listener: socket.socket, *, arguments: argparse.Namespace, is_new: bool) -> None:
    scheme = TransportSecurity(arguments.tls_cert, arguments.tls_key).scheme
    host, port = listener.getsockname()[:2]
    address = f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
    print(f"Serving {arguments.service_name} at {address}")
    if arguments.sample:
        names = ", ".join(name for name, _, _ in PEOPLE if name not in UNLICENSED)
        print(f"Users: {names}\nPassword of each: {PASSWORD}\nSign in: backlit login {address} --user maya")
    if is_new:
        _print_steps(arguments)
    print("Press ctrl+c to stop.", flush=True)


MIN_WORKER_SECONDS = 2.0
"""Seconds. A worker that ends sooner is not replaced: its successor would end too."""

Serve = Callable[[socket.socket], None]


def run_workers(listeners: Sequence[socket.socket], serve: Serve) -> None:
    """Run a process for each listener until SIGTERM or SIGINT; replace one that ends by itself.

    Raises BacklitError if a worker cannot start, KeyboardInterrupt after SIGINT.
    """
    _Workers(listeners, serve).run()


class _Workers:
    """Worker processes by id, and the signals this process received."""

    def __init__(self, listeners: Sequence[socket.socket], serve: Serve) -> None:
        self._listeners = listeners
        self._serve = serve
        self._running: dict[int, tuple[int, float]] = {}
        self._received: list[int] = []
        self._life = os.pipe()  # its writing end closes with this process, after a crash too

    def run(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._receive)
        for place in range(len(self._listeners)):
            self._start(place)
        failed = False
        while self._running:
            ended, _ = os.wait()
            place, began = self._running.pop(ended)
            if self._received or failed:
                continue
            if time.monotonic() - began < MIN_WORKER_SECONDS:
                failed = True
                self._tell_all()
            else:
                print(f"Worker {ended} ended; starting another.", file=sys.stderr, flush=True)
                self._start(place)
        if failed:
            raise BacklitError("The workers cannot start.")
        if signal.SIGINT in self._received:
            raise KeyboardInterrupt

    def _receive(self, number: int, _frame: object) -> None:
        self._received.append(number)
        self._tell_all()

    def _tell_all(self) -> None:
        for process in self._running:
            os.kill(process, signal.SIGTERM)

    def _start(self, place: int) -> None:
        ending = {signal.SIGTERM, signal.SIGINT}
        signal.pthread_sigmask(signal.SIG_BLOCK, ending)  # keeps a signal between the fork and its record
        process = os.fork()
        if process == 0:
            for number in ending:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)
            self._work(place)
        self._running[process] = (place, time.monotonic())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)

    def _work(self, place: int) -> None:
        status = 1
        try:
            os.close(self._life[1])
            threading.Thread(target=_end_with, args=(self._life[0],), daemon=True).start()
            self._serve(self._listeners[place])
            status = 0
        except BacklitError as error:
            print(f"backlit: {error}", file=sys.stderr)
        except KeyboardInterrupt:
            status = 0
        except BaseException as error:  # noqa: BLE001 - the process ends: print the traceback as Python does
            traceback.print_exception(error)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)


def _end_with(life: int) -> None:
    os.read(life, 1)
    os.kill(os.getpid(), signal.SIGTERM)
