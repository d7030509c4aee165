"""A workspace that is administered by the real command, in this process."""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import Connection
from tests.cli.documents import check

from backlit.__main__ import run
from backlit.model.wrap import TOKEN_PATH, authorization_header, parse_grant
from backlit.service.admin.workspace import reading, writing
from backlit.service.app import Service
from backlit.service.storage.settings import ServiceSettings

BASE = "http://backlit.test"
WHOLE = {"init", "export", "import", "backup", "restore", "check"}
"""Commands of `backlit admin` for the whole workspace, which have no noun."""
PASSWORD = "correct horse"


@dataclass(frozen=True)
class Done:
    """How a command ended and what it wrote."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


@dataclass(frozen=True)
class Workspace:
    """One database with its files; in a folder, unless it has an address of its own."""

    folder: Path
    url: str = ""

    @property
    def settings(self) -> ServiceSettings:
        return ServiceSettings(self.url or f"sqlite:///{self.folder}/service.db", self.folder / "files")

    def admin(self, *words: str, given: str = "") -> Done:
        """Run a command on the workspace."""
        places = ["--database", self.settings.database, "--files", str(self.settings.files)]
        return command("admin", *words, *places, given=given)

    def good(self, *words: str, given: str = "") -> Any:
        """Run a command that has to succeed; returns its JSON, which is as its published document says."""
        done = self.admin(*words, "--json", given=given)
        assert done.returncode == 0, done.stderr
        check(" ".join(["admin", *words[: 1 if words[0] in WHOLE else 2]]), done.json)
        return done.json

    @contextmanager
    def rows(self) -> Iterator[Connection]:
        with reading(self.settings) as connection:
            yield connection

    @contextmanager
    def damage(self) -> Iterator[Connection]:
        with writing(self.settings) as connection:
            yield connection

    def problems(self) -> list[tuple[str, str]]:
        """Where `check` finds something wrong."""
        return [(found["table"], found["field"]) for found in self.admin("check", "--json").json["problems"]]


def command(*words: str, given: str | None = "") -> Done:
    """Run `backlit` in this process with an input of its own; None closes it, as `<&-` does."""
    output, error, before = _text(), _text(), sys.stdin
    sys.stdin = None if given is None else _text(given)
    try:
        with redirect_stdout(output), redirect_stderr(error):
            try:
                status = run(words)
            except SystemExit as left:
                status = int(left.code or 0)
        return Done(status, _written(output), _written(error))
    finally:
        sys.stdin = before


def _text(given: str = "") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8", newline="")


def _written(file: io.TextIOWrapper) -> str:
    file.seek(0)
    return file.read()


@dataclass(frozen=True)
class Served:
    """A service that runs on the workspace meanwhile."""

    service: Service
    visitor: httpx.AsyncClient

    async def sign_in(self, username: str, password: str = PASSWORD) -> httpx.Response:
        form = {"wrap_client_id": "uri:backlit", "wrap_username": username, "wrap_password": password}
        return await self.visitor.post(f"{BASE}{TOKEN_PATH}", data=form)

    async def client(self, username: str, password: str = PASSWORD) -> httpx.AsyncClient:
        answer = await self.sign_in(username, password)
        assert answer.status_code == 200, answer.text
        self.visitor.headers["authorization"] = authorization_header(
            parse_grant(answer.text, "tracker.example").access_token
        )
        return self.visitor
