"""A user of this machine with directories of their own, and a service on a free port."""

import asyncio
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn
from tests.cli.admin_world import Done, command
from tests.logs import logs_kept

from backlit.service.app import Service
from backlit.service.storage.settings import ServiceSettings

DEMO = ("--profile", "demo-60-1")


COMMAND = (sys.executable, "-m", "backlit")


@dataclass(frozen=True)
class Home:
    """One user of this machine, with directories of their own."""

    path: Path

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"BACKLIT_HOME": str(self.path), "TERM": "xterm-256color", "COLUMNS": "80"}

    def run(self, *arguments: str, given: str | None = "") -> Done:
        """Run a command in this process with no terminal."""
        with pytest.MonkeyPatch.context() as patch, logs_kept():
            for name, value in self.environment.items():
                patch.setenv(name, value)
            return command(*arguments, given=given)

    def run_apart(self, *arguments: str, given: str = "") -> Done:
        """Run the command in a process of its own with no terminal."""
        done = subprocess.run(
            [*COMMAND, *arguments],
            check=False,
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def date_copies(self, age: float = 3600.0) -> None:
        """Make the local copies so many seconds old: a recent one is listed without a look at the service."""
        for path in self.path.glob("cache/*/mirror.db.*.lock"):
            path.write_text(json.dumps(json.loads(path.read_bytes()) | {"synced_at": time.time() - age}))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*COMMAND, *arguments], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )


class Server:
    """The service behind a web server in a thread of this process, on a free port."""

    def __init__(self, settings: ServiceSettings, encryption: ssl.SSLContext | None = None) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http{'s' if encryption else ''}://127.0.0.1:{listener.getsockname()[1]}"
        service = Service(settings)
        config = uvicorn.Config(service.asgi, log_level="critical", lifespan="off")
        config.load()
        config.ssl = encryption
        self._web = uvicorn.Server(config)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(service, listener)))
        self._thread.start()

    def stop(self) -> None:
        """End the service; a second call does nothing."""
        self._web.should_exit = True
        self._thread.join()

    async def _run(self, service: Service, listener: socket.socket) -> None:
        with listener:
            await service.start()
            await self._web.serve([listener])
            await service.stop()
