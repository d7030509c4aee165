"""The texts of OAuth WRAP, both ways, and what a token has to stand up to."""

import hmac
from base64 import b64encode
from urllib.parse import parse_qsl, quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from backlit.model.errors import ServiceError, Unauthorized
from backlit.model.wrap import (
    AccessToken,
    Challenge,
    TokenGrant,
    authorization_header,
    client_id_of,
    parse_challenge,
    parse_grant,
    sign,
    tokens_in_header,
    verify,
    write_challenge,
    write_grant,
)

CHALLENGE = Challenge("https://example.test/Authenticate/WRAPv0.9", "uri:backlit")
LOCATION = CHALLENGE.location

KEY, OLD_KEY, STRANGE_KEY = b"current key", b"previous key", b"another service's key"
CLAIMS = AccessToken(
    name="maya",
    email="maya@example.test",
    identifier="17",
    identity_provider="local",
    token_id="c0ffee",
    issuer="https://example.test/",
    audience="uri:backlit",
    expires_on=1_700_003_600,
)
NOW = 1_700_000_000

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def test_a_challenge_is_written_as_the_specification_shows_it() -> None:
    assert write_challenge(CHALLENGE) == f'WRAP location="{LOCATION}", client_id=uri:backlit'


def test_a_challenge_for_old_clients_has_its_client_id_in_quotes() -> None:
    assert write_challenge(CHALLENGE, quoted=True) == f'WRAP location="{LOCATION}", client_id="uri:backlit"'


@pytest.mark.parametrize(
    "header",
    [
        f'WRAP location="{LOCATION}", client_id=uri:backlit',
        f'WRAP location="{LOCATION}", client_id="uri:backlit"',
        f'WRAP location="{LOCATION}", location="https://other.test/", client_id=uri:backlit',
        f"WRAP location={LOCATION}, client_id=uri:backlit",
        f'WRAP location="{LOCATION}",client_id=uri:backlit',
        f'wrap  Client_ID = "uri:backlit" ,  LOCATION = "{LOCATION}"',
        f'Basic realm="a, WRAP b", WRAP location="{LOCATION}", client_id=uri:backlit',
        f'WRAP location="{LOCATION}", client_id=uri:backlit, Bearer realm="x", location="https://evil.test"',
        f'Negotiate YII/abc==, WRAP location="{LOCATION}", client_id=uri:backlit',
        f'Negotiate, NTLM, WRAP location="{LOCATION}", client_id=uri:backlit',
        f'Digest location="https://evil.test", client_id=x, WRAP client_id=uri:backlit, location="{LOCATION}"',
        f'WRAP scope="x", location="{LOCATION}", client_id=uri:backlit',
    ],
)
def test_a_challenge_is_found_in_any_company_and_spelling(header: str) -> None:
    assert parse_challenge(header) == CHALLENGE


@pytest.mark.parametrize(
    "header",
    [
        "",
        "WRAP",
        'Basic realm="x"',
        f'WRAP location="{LOCATION}"',
        "WRAP client_id=uri:backlit",
        f'WRAP location="{LOCATION}", client_id=""',
        f'Bearer location="{LOCATION}", client_id=uri:backlit',
        f'Basic realm="WRAP location={LOCATION}, client_id=uri:backlit"',
        f'WRAP location="{LOCATION}',
    ],
)
def test_no_challenge_is_made_up(header: str) -> None:
    assert parse_challenge(header) is None


@given(st.text(max_size=60) | st.text('WRAP location="client_id=, \\', max_size=60))
def test_any_header_can_be_looked_through(header: str) -> None:
    parse_challenge(header)
    tokens_in_header(header)


@given(texts.filter(bool), st.booleans())
def test_a_location_survives_its_quotes(location: str, quoted: bool) -> None:
    challenge = Challenge(location, client_id_of("backlit"))

    assert parse_challenge(write_challenge(challenge, quoted)) == challenge


def test_a_grant_has_its_fields_in_order_and_never_a_plus() -> None:
    body = write_grant(TokenGrant("a b+c&d=e%", "r/é", 3600))

    assert body == (
        "wrap_access_token=a%20b%2Bc%26d%3De%25&wrap_refresh_token=r%2F%C3%A9&wrap_access_token_expires_in=3600"
    )


@given(texts.filter(bool), texts.filter(bool), st.integers(0, 10**9))
def test_a_grant_is_undone_by_form_decoding_and_by_percent_decoding(access: str, refresh: str, seconds: int) -> None:
    grant = TokenGrant(access, refresh, seconds)
    body = write_grant(grant)
    percent_decoded = {name: unquote(value) for name, _, value in (pair.partition("=") for pair in body.split("&"))}

    assert parse_grant(body, "tracker.example") == grant
    assert dict(parse_qsl(body)) == percent_decoded
    assert percent_decoded["wrap_access_token"] == access
    assert "+" not in body


def test_a_grant_of_another_implementation_may_have_plus_order_and_extras() -> None:
    body = "wrap_access_token_expires_in=1200&extra=1&wrap_refresh_token=x%2by&wrap_access_token=a+b\r\n"

    assert parse_grant(body, "tracker.example") == TokenGrant("a b", "x+y", 1200)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>Sign in</html>",
        "wrap_access_token=a&wrap_refresh_token=b",
        "wrap_access_token=a&wrap_access_token_expires_in=3600",
        "wrap_access_token=&wrap_refresh_token=b&wrap_access_token_expires_in=3600",
        "wrap_access_token=a&wrap_refresh_token=b&wrap_access_token_expires_in=soon",
        "wrap_access_token=a&wrap_refresh_token=b&wrap_access_token_expires_in=-1",
    ],
)
def test_an_answer_that_is_no_grant_is_the_services_fault(body: str) -> None:
    with pytest.raises(ServiceError, match=r"^The response of tracker\.example to the sign-in is not a token"):
        parse_grant(body, "tracker.example")


def test_an_access_token_is_a_list_of_pairs_with_its_signature_last() -> None:
    pairs = parse_qsl(sign(CLAIMS, KEY))

    assert [name for name, _ in pairs] == [
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name",
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/privatepersonalidentifier",
        "http://schemas.microsoft.com/accesscontrolservice/2010/07/claims/identityprovider",
        "TokenId",
        "Issuer",
        "Audience",
        "ExpiresOn",
        "HMACSHA256",
    ]
    assert dict(pairs)["ExpiresOn"] == "1700003600"


@given(texts, texts, st.binary(min_size=1, max_size=40))
def test_a_signed_token_gives_its_claims_back(name: str, email: str, key: bytes) -> None:
    claims = replace(CLAIMS, name=name, email=email)

    assert verify(sign(claims, key), [key], CLAIMS.audience, NOW) == claims


def test_keys_rotate_one_token_outlives_its_key_by_one() -> None:
    token = sign(CLAIMS, OLD_KEY)

    assert verify(token, [KEY, OLD_KEY], CLAIMS.audience, NOW) == CLAIMS
    with pytest.raises(Unauthorized, match="not issued by this service"):
        verify(token, [KEY], CLAIMS.audience, NOW)


def test_a_token_is_good_up_to_its_last_second() -> None:
    token = sign(CLAIMS, KEY)

    assert verify(token, [KEY], CLAIMS.audience, CLAIMS.expires_on - 0.001) == CLAIMS
    with pytest.raises(Unauthorized, match="expired"):
        verify(token, [KEY], CLAIMS.audience, CLAIMS.expires_on)


def test_a_token_for_another_service_is_refused() -> None:
    with pytest.raises(Unauthorized, match="another service"):
        verify(sign(CLAIMS, KEY), [KEY], "uri:other", NOW)


@given(st.integers(0), st.characters(codec="ascii"))
def test_a_token_changed_anywhere_is_refused(place: int, character: str) -> None:
    token = sign(CLAIMS, KEY)
    at = place % len(token)
    changed = token[:at] + character + token[at + 1 :]
    if unquote(changed) == unquote(token):
        return  # %3d and %3D are the same

    with pytest.raises(Unauthorized):
        verify(changed, [KEY], CLAIMS.audience, NOW)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "&HMACSHA256=",
        "HMACSHA256=abc",
        "Audience=uri%3Abacklit&HMACSHA256=",
        sign(CLAIMS, STRANGE_KEY),
        sign(CLAIMS, KEY).partition("&HMACSHA256=")[0],
        sign(CLAIMS, KEY) + "&ExpiresOn=9999999999",
        sign(CLAIMS, KEY) + "é",
    ],
)
def test_a_token_that_nobody_signed_is_refused(token: str) -> None:
    with pytest.raises(Unauthorized):
        verify(token, [KEY, OLD_KEY], CLAIMS.audience, NOW)


def test_a_signed_token_without_a_claim_is_refused() -> None:
    text = "Audience=uri%3Abacklit"
    signature = quote(b64encode(hmac.digest(KEY, text.encode(), "sha256")), safe="")

    with pytest.raises(Unauthorized, match="lacks a claim"):
        verify(f"{text}&HMACSHA256={signature}", [KEY], CLAIMS.audience, NOW)


def test_signatures_are_compared_in_constant_time_with_every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []
    real = hmac.compare_digest

    def recording(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", recording)
    verify(sign(CLAIMS, KEY), [KEY, OLD_KEY], CLAIMS.audience, NOW)

    assert len(compared) == 2


@given(texts)
def test_the_header_escapes_the_token_once(token: str) -> None:
    header = authorization_header(token)

    assert header.startswith("WRAP access_token=")
    assert unquote(header.removeprefix("WRAP access_token=")) == token


@pytest.mark.parametrize(
    "header",
    [
        authorization_header(sign(CLAIMS, KEY)),
        f"WRAP access_token={sign(CLAIMS, KEY)}",
        f'WRAP access_token="{sign(CLAIMS, KEY)}"',
        f'wrap  access_token = "{quote(sign(CLAIMS, KEY), safe="")}"  ',
    ],
    ids=["escaped", "raw", "raw in quotes", "escaped in quotes"],
)
def test_a_token_is_among_the_readings_however_it_was_sent(header: str) -> None:
    assert sign(CLAIMS, KEY) in tokens_in_header(header)


def test_the_reading_as_it_stands_comes_first() -> None:
    assert tokens_in_header("WRAP access_token=a%2541") == ("a%2541", "a%41")
    assert tokens_in_header("WRAP access_token=plain") == ("plain",)


@pytest.mark.parametrize(
    "header",
    ["", "WRAP", "WRAP access_token=", 'WRAP access_token=""', "Bearer abc", "Basic access_token=x", "WRAP x"],
)
def test_a_header_without_a_token_has_no_readings(header: str) -> None:
    assert tokens_in_header(header) == ()
