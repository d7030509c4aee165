"""How a command says that it failed: a sentence for people, an object for programs that asked for JSON."""

import sys
from collections.abc import Mapping, Sequence

JSON_OPTIONS = ("--json", "--ndjson")


def wants_json(words: Sequence[str]) -> bool:
    """Return whether the words of a command ask for JSON."""
    options = words[: words.index("--")] if "--" in words else words
    return any(each.partition("=")[0] in JSON_OPTIONS for each in options)


def write_failure(name: str, exit_code: int, message: str, fields: Mapping[str, str] | None = None) -> None:
    """Write a failure to standard error as one line of JSON; `name` is the class of the error."""
    import json

    from backlit.model.plain import plain

    code = "".join(f"-{each.lower()}" if each.isupper() else each for each in name).lstrip("-")
    failure = {"code": code, "exit": exit_code, "message": "\n".join(map(plain, message.split("\n")))}
    told = {plain(field): plain(text) for field, text in (fields or {}).items()}
    # A character that the locale lacks is written as standard error does, by \\uXXXX, which JSON reads.
    print(json.dumps({"error": failure | {"fields": told}}, ensure_ascii=False), file=sys.stderr)
