"""The names and words of `[alias]` in `config.toml`."""

import re
import shlex
from typing import Annotated

from pydantic import AfterValidator

from backlit.config.schema.documents import must


def _check_name(name: str) -> str:
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_-]{0,39}", name):
        must("must be letters, digits, _ and -, such as mine = \"items list --query '@me'\"")
    return name


def _check_words(words: str) -> str:
    try:
        found = shlex.split(words)
    except ValueError:
        must("has a quote without its end")
    if not found or found[0].startswith("-"):
        must("must begin with a command of backlit, such as \"items list --query '@me'\"")
    return words


AliasName = Annotated[str, AfterValidator(_check_name)]
AliasWords = Annotated[str, AfterValidator(_check_words)]
