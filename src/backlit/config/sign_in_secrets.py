"""Where the secrets of sign-ins are kept, and where a password comes from: the table `[secrets]`."""

from enum import StrEnum

from msgspec import Struct


class SecretPlace(StrEnum):
    """AUTO is the keyring where the extra is installed and the system has one, else the file."""

    AUTO = "auto"
    KEYRING = "keyring"
    FILE = "file"


class SecretSettings(Struct, frozen=True):
    """The contents of `[secrets]`."""

    store: SecretPlace = SecretPlace.AUTO
    password_command: tuple[str, ...] = ()
    """Command that prints the password of the sign-in on its first line."""


USUAL_SECRETS = SecretSettings()
