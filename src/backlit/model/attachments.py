"""Attachments of work items and comments."""

from backlit.model.resources import INTERNAL, Resource, Text

_UNITS = ("B", "KB", "MB", "GB", "TB")


class Attachment(Resource):
    """An attached file; its contents are behind `url` and `download_url`."""

    id: int
    project_id: int
    work_item_id: int
    comment_id: int | None = None
    name: str
    description: str | None = None
    size: int | None = None
    friendly_size: Text = ""
    url: Text = ""
    download_url: Text = ""
    type: str | None = INTERNAL


def friendly_size_of(size: int) -> str:
    """Write a size in bytes for people, with two decimals and a unit of 1024: `1.50 KB`."""
    amount = float(size)
    for unit in _UNITS[:-1]:
        if round(amount, 2) < 1024:
            return f"{amount:.2f} {unit}"
        amount /= 1024
    return f"{amount:.2f} {_UNITS[-1]}"
