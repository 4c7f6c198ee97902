"""Single images as PNG text that fits into a record or a page."""

import base64
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def png_text(image: NDArray[Any], low: float = 0.0, high: float = 255.0) -> str:
    """Return an image as a PNG in base64: `low` becomes black and `high` white.

    Parameters
    ----------
    image : ndarray of shape (h, w) or (h, w, c)
        One, three or four channels are shown as they are; of any other number the mean.
    low, high : float
        Ends of the scale.

    Examples
    --------
    >>> base64.b64decode(png_text(np.zeros((4, 4))))[1:4]
    b'PNG'
    """
    pixels = np.asarray(image, dtype=np.float64)
    if pixels.ndim == 3 and pixels.shape[2] not in (3, 4):
        pixels = pixels.mean(axis=2)
    scaled = np.clip((pixels - low) / max(high - low, np.finfo(np.float64).tiny), 0, 1)
    buffer = BytesIO()
    Image.fromarray(np.rint(255 * scaled).astype(np.uint8)).save(buffer, format="PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode("ascii")
