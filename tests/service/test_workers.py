"""`backlit serve --workers`: several processes behind one address."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from tests.service.served_process import PATIENCE, Served

from backlit.service.storage.settings import ServiceSettings

pytestmark = pytest.mark.postgresql


def children(process: int) -> set[int]:
    return {int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()}


def wait_for_worker(served: Served, gone: int) -> set[int]:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        now = children(served.process.pid)
        if len(now) == 2 and gone not in now:
            return now
        time.sleep(0.05)
    raise TimeoutError("no worker took the place of the one that ended")


@pytest.mark.slow
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_workers_serve_one_address_and_one_that_dies_is_replaced(settings: ServiceSettings, tmp_path: Path) -> None:
    with Served(tmp_path, settings.database, "--workers", "2") as served:
        headers = {"authorization": served.sign_in("maya")}
        time.sleep(2)  # one that ends sooner is taken to be unable to start
        before = children(served.process.pid)
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        after = wait_for_worker(served, victim)

        names = []
        for number in range(8):
            answer = httpx.put(
                f"{served.base}/api/v1/workitems/1", json={"Name": f"{number}"}, headers=headers, timeout=PATIENCE
            )
            seen = httpx.get(f"{served.base}/api/v1/workitems/1", headers=headers, timeout=PATIENCE)
            names.append((answer.json(), seen.json()))

        assert len(before) == 2
        assert len(before & after) == 1
        assert all(written == seen for written, seen in names)
        assert served.stop() == 0
        assert not any(Path(f"/proc/{worker}").exists() for worker in after)


@pytest.mark.slow
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_change_at_one_process_is_told_to_followers_of_the_other(settings: ServiceSettings, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
    with Served(folders[0], settings.database) as one, Served(folders[1], settings.database) as other:
        headers = {"authorization": one.sign_in("maya")}
        stream = f"{other.base}/api/v1/changes/stream"
        with httpx.stream("GET", stream, headers=headers, timeout=PATIENCE) as answer:
            lines = answer.iter_lines()
            assert next_event(lines, "hello")["reset"] is None

            httpx.put(f"{one.base}/api/v1/workitems/1", json={"Name": "x"}, headers=headers, timeout=PATIENCE)

            (change,) = next_event(lines, "changes")["changes"]
            assert (change["k"], change["id"], change["f"]) == ("item", 1, ["Name"])


def next_event(lines: Iterator[str], name: str) -> dict[str, Any]:
    """Return the data of the next event of a name."""
    for line in lines:
        if line == f"event: {name}":
            found: dict[str, Any] = orjson.loads(next(lines).removeprefix("data: "))
            return found
    raise TimeoutError(f"the stream ended before {name}")


@pytest.mark.slow
def test_several_processes_on_sqlite_are_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "backlit", "serve", "--workers", "2", "--database", f"sqlite:///{tmp_path}/x.db"]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}

    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment, check=False)

    assert done.returncode == 6
    assert "An SQLite database is served by one process." in done.stderr
