"""The sign-in of another user than the one whose changes a profile keeps."""

from backlit.model.errors import BacklitError
from backlit.model.plain import plain
from backlit.model.wrap import TokenGrant


class OtherUser(BacklitError):
    """A sign-in that succeeded and was not stored; it belongs in the profile of its own user."""

    def __init__(self, owner: str, user: str, grant: TokenGrant) -> None:
        super().__init__(
            f"You signed in as {plain(user)}, but this profile belongs to {plain(owner)}."
            f" Sign in as {plain(owner)}, or open a profile of {plain(user)} with backlit login."
        )
        self.user = user
        self.grant = grant
