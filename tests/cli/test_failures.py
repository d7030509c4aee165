"""Failures for programs: with --json one object on standard error, and nothing on standard output."""

import pytest
from tests.cli.home import Home

from backlit.cli.documents.machine import FailureDocument


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (("items", "list", "--json"), "sign-in-needed", 3),
        (("--profile", "nobody", "items", "list", "--ndjson"), "name-not-found", 4),
        (("schema", "itm", "--json"), "name-not-found", 4),
        (("items", "lst", "--json"), "usage-fault", 2),
        (("items", "list", "--json=id,name", "--limt", "3"), "usage-fault", 2),
        (("items", "show", "--json"), "usage-fault", 2),
    ],
)
def test_a_failure_is_one_object(home: Home, words: tuple[str, ...], code: str, status: int) -> None:
    done = home.run(*words)

    found = FailureDocument.model_validate_json(done.stderr).error
    assert (done.returncode, done.stdout) == (status, "")
    assert (found.code, found.exit) == (code, status)
    assert found.message


def test_without_json_a_failure_is_a_sentence(home: Home) -> None:
    done = home.run("items", "list", "--", "--json")

    assert done.stderr.startswith(("backlit: ", "usage: "))
