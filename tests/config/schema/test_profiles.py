"""Settings of single profiles and of connections."""

# ruff: noqa: E501 - a sentence stands on one line

from tests.config.settings_text import problems_in, settings_in

TEXT = """\
theme = "paper"
read_only = true
[teams]
3 = "Payments"
[connection]
proxy = "http://proxy.example:3128"
ca = "/ca.pem"
[profile."maya@team.example"]
read_only = false
project = 7
[profile."maya@team.example".connection]
proxy = "socks5://other.example:1080"
"""


def test_a_profile_replaces_what_it_names_and_leaves_the_rest() -> None:
    settings = settings_in(TEXT)

    own, other = settings.of_profile("maya@team.example"), settings.of_profile("local")

    assert (own.theme, own.read_only, own.names.project_id, own.names.teams) == ("paper", False, 7, {3: "Payments"})
    assert (other.read_only, other.names.project_id) == (True, None)
    connection = settings.connection.under(settings.profiles["maya@team.example"].connection)
    assert (connection.proxy, connection.ca) == ("socks5://other.example:1080", "/ca.pem")


def test_every_fault_of_a_profile_and_a_connection_is_told_with_its_place() -> None:
    text = """\
[profile."local"]
read_only = "yes"
thme = "paper"
[connection]
fingerprint = "ab:cd"
insecure = true
key_password_command = "pass show"
"""
    assert problems_in(text) == (
        'The setting "read_only" of [profile.local] must be true or false (2:13). The default is used.',
        "Unknown setting 'thme' of [profile.local] (3:1). Did you mean 'theme'? It is ignored.",
        'The setting "fingerprint" of [connection] must be the SHA-256 of a public key, such as "sha256:" and 64 digits, as backlit login shows it (5:15). The default is used.',
        (
            "Unknown setting 'insecure' of [connection] (6:1). Choose from: ca, fingerprint, client_cert, client_key,"
            " key_password_command, proxy, no_proxy, connect_timeout, read_timeout. It is ignored."
        ),
        'The setting "key_password_command" of [connection] must be a list of words, such as ["pass", "show", "backlit"] (7:24). The default is used.',
    )
