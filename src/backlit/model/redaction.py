"""Redaction of secrets in texts for a log or a dialog."""

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
    """Replace the value after the name of a secret by `…`."""
    return _NAMED.sub(r"\1\2…", text)
