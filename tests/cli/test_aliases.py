"""Names of the user for the beginnings of command lines."""

from tests.cli.home import DEMO, Home

FILE = """
[alias]
mine = "items list --query 'status:open'"
items = "outbox list"
loop = "loop"
"""


def configured(home: Home) -> Home:
    config = home.path / "config" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(FILE)
    return home


def test_an_alias_stands_for_its_words_between_options(demo_home: Home) -> None:
    configured(demo_home)

    short = demo_home.run(*DEMO, "--offline", "mine", "--limit", "3", "--columns", "id")
    whole = demo_home.run(
        *DEMO, "--offline", "items", "list", "--query", "status:open", "--limit", "3", "--columns", "id"
    )

    assert (short.returncode, short.stdout) == (0, whole.stdout)
    assert len(short.stdout.split()) == 3


def test_a_command_comes_before_an_alias_of_its_name(demo_home: Home) -> None:
    assert demo_home.run(*DEMO, "--offline", "items", "list", "--limit", "1").stdout
    assert configured(demo_home).run(*DEMO, "--offline", "items", "list", "--limit", "1").stdout


def test_an_unknown_command_is_said_with_the_alias_that_is_near(home: Home) -> None:
    done = configured(home).run("mien")

    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown command 'mien'. Did you mean: backlit mine" in done.stderr


def test_an_alias_never_stands_for_an_alias(home: Home) -> None:
    done = configured(home).run("loop")

    assert done.returncode == 2
    assert "unknown command 'loop'" in done.stderr
