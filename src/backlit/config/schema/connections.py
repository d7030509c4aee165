"""The models of `[connection]` in `config.toml`, of all profiles and of one."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, PlainValidator

from backlit.config.connection import ConnectionSettings, fingerprint_in
from backlit.config.schema.documents import Table, must

MAX_TIMEOUT = 120.0
"""Seconds."""


def _read_fingerprint(value: object) -> str:
    if not isinstance(value, str) or not (found := fingerprint_in(value)):
        must('must be the SHA-256 of a public key, such as "sha256:" and 64 digits, as backlit login shows it')
    return found


def _read_command(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        must('must be a list of words, such as ["pass", "show", "backlit"]')
    return tuple(value)


def _read_seconds(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= MAX_TIMEOUT:
        must(f"must be a number of seconds, up to {MAX_TIMEOUT:g}")
    return float(value)


Command = Annotated[tuple[str, ...], PlainValidator(_read_command)]
_Seconds = Annotated[float | None, PlainValidator(_read_seconds)]
_Home = Annotated[str, AfterValidator(lambda path: str(Path(path).expanduser()) if path else "")]


class ConnectionTable(Table):
    """The table `[connection]`, of all profiles or of one."""

    ca: _Home = Field(default="", examples=['ca = "~/team-ca.pem"'])
    """A file (PEM) of authorities that are trusted beside those of the machine."""
    fingerprint: Annotated[str, PlainValidator(_read_fingerprint)] = ""
    """The SHA-256 of the server's public key: that key alone is trusted."""
    client_cert: _Home = Field(default="", examples=['client_cert = "~/me.pem"'])
    """A file (PEM) with your certificate for the server."""
    client_key: _Home = Field(default="", examples=['client_key = "~/me.key"'])
    """The key of that certificate, where it is in a file of its own."""
    key_password_command: Command = ()
    """A command whose first line is the key's password."""
    proxy: str = Field(default="", examples=['proxy = "http://proxy.example:3128"'])
    """The proxy to the server; it comes before the variables."""
    no_proxy: str = Field(default="", examples=['no_proxy = "team.example"'])
    """Servers that are reached without a proxy, separated by commas."""

    connect_timeout: _Seconds = Field(default=None, examples=["connect_timeout = 10"])
    """The seconds to reach a server, 5 where nothing is said."""
    read_timeout: _Seconds = Field(default=None, examples=["read_timeout = 60"])
    """The seconds that a server may be silent, 30 where nothing is said."""

    def settings(self) -> ConnectionSettings:
        return ConnectionSettings(**self.model_dump())


class ProfileConnectionTable(ConnectionTable):
    """The table `[profile."NAME".connection]`; only a single profile can be insecure."""

    insecure: bool = False
    """Take any certificate. Nobody can tell then who reads along."""
