"""What a command needs of the machine, and sentences for what the machine refuses."""

import errno
import os
import resource
from collections.abc import Mapping

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from backlit.model.errors import BacklitError

LEAST_FILES = 64
"""Open files that a start may need: a screen has some 40 with a workspace of its own, and more for attachments."""
_REFUSALS: Mapping[int, str] = {
    errno.EMFILE: "Too many files are open. Raise the limit of this shell: ulimit -n 1024",
    errno.ENFILE: "Too many files are open on this machine. End other programs and try again.",
    errno.ENOSPC: "No space is left{place}. Free some and try again.",
    errno.EDQUOT: "Your quota of space is used up{place}. Free some and try again.",
    errno.EROFS: "The file system is read-only{place}.",
    errno.EACCES: "Permission denied{place}.",
    errno.EPERM: "Permission denied{place}.",
    errno.EIO: "The disk reports an error{place}. Check it, and have a copy of your data.",
    errno.ENOMEM: "This machine has too little free memory. End other programs and try again.",
}


def check_machine() -> None:
    try:
        os.getcwd()
    except FileNotFoundError:
        raise _failure("The current directory no longer exists. Change to another one: cd") from None
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _is_enough(allowed):
        return
    if not _is_enough(most):
        raise _failure(
            f"This shell allows {most} open files, and backlit needs {LEAST_FILES}. Raise the limit: ulimit -n 1024"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (LEAST_FILES, most))


def _is_enough(files: int) -> bool:
    return files == resource.RLIM_INFINITY or files >= LEAST_FILES


def refusal_of(error: OSError) -> "BacklitError | None":
    """Return the sentence of what the machine refused; None for an error that shows a fault of the program."""
    from backlit.model.plain import plain

    words = _REFUSALS.get(error.errno or 0)
    if words is None:
        return None
    return _failure(words.format(place=f": {plain(str(error.filename), 200)}" if error.filename else ""))


def _failure(sentence: str) -> "BacklitError":
    """Return an error; its import would delay the first rows of every start."""
    from backlit.model.errors import BacklitError

    return BacklitError(sentence)
