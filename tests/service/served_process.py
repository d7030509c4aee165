"""`backlit serve` as a process of its own, and clients that write to it as fast as they can."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

import httpx

from backlit.model.wrap import TOKEN_PATH, authorization_header, parse_grant
from backlit.service.sample.workspace import PASSWORD

PATIENCE = 90


class Served:
    """A server on a free port; killed with the block if it still runs then."""

    def __init__(self, home: Path, database: str, *options: str) -> None:
        variables = {name: str(home / name.lower()) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
        command = [sys.executable, "-m", "backlit", "serve", "--port", "0", "--database", database, *options]
        self._errors = (home / "served.log").open("ab")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._errors, text=True, env={**os.environ, **variables}
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.base = line.split()[-1] if line else (home / "served.log").read_text()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End it at once, as the loss of power would."""
        self.process.kill()
        self._reap()

    def stop(self) -> int:
        """Ask it to end; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self._reap()

    def sign_in(self, username: str) -> str:
        """The Authorization header of a user of the sample."""
        return sign_in(self.base, username)

    def _reap(self) -> int:
        status = self.process.wait(PATIENCE)
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._errors.close()
        return status


def sign_in(base: str, username: str) -> str:
    """The Authorization header of a user of the sample."""
    form = {"wrap_client_id": "uri:backlit", "wrap_username": username, "wrap_password": PASSWORD}
    answer = httpx.post(f"{base}{TOKEN_PATH}", data=form, timeout=PATIENCE)
    return authorization_header(parse_grant(answer.raise_for_status().text, "tracker.example").access_token)
