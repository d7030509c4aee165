"""JSON of a file, refused with its place where it is broken."""

import json
import re

from backlit.model.errors import BadRequest

MAX_DEPTH = 200
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def read_json(text: str) -> object:
    """Return the value of a JSON text; raises BadRequest with line and column for a broken one."""
    depth = 0
    for token in _TOKENS.finditer(text):
        depth += (token[0] in "[{") - (token[0] in "]}") if len(token[0]) == 1 else 0
        if depth > MAX_DEPTH:
            raise BadRequest(f"The JSON is nested over {MAX_DEPTH} levels. No tracker writes such a file.")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        is_early = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        what = "The file ends early." if is_early else f"The file is not valid JSON: {error.msg}."
        raise BadRequest(f"Line {error.lineno}, column {error.colno}: {what}") from None
    except ValueError as error:
        raise BadRequest(f"The file is not valid JSON: {error}.") from None


def line_of_each(text: str) -> list[int]:
    """Return the lines on which the elements of a JSON list begin."""
    lines, depth, line, at = [], 0, 1, 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', text):
        if depth == 1 and token[0] in "{[":
            line += text.count("\n", at, token.start())
            at = token.start()
            lines.append(line)
        if len(token[0]) == 1:
            depth += (token[0] in "[{") - (token[0] in "]}")
    return lines
