"""Files with pictures."""

import io

from PIL import Image


def picture(colour: str = "#ff0000") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(file, "PNG")
    return file.getvalue()
