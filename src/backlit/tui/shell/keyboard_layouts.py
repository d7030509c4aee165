"""Keyboards that are not Latin: the key of a US keyboard that stands where a letter does.

Terminals send the letter and not the place of its key. Letters of these scripts are no keys of commands, so that they
can stand for their places; signs such as a dot are on several keyboards, and stay what they are.
"""

from collections.abc import Mapping

_LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,."
_LATIN_SHIFTED = 'QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>'
_ROWS = (
    ("йцукенгшщзхъфывапролджэячсмитьбю", "ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ"),  # Russian
    ("     нгшщзхїфівапролджєячсмитьбю", "     НГШЩЗХЇФІВАПРОЛДЖЄЯЧСМИТЬБЮ"),  # Ukrainian
    ("        ў", "        Ў"),  # Belarusian
    (" ςερτυθιοπ  ασδφγηξκλ  ζχψωβνμ  ", "  ΕΡΤΥΘΙΟΠ  ΑΣΔΦΓΗΞΚΛ  ΖΧΨΩΒΝΜ  "),  # Greek
    ("  קראטוןםפ  שדגכעיחלך  זסבהנמצ  ", ""),  # Hebrew, without capitals
)
LATIN_KEYS: Mapping[str, str] = {
    letter: key
    for small, shifted in reversed(_ROWS)
    for letters, keys in ((small, _LATIN), (shifted, _LATIN_SHIFTED))
    for letter, key in zip(letters, keys, strict=False)
    if letter != " "
}
