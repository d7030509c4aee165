"""Rendering the pages that people see in a browser; they need no script."""

import base64
import hashlib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

_FOLDER = Path(__file__).parent


def page(template: str, status: int = 200, **values: object) -> HTMLResponse:
    """Render a template; every value is escaped, and the page may load nothing but its own style."""
    text = _environment().get_template(f"{template}.html").render(values)
    headers = {
        "content-security-policy": _policy(),
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
    }
    return HTMLResponse(text, status, headers)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["style"] = Markup(_style())  # noqa: S704  our own file
    return environment


@cache
def _style() -> str:
    return (_FOLDER / "page.css").read_text(encoding="utf-8")


@cache
def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
