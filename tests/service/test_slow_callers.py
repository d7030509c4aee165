"""Slow and idle connections: every limit, over real sockets against a process that serves."""

import json
import resource
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.service.bounded import Bounded, rest_of
from tests.service.served_process import PATIENCE, sign_in

from backlit.service.storage.settings import ServiceLimits

pytestmark = pytest.mark.slow

Start = Callable[..., Bounded]
LONG = 60.0
WRITE = "POST /api/v1/workitems HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
GET = b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"


def answer_of(caller: socket.socket) -> bytes:
    """One answer of a connection that may stay open."""
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]) if end else 1
        if end and len(body) >= length:
            return data
        part = caller.recv(65536)
        if not part:
            return data
        data += part


def is_open(caller: socket.socket) -> bool:
    """Whether a connection still answers."""
    try:
        caller.sendall(GET)
        return answer_of(caller).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def write(header: str = "", length: int = 100, body: str = "{") -> str:
    signed = f"Authorization: {header}\r\n" if header else ""
    return f"{WRITE}{signed}Content-Length: {length}\r\n\r\n{body}"


def asking_first(header: str = "") -> str:
    """A head whose caller sends the body when it is told to."""
    return write(header, body="").replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n")


@pytest.fixture
def start(sample_file: Path, tmp_path: Path) -> Iterator[Start]:
    shutil.copy(sample_file, tmp_path / "service.db")
    running: list[Bounded] = []

    def start(
        files: int | None = None,
        settings: dict[str, object] | None = None,
        certificate: Path | None = None,
        **limits: float,
    ) -> Bounded:
        running.append(Bounded(tmp_path, settings or {}, limits, files, certificate))
        return running[-1]

    yield start
    for each in running:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()
        if each.process.stdout is not None:
            each.process.stdout.close()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of 127.0.0.1, signed by itself, and its key in one file."""
    path = tmp_path / "tls.pem"
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    made = subprocess.run([*make.split(), *names, "-keyout", "-"], check=True, capture_output=True)
    path.write_bytes(made.stdout)
    return path


def test_connection_is_closed_when_no_head_comes(start: Start) -> None:
    served = start(head=0.1, idle=LONG)

    assert served.ask() == b""


@pytest.mark.parametrize("head", [b"GET /healthz HTTP/1.1\r\nX-", b"\r\n"])
def test_slow_head_is_answered_408(start: Start, head: bytes) -> None:
    served = start(head=0.1, idle=LONG)

    answer = served.ask(head)

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["message"].endswith("Send it again.")


def test_slow_head_is_answered_408_when_the_connection_has_served_before(start: Start) -> None:
    served = start(head=0.1, idle=LONG)
    with served.connect(GET) as caller:
        first = answer_of(caller)
        caller.sendall(b"GET /")

        assert first.startswith(b"HTTP/1.1 200 ")
        assert rest_of(caller).startswith(b"HTTP/1.1 408 ")


def test_idle_connection_is_closed_after_its_time(start: Start) -> None:
    served = start(head=LONG, idle=0.1)

    answer = served.ask(GET)

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.count(b"HTTP/1.1") == 1


def test_begun_head_does_not_end_the_request_before_it(start: Start) -> None:
    served = start(head=0.2, idle=LONG, settings={"concurrent_requests": 4})
    header = sign_in(served.base, "maya")
    get = f"GET /api/v1/workitems HTTP/1.1\r\nHost: h\r\nAuthorization: {header}\r\n\r\n".encode()

    answer = served.ask(get + get + b"GET /h")

    assert answer.count(b"HTTP/1.1 200 ") == 2
    assert answer.count(b"HTTP/1.1 408 ") == 1


def test_caller_without_token_is_refused_before_the_body_comes(start: Start) -> None:
    served = start(stall=LONG, body_grace=LONG)

    answer = served.ask(write())

    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"connection: close\r\n" in answer


def test_caller_who_waits_to_send_gets_no_leave_without_token(start: Start) -> None:
    served = start()

    answer = served.ask(asking_first())

    assert answer.startswith(b"HTTP/1.1 401 ")


def test_connection_stays_open_when_the_refused_body_is_there(start: Start) -> None:
    served = start()
    with served.connect(write(length=2, body="{}")) as caller:
        answer = answer_of(caller)

        assert answer.startswith(b"HTTP/1.1 401 ")
        assert b"connection: close" not in answer
        assert is_open(caller)


def test_refused_body_is_not_read_to_its_end(start: Start) -> None:
    served = start(linger=LONG)
    sent = 0
    with served.connect(write(length=10**12)) as caller:
        try:
            while sent < 2**30:
                sent += caller.send(b" " * 65536)
        except OSError:
            pass

    assert sent < 2**28


@pytest.mark.parametrize("limits", [{"stall": 0.1}, {"body": 0.1}, {"body_grace": 0.1, "body_rate": 1000}])
@pytest.mark.long_but("limits0")
def test_slow_body_is_answered_408(start: Start, limits: dict[str, float]) -> None:
    served = start(**{"stall": LONG, "body_grace": LONG, **limits})
    header = sign_in(served.base, "maya")

    answer = served.ask(write(header))

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["message"] == "The body came too slowly. Send it again."


def test_slow_form_and_upload_are_answered_408(start: Start) -> None:
    served = start(stall=0.1)
    header = sign_in(served.base, "maya")
    paths = ("/Authenticate/WRAPv0.9", "/Authentication/RichAppLogin", "/api/v1/workitems/1/attachments")
    kind = 'multipart/form-data; boundary="b"'
    head = f"Host: h\r\nAuthorization: {header}\r\nContent-Type: {kind}\r\nContent-Length: 100\r\n\r\n-"

    answers = [served.ask(f"POST {path} HTTP/1.1\r\n{head}") for path in paths]

    assert [answer[9:12] for answer in answers] == [b"408"] * 3


def test_body_in_pieces_is_read_whole(start: Start) -> None:
    served = start()
    header = sign_in(served.base, "maya")
    body = json.dumps({"type": "Bug", "projectId": 1, "fields": {"Name": "In pieces"}})
    with served.connect(write(header, len(body), body[:1])) as caller:
        for letter in body[1:]:
            caller.sendall(letter.encode())

        assert answer_of(caller).startswith(b"HTTP/1.1 201 ")


def test_body_that_breaks_off_is_no_failure_of_the_service(start: Start) -> None:
    served = start()
    header = sign_in(served.base, "maya")
    with served.connect(asking_first(header)) as caller:
        caller.recv(12)

    status = served.end()

    assert status == 0
    assert not [line for line in served.lines() if "traceback" in line]


def test_slow_bodies_keep_nobody_else_out(start: Start) -> None:
    served = start(settings={"concurrent_requests": 1})
    header = sign_in(served.base, "maya")
    waiting = [served.connect(write(header)) for _ in range(8)]

    statuses = [served.get("/api/v1/users/me", authorization=header) for _ in range(8)]

    assert statuses == [200] * 8
    for each in waiting:
        each.close()


def test_address_has_a_share_of_the_bodies_that_wait(start: Start) -> None:
    served = start(bodies_per_address=2)
    header = sign_in(served.base, "maya")
    waiting = [served.connect(write(header)) for _ in range(2)]
    with waiting[0], waiting[1], served.connect(write(header), "127.0.0.2") as other:
        refused = served.ask(write(header))
        other.sendall(b" " * 99)

        assert refused.startswith(b"HTTP/1.1 429 ")
        assert answer_of(other).startswith(b"HTTP/1.1 400 ")


def test_callers_behind_a_trusted_proxy_have_shares_of_their_own(start: Start) -> None:
    served = start(bodies_per_address=1, connections_per_address=1, settings={"trusted_proxies": ["127.0.0.1"]})
    header = sign_in(served.base, "maya")

    def through_proxy(address: str) -> str:
        return write(header).replace("Host: h", f"Host: h\r\nX-Forwarded-For: {address}")

    with served.connect(through_proxy("192.0.2.1")), served.connect(through_proxy("192.0.2.2")) as second:
        refused = served.ask(through_proxy("192.0.2.1"))
        second.sendall(b" " * 99)

        assert refused.startswith(b"HTTP/1.1 429 ")
        assert answer_of(second).startswith(b"HTTP/1.1 400 ")


def test_connection_that_waited_longest_makes_room(start: Start) -> None:
    served = start(connections=3)
    with served.connect(GET) as first, served.connect() as second, served.connect(GET) as third:
        answer_of(first)
        answer_of(third)
        is_open(first)
        with served.connect(GET) as newest:
            answered = answer_of(newest)

            assert answered.startswith(b"HTTP/1.1 200 ")
            assert rest_of(second) == b""
            assert is_open(first)
            assert is_open(third)
    assert served.lines_of("displaced")


def test_address_makes_room_in_its_own_share_only(start: Start) -> None:
    served = start(connections_per_address=2)
    with served.connect(GET, "127.0.0.2") as other, served.connect() as first, served.connect(GET) as second:
        answer_of(other)
        answer_of(second)
        with served.connect(GET) as third:
            answer_of(third)

            assert rest_of(first) == b""
            assert is_open(other)
            assert is_open(second)


def test_connections_wait_to_be_accepted_when_all_are_at_work(start: Start) -> None:
    served = start(connections=2, idle=0.1)
    header = sign_in(served.base, "maya")
    asking = asking_first(header)
    with served.connect(asking) as first, served.connect(asking) as second:
        assert first.recv(12) == second.recv(12) == b"HTTP/1.1 100"
        with served.connect(GET) as third:
            third.settimeout(0.3)
            with pytest.raises(TimeoutError):
                third.recv(1)
            third.settimeout(PATIENCE)
            first.sendall(b" " * 100)

            assert answer_of(third).startswith(b"HTTP/1.1 200 ")
        second.sendall(b" " * 100)
        assert b"HTTP/1.1 400 " in rest_of(second)


def test_service_answers_and_logs_little_when_its_files_are_used_up(start: Start) -> None:
    served = start(notice=LONG, connections_per_address=4096)
    used = len(list(Path(f"/proc/{served.process.pid}/fd").iterdir()))
    resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (used + 8, used + 8))
    waiting = [served.connect() for _ in range(40)]

    status = served.get()

    assert status == 200
    assert len(served.lines_of("failed")) == 1
    assert len(served.lines()) < 5
    for each in waiting:
        each.close()


def test_caller_who_takes_no_answer_is_ended(start: Start) -> None:
    served = start(send=0.2)
    header = sign_in(served.base, "maya")
    get = f"GET /api/v1/workitems HTTP/1.1\r\nHost: h\r\nAuthorization: {header}\r\n\r\n".encode()
    with served.connect() as caller:
        caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        caller.sendall(get * 300)

        assert served.lines_of("late")


def test_service_stops_while_slow_and_idle_connections_are_open(start: Start) -> None:
    served = start(stall=0.5)
    header = sign_in(served.base, "maya")
    waiting = [served.connect(data) for data in (b"", b"GET /", GET, write(header)) for _ in range(4)]

    status = served.end()

    assert status == 0
    assert not [line for line in served.lines() if line["level"] == "error"]
    for each in waiting:
        each.close()


def test_slow_callers_keep_nobody_out_over_tls(start: Start, certificate: Path) -> None:
    served = start(certificate=certificate, head=0.5, idle=LONG, connections=6)
    context = ssl.create_default_context(cafile=certificate)
    waiting = [served.connect(b"\x16\x03\x01\x02"[:sent]) for sent in (0, 0, 0, 1, 4, 4)]
    with context.wrap_socket(served.connect(), server_hostname="127.0.0.1") as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\nX-")
        answer = rest_of(slow)
    with context.wrap_socket(served.connect(), server_hostname="127.0.0.1") as caller:
        caller.sendall(GET)

        assert answer_of(caller).startswith(b"HTTP/1.1 200 ")
    assert answer.startswith(b"HTTP/1.1 408 ")
    for each in waiting:
        with each:
            assert rest_of(each) == b""


def test_limits_leave_files_to_the_requests_and_proxies_time_to_close_first() -> None:
    from backlit.service.connections import connection_limit

    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]

    assert connection_limit(ServiceLimits(connections=10**9), 256) < files - 256
    assert connection_limit(ServiceLimits(connections=10), 256) == 10
    assert ServiceLimits().idle > 60
