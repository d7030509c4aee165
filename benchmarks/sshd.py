"""A real sshd on this machine for a benchmark, with keys of its own, as long as a block runs."""

import getpass
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 10.0


@contextmanager
def sshd_here() -> Iterator[str]:
    """Serve SSH on a free port of the loopback; yields the command that a terminal is opened with."""
    program, make_key = (shutil.which(each, path="/usr/sbin:/usr/bin:/sbin") for each in ("sshd", "ssh-keygen"))
    if program is None or make_key is None:
        raise SystemExit("There is no sshd on this machine. Install openssh-server, or name a command by --ssh.")
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as free:
        folder, port = Path(name), free.getsockname()[1]
        free.close()
        for key in ("host", "user"):
            subprocess.run([make_key, "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        Path("/run/sshd").mkdir(exist_ok=True)
        lines = [
            f"Port {port}",
            "ListenAddress 127.0.0.1",
            f"HostKey {folder / 'host'}",
            f"AuthorizedKeysFile {folder / 'user.pub'}",
            "StrictModes no",
            "UsePAM no",
            "PermitRootLogin yes",
            f"PidFile {folder / 'pid'}",
        ]
        (folder / "config").write_text("\n".join(lines) + "\n")
        with subprocess.Popen([program, "-D", "-q", "-f", folder / "config"]) as server:
            try:
                _wait_for(port)
                known = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]
                user = f"{getpass.getuser()}@127.0.0.1"
                yield shlex.join(["ssh", "-tt", "-p", str(port), "-i", str(folder / "user"), *known, user])
            finally:
                server.terminate()


def _wait_for(port: int) -> None:
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        try:
            with socket.create_connection(("127.0.0.1", port), 1.0):
                return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("sshd did not start.")
