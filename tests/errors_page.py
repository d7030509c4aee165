"""The page of error sentences, made from the places that raise them; `python -m tests.errors_page` writes it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from backlit.model import errors
from backlit.model.errors import EXIT_BY_ERROR, EXIT_MEANINGS, BacklitError

SOURCE = Path(__file__).resolve().parents[1] / "src" / "backlit"
PAGE = SOURCE.parents[1] / "docs" / "errors.md"
HEAD = """<!-- Written by python -m tests.errors_page from the program's source; a test compares them. -->

# Errors

An error of backlit is a sentence that says what happened, and mostly a second one that says what to do. A command
writes it to standard error and ends with an exit code; the screens show it. Below are all sentences, by exit code
and in the order of the alphabet. `…` stands for a name or a number. What to do where no second sentence says it
stands at the head of each part.

"""
WAYS_OUT = {
    1: "Look at the path or the server that the sentence names; `backlit doctor` checks both.",
    2: "Correct the command line: `backlit help COMMAND` has its words, `backlit help columns` the names of fields.",
    3: "Sign in: `backlit login URL`. On this machine alone: `backlit --profile local`.",
    4: "Look the name up: `backlit items list`, `iterations list`, `users list`, `views list` and so on.",
    5: "Nothing is lost: a change waits in the outbox until the next sync. `backlit doctor` checks the connection.",
    6: "Correct the value, or ask for the right: `backlit projects list` names your role.",
    7: "Decide whose value holds: `backlit outbox list --conflict`, then `outbox resolve N --mine` or `--theirs`.",
    8: "Standard error lists what was not done. Correct that, and run the command for it again.",
}
"""What to do for all sentences with an exit code."""


def sentences() -> dict[int, set[tuple[str, str]]]:
    """Return the sentences by exit code, each as what happened and what to do."""
    kinds = {
        name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, BacklitError)
    }
    found: dict[int, set[tuple[str, str]]] = {code: set() for code in WAYS_OUT}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds and node.args:
                kind = kinds[node.func.id]
                code = next((EXIT_BY_ERROR[each] for each in kind.__mro__ if each in EXIT_BY_ERROR), 1)
                found[code] |= {_parted(text) for text in _texts(node.args[0]) if re.search(r"\w\w+ \w", text)}
    return found


def _texts(node: ast.expr) -> Iterator[str]:
    """Yield the texts of an expression, with … for what is put in."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts)
        case ast.IfExp(body=one, orelse=other):
            yield from (*_texts(one), *_texts(other))
        case ast.BinOp(left=one, right=other):
            yield "".join(next(_texts(side), "…") for side in (one, other))


def _parted(text: str) -> tuple[str, str]:
    """Return the first sentence and the rest."""
    first, end, rest = re.sub(r"…{2,}", "…", text).partition(". ")
    return (f"{first}." if end else first), rest


def page() -> str:
    return HEAD + "\n".join(line for code, found in sentences().items() for line in _section(code, found))


def _section(code: int, found: set[tuple[str, str]]) -> Iterator[str]:
    yield from (
        f"## Exit code {code}",
        "",
        f"{EXIT_MEANINGS[code][:1].upper()}{EXIT_MEANINGS[code][1:]}. {WAYS_OUT[code]}",
        "",
    )
    yield from ("| what happened | what to do |", "|---|---|")
    yield from (f"| {_escaped(first)} | {_escaped(rest)} |" for first, rest in sorted(found))
    yield ""


def _escaped(text: str) -> str:
    return re.sub(r"([|*_<>`\\])", r"\\\1", " ".join(text.split()))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
