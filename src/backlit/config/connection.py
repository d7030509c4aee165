"""How a server is reached: what the sign-in named, kept in the profile, under what config.toml says."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from backlit.config.atomic_files import write_private, writing_to
from backlit.model.errors import StorageError


class ConnectionSettings(Struct, frozen=True, omit_defaults=True):
    """The table `[connection]`; what is empty is as the machine and the environment have it."""

    ca: str = ""
    """File with an authority that is trusted beside those of the machine (PEM)."""
    fingerprint: str = ""
    """SHA-256 of the public key of the server's certificate, which alone is trusted then."""
    client_cert: str = ""
    """File with the certificate that the server asks for (PEM)."""
    client_key: str = ""
    """File with the key of `client_cert`, where that does not hold it."""
    key_password_command: Sequence[str] = ()
    """Command that prints the password of the key on its first line."""
    proxy: str = ""
    """Address of a proxy, with its user name and password."""
    no_proxy: str = ""
    """Hosts that are reached without the proxy, as in NO_PROXY."""
    connect_timeout: float | None = None
    """Seconds to reach the server."""
    read_timeout: float | None = None
    """Seconds of silence allowed to the server."""
    insecure: bool = False
    """Whether any certificate is taken; everybody on the way can read and change what is sent."""

    def under(self, other: "ConnectionSettings | None") -> "ConnectionSettings":
        """Return these settings with what others set in place."""
        if other is None:
            return self
        usual = ConnectionSettings()
        return replace(self, **{key: value for key, value in asdict(other).items() if value != getattr(usual, key)})


def fingerprint_in(text: str) -> str:
    """Return a SHA-256 as it is compared, `sha256:` and small digits, with or without colons; empty for other texts."""
    digits = text.strip().lower().removeprefix("sha256:").replace(":", "")
    return f"sha256:{digits}" if re.fullmatch("[0-9a-f]{64}", digits) else ""


def without_secrets(address: str) -> str:
    """Return an address or a text with *** for the passwords in addresses."""
    return re.sub(r"(://[^/@:\s\"']*):[^@\s\"']*@", r"\1:***@", address)


USUAL_CONNECTION = ConnectionSettings()


def load_connection(path: Path) -> ConnectionSettings:
    """Return what the sign-in of a profile named. Raises StorageError for an unreadable file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=ConnectionSettings)
    except FileNotFoundError:
        return USUAL_CONNECTION
    except (OSError, msgspec.MsgspecError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise StorageError(
            f"Could not read the connection of the profile: {reason} ({path}). Sign in again: backlit login URL"
        ) from error


def save_connection(path: Path, connection: ConnectionSettings) -> None:
    with writing_to(path):
        write_private(path, msgspec.json.encode(connection))
