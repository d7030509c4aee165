"""The words of a command line: options on both sides of the command, and what was probably meant."""

import pytest
from tests.cli.home import DEMO, Home

from backlit.cli.arguments import parser
from backlit.model.errors import EXIT_MEANINGS


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("--query q items list", "items list --query q"),
        ("--profile p items list", "items list --profile p"),
        ("--offline --limit 3 items list --sort est", "items list --sort est --offline --limit 3"),
        ("--dry-run --yes items done 12", "items done 12 --dry-run --yes"),
        ("--wait=3 items set 12 est=5", "items set 12 est=5 --wait 3"),
        ("--quiet --ascii plan export", "plan export --ascii --quiet"),
        ("--prof p items list", "items list --profile p"),
    ],
)
def test_an_option_may_stand_before_the_command(before: str, behind: str) -> None:
    assert vars(parser().parse_args(before.split())) == vars(parser().parse_args(behind.split()))


def test_of_an_option_on_both_sides_the_later_one_wins() -> None:
    read = parser().parse_args(["--profile", "a", "--query", "b", "items", "list", "--profile", "c", "--query", "d"])

    assert (read.profile, read.query) == ("c", "d")


def test_words_behind_options_belong_to_the_words_before_them() -> None:
    read = parser().parse_args(["items", "set", "--dry-run", "12", "est=5", "--if", "status=Done", "13", "est-=1"])

    assert read.words == ["12", "est=5", "13", "est-=1"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("item list", "backlit: error: unknown command 'item'. Did you mean: backlit items\n"),
        ("sprints", "backlit: error: unknown command 'sprints'."),
        ("items lst", "backlit items: error: unknown command 'lst'. Did you mean: backlit items list\n"),
        ("items list --querry x", "error: unrecognized arguments: --querry x. Did you mean --query?\n"),
        ("--dry-run whoami", "backlit whoami: error: unrecognized arguments: --dry-run"),
        ("items list --json id,name", "unexpected 'id,name'. To choose fields write --json=id,name"),
        ("items list --json --csv", "not allowed with argument --json"),
        ("items set 12 est=5 --wait soon", "'soon' is not a number of seconds"),
        ("items set 12 est=5 --wait nan", "'nan' is not a number of seconds"),
        ("items show x", "'x' is not an item number"),
        ("items show new-", "'new-' is not an item number"),
        ("admin usrs list", "backlit admin: error: unknown command 'usrs'. Did you mean: backlit admin users\n"),
        ("0", "'0' is not an item number"),
    ],
)
def test_a_wrong_word_is_named_with_what_was_meant(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(words.split())

    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("items", "list", "--columns", "id,nme"), 2, "There is no field “nme”. Did you mean “name”?"),
        (("items", "list", "--json=owner,staus"), 2, "There is no field “staus”. Did you mean “status”?"),
        (("items", "list", "--query", "ownr:me"), 2, 'unknown key "ownr": did you mean owner?'),
        (("items", "list", "--sort", "chnged"), 2, "There is no field 'chnged'."),
        (("items", "list", "--view", "mien"), 4, "There is no view “mien”."),
        (("items", "list", "--project", "Auror"), 4, "There is no single project 'Auror'."),
        (("plan", "export", "Sprint 141"), 4, "Unknown iteration “Sprint 141”. Did you mean “Sprint 14”?"),
        (("items", "assign", "19", "mya"), 4, "Unknown user “mya”. Did you mean “maya”?"),
        (("items", "move", "19", "--area", "Serch"), 4, "There is no area “Serch”. Did you mean “Search”?"),
        (("items", "set", "19", "staus=Done"), 2, "There is no field “staus”. Did you mean “status”?"),
        (("items", "new", "Name", "--type", "Storry"), 2, "There is no type “Storry”. Did you mean “Story”?"),
        (("help", "exit-code"), 4, "There is no help on “exit-code”. Did you mean “exit-codes”?"),
    ],
)
def test_an_unknown_name_is_named_with_its_nearest(
    demo_home: Home, words: tuple[str, ...], status: int, sentence: str
) -> None:
    offline = () if words[0] == "help" else ("--offline",)

    done = demo_home.run(*DEMO, *offline, *words)

    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert sentence in done.stderr


def test_help_explains_the_exit_codes(home: Home) -> None:
    done = home.run("help", "exit-codes")

    assert [int(line.split()[0]) for line in done.stdout.splitlines()] == list(EXIT_MEANINGS)
    assert done.returncode == 0


@pytest.mark.parametrize("words", [(), ("items",), ("items", "set"), ("columns",)])
def test_help_has_topics_and_commands(home: Home, words: tuple[str, ...]) -> None:
    done = home.run("help", *words)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
