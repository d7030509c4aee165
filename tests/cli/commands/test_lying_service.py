"""Commands against a service that sends what cannot be: a sentence, a status that is not 0, and no traceback."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from tests.cli.home import Home
from tests.store.foreign_server import ForeignServer, Quirks


class Liar(ForeignServer):
    """Tells the truth until it is told to lie: then the first item's id is no number that a file can hold."""

    is_lying = False

    def _page(self, found: list[Any], query: dict[str, str]) -> dict[str, Any]:
        page = super()._page(found, query)
        if self.is_lying and page["results"] and "fields" in page["results"][0]:
            return page | {"results": [page["results"][0] | {"id": 2**63}]}
        return page


@pytest.fixture
def liar() -> Iterator[Liar]:
    server = Liar(Quirks(), items=5)
    running = uvicorn.Server(uvicorn.Config(server, port=0, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=lambda: asyncio.run(running.serve()))
    thread.start()
    deadline = time.monotonic() + 20
    while not running.started and time.monotonic() < deadline:
        time.sleep(0.01)
    server.base = f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    yield server
    running.should_exit = True
    thread.join(90)


@pytest.mark.parametrize("is_known", [False, True], ids=["nothing here", "some here"])
def test_a_number_that_cannot_be_ends_a_command_with_a_sentence(home: Home, liar: Liar, is_known: bool) -> None:
    assert home.run("login", liar.base, "--user", "pat", given="secret\n").returncode == 0
    if is_known:
        assert home.run("items", "list").returncode == 0
    liar.is_lying = True
    home.date_copies()

    done = home.run("items", "list")

    assert done.returncode == 1
    assert "results.0.id is 9223372036854775808, which is not a valid value." in done.stderr
    assert "Traceback" not in done.stderr
    assert ("Item 0" in done.stdout) == is_known
