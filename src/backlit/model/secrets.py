"""Texts that go to a log or a dialog, without the secrets that a service or a library may have put into them."""

import re

_NAMED = re.compile(
    r"""(?ix)
    ( \b(?: wrap_(?!client_id|access_token_expires_in)\w+ | access_token | refresh_token | password | passwd )
    | \b(?: set-)?cookie | \b(?:proxy-)?authorization | \.ASPXAUTH )
    ( ["']? \s* [:=] \s* ["']? )
    (?: (?: WRAP | Basic | Bearer ) \s+ )? (?: access_token \s*=\s* )? (?: \.ASPXAUTH = )?
    [^\s"',;&]+
    """
)


def redacted(text: str) -> str:
    """The text with `…` for what stands behind the name of a secret (FEATURES rule 7)."""
    return _NAMED.sub(r"\1\2…", text)
