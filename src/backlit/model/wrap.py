"""OAuth WRAP 0.9: challenge, token body, access token and header value."""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote

from msgspec import Struct

from backlit.model.errors import ServiceError, Unauthorized

TOKEN_PATH = "/Authenticate/WRAPv0.9"  # noqa: S105  an address, not a secret
LOGIN_PATH = "/Authentication/RichAppLogin"

# Possessive quantifiers: a hostile header cannot make the pattern try again and again.
_TOKEN = r"[\w!#$%&'*+.^`|~-]++"  # noqa: S105  a token of HTTP's grammar
_PARAMETER = re.compile(rf'({_TOKEN})\s*=\s*("(?:[^"\\]|\\.)*+"|[^\s,"]*+)', re.ASCII | re.DOTALL)
_SCHEME = re.compile(_TOKEN, re.ASCII)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_AUTHORIZATION = re.compile(r'\s*WRAP\s++access_token\s*=\s*(?:"([^"]*+)"|([^\s,"]++))', re.ASCII | re.IGNORECASE)

_SIGNATURE = "HMACSHA256"
_EXPIRES_ON = "ExpiresOn"
# Section 5 of the interface lists the claims, without their full names.
_CLAIM_BY_ATTRIBUTE = {
    "name": "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name",
    "email": "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    "identifier": "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/privatepersonalidentifier",
    "identity_provider": "http://schemas.microsoft.com/accesscontrolservice/2010/07/claims/identityprovider",
    "token_id": "TokenId",
    "issuer": "Issuer",
    "audience": "Audience",
}


class Challenge(Struct, frozen=True):
    """The token endpoint and client id from a 401 response."""

    location: str
    client_id: str


def client_id_of(service_name: str) -> str:
    return f"uri:{service_name}"


def parse_challenge(header: str) -> Challenge | None:
    """Find the WRAP challenge in a WWW-Authenticate header; None without a complete one.

    Other schemes may stand before and after it; values may be quoted or not.
    """
    scheme, at = "", 0
    parameters: dict[str, str] = {}
    while at < len(header):
        if found := _PARAMETER.match(header, at):
            if scheme == "wrap":
                parameters.setdefault(found[1].lower(), _unquoted(found[2]))
        elif found := _SCHEME.match(header, at):
            scheme = found[0].lower()
        at = found.end() if found else at + 1
        if parameters.get("location") and parameters.get("client_id"):
            return Challenge(parameters["location"], parameters["client_id"])
    return None


def write_challenge(challenge: Challenge, quoted: bool = False) -> str:
    """Write the WWW-Authenticate header; `quoted` puts the client id in quotes too, as some old clients want."""
    client_id = _quoted(challenge.client_id) if quoted else challenge.client_id
    return f"WRAP location={_quoted(challenge.location)}, client_id={client_id}"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(value: str) -> str:
    return _ESCAPED.sub(r"\1", value[1:-1]) if value.startswith('"') else value


@dataclass(frozen=True, slots=True)  # a Struct would print the tokens in a traceback
class TokenGrant:
    """A grant of the token endpoint; `expires_in` is in seconds."""

    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_in: int


def parse_grant(body: str, server: str) -> TokenGrant:
    """Read the token endpoint's response. Raises ServiceError, which names the server, for a missing part."""
    values = dict(parse_qsl(body.strip()))
    access_token = values.get("wrap_access_token")
    refresh_token = values.get("wrap_refresh_token")
    expires_in = values.get("wrap_access_token_expires_in", "")
    if not access_token or not refresh_token or not re.fullmatch(r"[0-9]{1,10}", expires_in):
        raise ServiceError(f"The response of {server} to the sign-in is not a token. Check the address.")
    return TokenGrant(access_token, refresh_token, int(expires_in))


def write_grant(grant: TokenGrant) -> str:
    """Write the token endpoint's response so that form decoding and decodeURIComponent both decode it."""
    return _pairs(
        (
            ("wrap_access_token", grant.access_token),
            ("wrap_refresh_token", grant.refresh_token),
            ("wrap_access_token_expires_in", str(grant.expires_in)),
        )
    )


def _pairs(values: Iterable[tuple[str, str]]) -> str:
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in values)


class AccessToken(Struct, frozen=True):
    """The claims of an access token; `expires_on` is in seconds since 1970."""

    name: str
    email: str
    identifier: str
    identity_provider: str
    token_id: str
    issuer: str
    audience: str
    expires_on: int


def sign(claims: AccessToken, key: bytes) -> str:
    """Write the claims and, last, their HMAC-SHA256 over everything before it."""
    named = [(claim, str(getattr(claims, attribute))) for attribute, claim in _CLAIM_BY_ATTRIBUTE.items()]
    text = _pairs([*named, (_EXPIRES_ON, str(claims.expires_on))])
    return f"{text}&{_pairs([(_SIGNATURE, _signature_of(text, key))])}"


def verify(text: str, keys: Iterable[bytes], audience: str, now: float) -> AccessToken:
    """Check an access token against the current key and those before it; raises Unauthorized.

    Reads no claim before the signature is verified.
    """
    signed, _, signature = text.rpartition(f"&{_SIGNATURE}=")
    if not text.isascii() or not signed:
        raise Unauthorized("The access token is malformed.")
    given = unquote(signature).encode()
    # Every key is compared in full: the time taken shows neither the key nor how much of a guess is right.
    found = [hmac.compare_digest(_signature_of(signed, key).encode(), given) for key in keys]
    if not any(found):
        raise Unauthorized("The access token was not issued by this service.")
    claims = _claims_of(signed)
    if claims.audience != audience:
        raise Unauthorized("The access token was issued for another service.")
    if claims.expires_on <= now:
        raise Unauthorized("The access token has expired.")
    return claims


def _claims_of(signed: str) -> AccessToken:
    values = dict(parse_qsl(signed, keep_blank_values=True))
    try:
        named = {attribute: values[claim] for attribute, claim in _CLAIM_BY_ATTRIBUTE.items()}
        return AccessToken(**named, expires_on=int(values[_EXPIRES_ON]))
    except (KeyError, ValueError):
        raise Unauthorized("The access token lacks a claim.") from None


def _signature_of(text: str, key: bytes) -> str:
    return base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()


def authorization_header(access_token: str) -> str:
    return f"WRAP access_token={quote(access_token, safe='')}"


def tokens_in_header(header: str) -> tuple[str, ...]:
    """List the possible access tokens of an Authorization header, likeliest first.

    Tries the value without its quotes, then unescaped once; empty for other schemes.
    """
    found = _AUTHORIZATION.match(header)
    value = (found[1] or found[2] or "") if found else ""
    return tuple(dict.fromkeys(reading for reading in (value, unquote(value)) if reading))
