"""Readers of `preset` and of the values of `[keys]`."""

import json
from collections.abc import Mapping

from backlit.config.schema.documents import as_list, fault, must
from backlit.model.errors import BadRequest
from backlit.model.settings.key_sequences import KeyChange, KeyPreset, read_keys


def read_preset(value: object) -> KeyPreset:
    if value not in set(KeyPreset):
        must(f"must be one of {', '.join(f'{json.dumps(each)}' for each in KeyPreset)}")
    return KeyPreset(str(value))


def read_key_change(value: object) -> KeyChange:
    """Read a sequence, a list of them, or false; those that begin with a plus come beside the usual ones."""
    if isinstance(value, Mapping):
        raise fault('Write the id of a command in quotes, such as "item.status" = "s".', is_about_key=True)
    texts = [] if value is False else as_list(value)
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        must('must be a sequence such as "c s", a list of them, or false')
    added = [each[1:] for each in texts if len(each) > 1 and each[0] == "+" and each[1] != " "]
    plain_ones = [each for each in texts if each[1:] not in added or each[:1] != "+"]
    try:
        return KeyChange(tuple(map(read_keys, [*plain_ones, *added])), bool(added) and not plain_ones)
    except BadRequest as error:
        raise fault(error.message) from error
