"""A file with the options of `backlit serve`, which `backlit admin` reads too: its keys are the options' names."""

from argparse import Action, ArgumentTypeError
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

OPTION = "--config"
_NO_KEYS = {"-h", "--help", OPTION}


def config_in(words: Sequence[str]) -> str:
    """Return the file that `--config` names, the last one of several; empty without one."""
    found = ""
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        if word == OPTION:
            found = following
        elif word.startswith(f"{OPTION}="):
            found = word.removeprefix(f"{OPTION}=")
    return found


def words_of_config(path: str, own: Mapping[str, Action], served: Mapping[str, Action]) -> Sequence[str]:
    """Return the options in a file as a command line has them; raise ArgumentTypeError with a sentence.

    `served` are the options of the server, of which a command takes its own ones.
    """
    import tomllib

    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ArgumentTypeError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ArgumentTypeError(f"{path} is no TOML: {error}") from None
    words: list[str] = []
    for key, value in values.items():
        option = f"--{key}"
        if option not in served or option in _NO_KEYS:
            from backlit.model.nearest import did_you_mean

            near = did_you_mean(key, [each.removeprefix("--") for each in served if each not in _NO_KEYS])
            raise ArgumentTypeError(f"{path}: there is no option “{key[:60]}”.{near}")
        words += _words(path, option, value, is_flag=served[option].nargs == 0) if option in own else ()
    return words


def _words(path: str, option: str, value: object, *, is_flag: bool) -> Iterator[str]:
    key = option.removeprefix("--")
    if is_flag:
        if not isinstance(value, bool):
            raise ArgumentTypeError(f"{path}: {key} is true or false")
        yield from [option] * value
        return
    values = value if isinstance(value, list) else [value]
    if any(isinstance(each, bool | list | dict) for each in values):
        raise ArgumentTypeError(f"{path}: {key} is a text or a number")
    yield from (f"{option}={each}" for each in values)
