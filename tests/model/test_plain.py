"""What may be shown or logged of a text that has secrets in it."""

import pytest

from backlit.model.plain import redacted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: WRAP access_token=abc%3D", "Authorization: …"),
        ("'authorization': 'WRAP access_token=\"abc\"'", "'authorization': '…\"abc\"'"),
        (
            "wrap_client_id=uri:x&wrap_username=maya&wrap_password=s3cret&x=1",
            "wrap_client_id=uri:x&wrap_username=…&wrap_password=…&x=1",
        ),
        ('{"wrap_refresh_token": "abc", "Name": "x"}', '{"wrap_refresh_token": "…", "Name": "x"}'),
        ("Cookie: .ASPXAUTH=abc; other", "Cookie: …; other"),
        ("Bad cookie .ASPXAUTH=abc.", "Bad cookie .ASPXAUTH=…"),
        ("The password is wrong.", "The password is wrong."),
        ("Name: The password page", "Name: The password page"),
    ],
)
def test_redaction_hides_the_value_after_a_secrets_name(text: str, shown: str) -> None:
    assert redacted(text) == shown
