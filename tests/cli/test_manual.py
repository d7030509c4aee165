"""Pages and topics of `backlit help`, and the manual page."""

import pytest
from tests.cli import manual_reference
from tests.cli.home import Home
from tests.terminal import terminal

from backlit.cli import pages


@pytest.mark.slow
def test_the_manual_page_is_the_grammar(home: Home) -> None:
    written = manual_reference.PAGE.read_text(encoding="utf-8")

    assert written == manual_reference.page(), "run python -m tests.cli.manual_reference"
    assert home.run("help", "--man").stdout == written


@pytest.mark.parametrize(
    ("topic", "title"),
    [("query", "# "), ("linear", "# Reading"), ("environment", "# Configuration"), ("plan", "# Planning")],
)
def test_help_shows_the_pages_of_the_documentation(home: Home, topic: str, title: str) -> None:
    done = home.run("help", topic)

    assert (done.returncode, done.stderr) == (0, "")
    assert title in done.stdout
    assert "<!--" not in done.stdout


def test_help_without_a_topic_lists_the_pages(home: Home) -> None:
    listed = home.run("help").stdout

    assert all(f" {name}" in listed for name in pages.names())


def test_a_topic_that_is_nearly_a_page_is_suggested(home: Home) -> None:
    done = home.run("help", "qery")

    assert (done.returncode, done.stdout) == (4, "")
    assert "Did you mean “query”?" in done.stderr


@pytest.mark.slow
def test_a_long_page_goes_through_the_pager_of_the_user(home: Home) -> None:
    with terminal(["help", "query"], home.environment | {"PAGER": "sed -n '1s/^/paged: /p'"}) as shown:
        shown.wait_for("paged: ")
