"""What `config.toml` says of the user's own programs, and of the time that commands take."""

import shlex

from backlit.config.schema.documents import must

MAX_SECONDS = 86_400.0


def read_program(value: object) -> str:
    """Return a command line as a shell splits it, which the name of a file is put behind."""
    try:
        words = shlex.split(value) if isinstance(value, str) else []
    except ValueError:
        words = []
    if not words:
        must('must be the command line of a program, such as "code --wait"')
    return str(value)


def read_seconds(value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= float(str(value)) <= MAX_SECONDS:
        must("must be a number of seconds, from 0 to 86,400")
    return float(str(value))
