"""Programs, times and aliases of `config.toml`, and what is said of their faults."""

import pytest
from tests.config.settings_text import settings_in

from backlit.config.settings import Settings


def test_programs_are_read_as_they_are_written() -> None:
    settings = settings_in('pager = "less -R"\neditor = "code --wait"\nopener = "xdg-open"\n')

    assert (settings.pager, settings.editor, settings.opener) == ("less -R", "code --wait", "xdg-open")


def test_the_times_of_commands_are_read_for_all_profiles_and_for_one() -> None:
    settings = settings_in('fresh = 300\nwait = 2.5\n[profile."local"]\nfresh = 0\nlow_bandwidth = true\n')

    assert (settings.fresh, settings.wait, settings.low_bandwidth) == (300.0, 2.5, None)
    assert settings.of_profile("local").fresh == 0.0
    assert settings.of_profile("local").low_bandwidth is True


@pytest.mark.parametrize(("written", "value"), [("true", True), ("false", False), ('"auto"', None)])
def test_low_bandwidth_is_read(written: str, value: bool | None) -> None:
    assert settings_in(f"low_bandwidth = {written}").low_bandwidth is value


def test_aliases_are_read() -> None:
    written = "items list --query '@me status:open'"

    assert settings_in(f'[alias]\nmine = "{written}"\n').aliases == {"mine": written}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('pager = ""', "must be the command line of a program"),
        ('editor = "code \'wait"', "must be the command line of a program"),
        ("opener = true", "must be the command line of a program"),
        ("fresh = -1", "must be a number of seconds, from 0 to 86,400"),
        ("wait = true", "must be a number of seconds, from 0 to 86,400"),
        ('wait = "10"', "must be a number of seconds, from 0 to 86,400"),
        ('low_bandwidth = "yes"', 'must be true, false or "auto"'),
    ],
)
def test_a_faulty_program_or_time_has_its_default_and_a_sentence(line: str, sentence: str) -> None:
    settings = settings_in(line)

    [problem] = settings.problems
    assert problem.startswith(f'The setting "{line.partition(" ")[0]}" {sentence}')
    assert settings == Settings(problems=settings.problems)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('mine = "items \'list"', "has a quote without its end"),
        ('mine = ""', "must begin with a command of backlit"),
        ('mine = "--query @me items list"', "must begin with a command of backlit"),
        ("mine = 3", "must be a text"),
        ('"1st" = "items list"', "must be letters, digits, _ and -"),
    ],
)
def test_a_faulty_alias_is_left_out_with_a_sentence(line: str, sentence: str) -> None:
    settings = settings_in(f"[alias]\n{line}\n")

    [problem] = settings.problems
    assert sentence in problem
    assert settings.aliases == {}
