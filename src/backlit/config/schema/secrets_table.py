"""The model of `[secrets]` in `config.toml`, of all profiles and of one."""

import json
from typing import Annotated

from pydantic import Field, PlainValidator

from backlit.config.schema.connections import Command
from backlit.config.schema.documents import Table, must
from backlit.config.sign_in_secrets import SecretPlace, SecretSettings


def _read_place(value: object) -> SecretPlace:
    if value not in set(SecretPlace):
        must(f"must be one of {', '.join(json.dumps(each) for each in SecretPlace)}")
    return SecretPlace(str(value))


class SecretsTable(Table):
    """The table `[secrets]`, of all profiles or of one."""

    store: Annotated[SecretPlace, PlainValidator(_read_place)] = Field(
        default=SecretPlace.AUTO, examples=['store = "file"']
    )
    """Where a sign-in is kept: `"keyring"`, that of the system; `"file"`, readable by you alone; or `"auto"`, the
    keyring where the extra `keyring` is installed and the system has one.
    """
    password_command: Command = Field(default=(), examples=['password_command = ["pass", "show", "team/backlit"]'])
    """A command whose first line is the password; backlit runs it, without a shell, where a sign-in is needed."""

    def settings(self) -> SecretSettings:
        return SecretSettings(self.store, self.password_command)
