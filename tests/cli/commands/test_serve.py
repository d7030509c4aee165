"""Serving for real: ending gracefully, TLS, the log, limits of the web server."""

import json
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.home import Home

from backlit.service.storage.database import without_password
from backlit.service.storage.settings import HEAD_LIMIT

FORM = b"wrap_client_id=uri%3Abacklit&wrap_username=maya&wrap_password=lantern"
HEAD = b"POST /Authenticate/WRAPv0.9 HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@pytest.fixture
def started(home: Home) -> "Iterator[Started]":
    started = Started(home)
    yield started
    if started.process.poll() is None:
        started.process.kill()
        started.process.communicate()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Started]":
    """A server for tests that leave it as it was; it ends as it should after all of them."""
    shared = Started(Home(tmp_path_factory.mktemp("shared") / "home"))
    shared.start()
    yield shared
    assert shared.end() == 0


class Started:
    """A sample that is served, and what it has said in the end."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.address = ("", 0)
        self.log: list[dict[str, object]] = []
        self.process: subprocess.Popen[str]

    def start(self, *arguments: str) -> str:
        self.process = self._home.start("serve", "--sample", "--items", "20", "--port", "0", *arguments)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        url = line.split()[-1]
        host, port = url.rpartition("//")[2].split(":")
        self.address = host, int(port)
        return url

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.finish()

    def finish(self) -> int:
        _, errors = self.process.communicate(timeout=90)
        self.log = [json.loads(line) for line in errors.splitlines()]
        return self.process.returncode

    @property
    def is_alive(self) -> bool:
        return b"200 OK" in self.said(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")

    def said(self, request: bytes) -> bytes:
        with socket.create_connection(self.address, timeout=10) as connection:
            connection.sendall(request)
            return received(connection)


def received(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.slow
def test_a_request_in_the_works_ends_before_the_service_does(started: Started, home: Home) -> None:
    started.start()
    with socket.create_connection(started.address, timeout=10) as connection:
        connection.sendall(HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(FORM) + FORM[:20])
        time.sleep(0.5)
        started.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        is_open_for_others = is_listening(started.address)
        connection.sendall(FORM[20:])
        answer = received(connection)
    code = started.finish()

    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert b"wrap_access_token=" in answer
    assert not is_open_for_others
    assert code == 0
    assert started.log == []
    assert list(home.path.rglob("service.db"))
    assert not list(home.path.rglob("service.db-wal"))  # closed, not just left


def is_listening(address: tuple[str, int]) -> bool:
    try:
        with socket.create_connection(address, timeout=1):
            return True
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
@pytest.mark.long_but("15")
def test_idle_server_ends_at_once(started: Started, number: int, code: int) -> None:
    started.start()

    assert started.end(number) == code


@pytest.mark.slow
def test_the_log_is_json_lines_without_what_was_asked(started: Started) -> None:
    started.start("--log-level", "info", "--legacy-clients")
    started.said(
        b"GET /api/v1/workitems?$filter=secret HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-1\r\nConnection: close\r\n\r\n"
    )
    started.end()

    legacy, line = started.log
    assert "Legacy clients" in str(legacy["message"])
    assert {key: line[key] for key in ("method", "path", "status", "client", "user", "request_id")} == {
        "method": "GET",
        "path": "/api/v1/workitems",
        "status": 401,
        "client": "127.0.0.1",
        "user": None,
        "request_id": "r-1",
    }


def test_headers_without_end_are_cut_off(shared: Started) -> None:
    with socket.create_connection(shared.address, timeout=10) as connection, pytest.raises(ConnectionError):
        send_headers_without_end(connection)

    assert shared.is_alive


def send_headers_without_end(connection: socket.socket) -> None:
    for _ in range(100):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * HEAD_LIMIT)
        time.sleep(0.05)


def test_server_rejects_foreign_protocols_and_continues(shared: Started) -> None:
    assert shared.said(b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert shared.is_alive


@pytest.mark.slow
def test_server_encrypts_with_a_certificate(started: Started, tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    make = (
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "1",
    )
    subject = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    subprocess.run([*make, *subject, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    url = started.start("--tls-cert", str(certificate), "--tls-key", str(key))
    context = ssl.create_default_context(cafile=str(certificate))
    with (
        socket.create_connection(started.address, timeout=10) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as connection,
    ):
        connection.sendall(
            b"GET /Authentication/RichAppLogin HTTP/1.1\r\nHost: "
            + url.removeprefix("https://").encode()
            + b"\r\nConnection: close\r\n\r\n"
        )
        answer = received(connection)
    started.end()

    assert url.startswith("https://")
    assert b"200 OK" in answer
    assert b"; Secure" in answer


@pytest.mark.slow
def test_a_certificate_that_cannot_be_used_is_said(home: Home, tmp_path: Path) -> None:
    (tmp_path / "cert.pem").write_text("nothing")
    both = home.run(
        "serve", "--sample", "--items", "20", "--port", "0",
        "--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "none.pem"),
    )  # fmt: skip
    one = home.run("serve", "--tls-cert", str(tmp_path / "cert.pem"))

    assert (both.returncode, one.returncode) == (6, 6)
    assert "TLS certificate" in both.stderr
    assert both.stderr.count("\n") == 1
    assert one.stderr == "backlit: TLS needs both --tls-cert and --tls-key.\n"


def test_a_proxy_that_is_no_address_is_said(home: Home) -> None:
    done = home.run("serve", "--port", "0", "--trusted-proxy", "proxy.example")

    assert done.returncode == 6
    assert "trusted proxy" in done.stderr


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /api/v1/users?x=" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"431"),
        (b"GET /" + b"x" * 2_000_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"431"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 2_000_000 + b"\r\n\r\n", b"431"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n", b"400"),
        (b"\x16\x03\x01 a TLS hello", b"400"),
    ],
    ids=["address", "long address", "header", "malformed", "tls"],
)
def test_a_head_that_cannot_be_read_is_refused_in_json(shared: Started, request_bytes: bytes, status: bytes) -> None:
    head, _, body = shared.said(request_bytes).partition(b"\r\n\r\n")

    assert head.split()[1] == status
    assert b"content-type: application/json" in head
    assert set(json.loads(body)) == {"message", "errors"}
    assert shared.is_alive


@pytest.mark.slow
def test_the_log_is_json_whatever_a_library_says(started: Started) -> None:
    started.start("--log-level", "debug")
    body = b"junk--b\r\nContent-Disposition form-data\r\n\r\nx\r\n--b--\r\n"
    head = b"POST /Authenticate/WRAPv0.9 HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    started.said(head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    assert started.end() == 0
    assert [line["path"] for line in started.log if line["message"] == "request"] == ["/Authenticate/WRAPv0.9"]


@pytest.mark.slow
def test_the_first_steps_are_quoted_for_a_shell_and_keep_the_password(home: Home, tmp_path: Path) -> None:
    (tmp_path / "my files").mkdir()
    process = home.start("serve", "--port", "0", "--database", f"sqlite:///{tmp_path}/my files/a b.db")
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(4)]
    process.kill()
    process.communicate()

    assert lines[2].endswith(f" --database 'sqlite:///{tmp_path}/my files/a b.db'\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://bob:secret@db/x", "postgresql://bob:PASSWORD@db/x"),
        ("postgresql://bob@db/x?password=secret", "postgresql://bob@db/x?password=PASSWORD"),
        ("postgresql://bob@db/x?sslmode=require", "postgresql://bob@db/x?sslmode=require"),
    ],
)
def test_the_address_of_a_database_is_shown_without_its_password(address: str, shown: str) -> None:
    assert without_password(address) == shown


@pytest.mark.slow
def test_workers_on_sqlite_are_refused_before_anything_else_is_said(home: Home) -> None:
    done = home.run("serve", "--port", "0", "--workers", "2")

    assert (done.returncode, done.stdout) == (6, "")
    assert "served by one process" in done.stderr
