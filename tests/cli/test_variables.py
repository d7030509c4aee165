"""Variables of the environment that stand for options."""

import pytest
from tests.cli.home import DEMO, Home

STORY = "19"


def test_a_change_is_kept_where_the_environment_says_offline(demo_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKLIT_OFFLINE", "1")

    done = demo_home.run(*DEMO, "items", "set", STORY, "est=8")

    assert done.returncode == 0
    assert done.stdout.split("\t")[-1].strip() == "queued"


def test_nothing_is_asked_of_a_service_where_the_environment_says_offline(
    demo_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKLIT_OFFLINE", "1")

    done = demo_home.run(*DEMO, "sync")

    assert done.returncode == 5
    assert "backlit stays offline, as BACKLIT_OFFLINE says" in done.stderr


@pytest.mark.parametrize("value", ["", "0"])
def test_another_value_of_the_variable_leaves_the_connection(
    demo_home: Home, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("BACKLIT_OFFLINE", value)

    assert demo_home.run(*DEMO, "items", "set", STORY, "est=8").stdout.split("\t")[-1].strip() == "saved"


def test_what_led_to_an_error_is_written_for_debugging(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKLIT_DEBUG", "0")  # the option sets it
    plain = home.run("items", "list")
    debugged = home.run("items", "list", "--debug")

    assert debugged.returncode == plain.returncode == 3
    assert "Traceback" not in plain.stderr
    assert "backlit.model.errors.SignInNeeded" in debugged.stderr
    assert debugged.stderr.endswith(plain.stderr)


@pytest.mark.slow
def test_debugging_writes_each_request(demo_home: Home) -> None:
    done = demo_home.run_apart(*DEMO, "sync", "--debug")

    assert done.returncode == 0
    assert "HTTP Request: GET http://backlit.local/api/v1/" in done.stderr
    assert "HTTP Request" not in done.stdout
