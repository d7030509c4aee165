"""Questions that commands ask on a terminal, and the options that answer them without one."""

from collections.abc import Iterable

from backlit.cli.terminal_input import read_line
from backlit.model.amounts import estimates_without_points, without_points_sentence
from backlit.model.errors import AnswerNeeded, BadRequest
from backlit.model.plain import plain


def agrees(question: str) -> bool:
    return read_line(f"{question} [y/N] ").strip().lower() in {"y", "yes"}


def confirm_estimates(estimates: Iterable[object], *, can_answer: bool) -> None:
    """Ask before estimates that are no number are written, as the screens do.

    Raises BadRequest for a no, AnswerNeeded where it cannot ask.
    """
    odd = estimates_without_points(estimates)
    if not odd:
        return
    sentence = plain(without_points_sentence(odd))
    them = "it" if len(odd) == 1 else "them"
    if not can_answer:
        raise AnswerNeeded(f"{sentence} To keep {them}, add --keep-estimates. No changes were made.")
    if not agrees(f"{sentence} Keep {them}?"):
        raise BadRequest("Cancelled: no changes were made.")
