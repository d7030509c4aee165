"""A service that answers from memory as long as its database is the copy of a sample."""

import asyncio
import threading
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from backlit.service.app import Service

Answers = dict[tuple[object, ...], list[MutableMapping[str, Any]]]


class Remembered:
    """The application of a service that starts when a request needs it.

    Each copy of a sample gives the same answer to the same read. `answers` has those of other copies; the service gives
    the rest, and all answers once something was written.
    """

    def __init__(self, service: Service, database: Path, answers: Answers) -> None:
        self._service = service
        self._files = (database, database.with_name(f"{database.name}-wal"))
        self._answers: Answers | None = answers
        self._copied = self._state()
        self._starting = threading.Lock()
        self._is_started = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        key = (scope["path"], scope["query_string"], *scope["headers"])
        answers = self._answers if self._is_copy() and scope["method"] == "GET" else None
        if answers is None:
            self._answers = None
            await self.started().asgi(scope, receive, send)
        elif key in answers:
            for message in answers[key]:
                await send(dict(message))
        else:
            answer: list[MutableMapping[str, Any]] = []

            async def tell(message: MutableMapping[str, Any]) -> None:
                answer.append(message)
                await send(message)

            await self.started().asgi(scope, receive, tell)
            if self._answers is not None and self._is_copy() and answer[0]["status"] == 200:
                answers[key] = answer

    def started(self) -> Service:
        """Return the service, which may write from now on."""
        with self._starting:
            if not self._is_started:
                is_copy = self._is_copy()
                thread = threading.Thread(target=lambda: asyncio.run(self._service.start()))
                thread.start()
                thread.join()
                self._is_started = True
                self._copied = self._state() if is_copy else ()
        return self._service

    def _is_copy(self) -> bool:
        return self._copied == self._state()

    def _state(self) -> tuple[tuple[int, int], ...]:
        """Return sizes and times of the database's files: a write changes one of them."""
        found = [each.stat() for each in self._files if each.exists()]
        return tuple((each.st_size, each.st_mtime_ns) for each in found)
