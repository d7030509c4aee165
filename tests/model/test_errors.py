"""The exit codes of errors."""

import pytest

from backlit.model import errors
from backlit.model.errors import EXIT_BY_ERROR, EXIT_MEANINGS, BacklitError, exit_code_of

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, BacklitError)]
OTHERS = {"BacklitError", "ServiceRefused", "TransientError", "ServiceError", "StorageFull", "StorageError"}
"""Errors that end with 1, as any other failure."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_has_an_exit_code_that_help_explains(kind: type[BacklitError]) -> None:
    error = kind("own", "other") if kind is errors.OtherOrigin else kind("What happened.")

    assert exit_code_of(error) in EXIT_MEANINGS
    assert (exit_code_of(error) == 1) == (kind.__name__ in OTHERS)


def test_an_error_below_another_may_have_a_code_of_its_own() -> None:
    assert issubclass(errors.NameNotFound, errors.BadRequest)
    assert EXIT_BY_ERROR[errors.NameNotFound] != EXIT_BY_ERROR[errors.BadRequest]
    assert exit_code_of(errors.NameNotFound("It is not there.")) == EXIT_BY_ERROR[errors.NameNotFound]
