"""HTML forms, as browsers and programs of all ages send them."""

from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.requests import Request

from backlit.model.errors import BadRequest, UnsupportedMedia

FIELD_LIMIT = 4096
FIELDS = 20
FORM_LIMIT = 256 * 1024
"""Bytes of a form: nobody is signed in yet who sends one."""
_FORM_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})


async def read_form(request: Request) -> dict[str, str]:
    """Read a form's fields, url-encoded (also without a type) or multipart; raises BadRequest or UnsupportedMedia."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not kind:
        values = _parsed(await request.body())
    elif kind in _FORM_TYPES:
        async with request.form(max_files=0, max_fields=FIELDS, max_part_size=FIELD_LIMIT) as form:
            values = {name: value for name, value in form.items() if not isinstance(value, UploadFile)}
    else:
        raise UnsupportedMedia("Send a form: application/x-www-form-urlencoded or multipart/form-data.")
    if any(len(value) > FIELD_LIMIT for value in values.values()):
        raise BadRequest("A field of the form is too long.")
    if not all(_is_text(value) for value in values.values()):
        raise BadRequest("A field of the form is not text.")
    return values


def _parsed(body: bytes) -> dict[str, str]:
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS))
    except ValueError:
        raise BadRequest("The body is not a form.") from None


def _is_text(value: str) -> bool:
    """Return True for storable text, without NUL or half surrogate pairs."""
    return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
