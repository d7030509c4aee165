"""ETag and If-Match on single resources (an extension)."""

import hashlib

from starlette.datastructures import Headers

from backlit.model.errors import PreconditionFailed


def etag_of(document: bytes) -> str:
    """Return the version of a resource, from its document."""
    return f'"{hashlib.blake2b(document, digest_size=12).hexdigest()}"'


def must_match(headers: Headers, document: bytes) -> None:
    """Raise PreconditionFailed unless If-Match is absent, `*` or names this version."""
    wanted = headers.get("if-match")
    if wanted is None or wanted.strip() == "*":
        return
    versions = {version.strip() for version in wanted.split(",")}
    if etag_of(document) not in versions:
        raise PreconditionFailed("Someone else changed it after you read it.")
