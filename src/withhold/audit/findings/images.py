"""What has a name in images: one picture for all, parts blanked out, a pixel that gives the attribute away."""

from dataclasses import replace

import pyarrow as pa

from withhold.audit.findings.constant import CONSTANT
from withhold.audit.findings.determining import DETERMINES, REVEALS
from withhold.audit.findings.evidence import SIGNIFICANT, column_evidence
from withhold.audit.findings.finder import Code, Finder
from withhold.audit.statistics.arrays import Codes
from withhold.audit.view.pixels import channels_first, constant_pixels, pixel_count, telling_pixels
from withhold.contracts.finding import Finding
from withhold.contracts.images import image_array, image_names
from withhold.contracts.wording import listed, percent

EMPTIED = Code("pixels_emptied", ("info",), "None, where these pixels were meant to go.")
DETERMINE = Code("pixel_determines_s", ("critical",), "Cover these pixels, or withhold more.")
REVEAL = Code("pixel_reveals_s", ("warning",), "Cover these pixels, or withhold more.")


def blank_images(release: pa.Table, original: pa.Table | None) -> list[Finding]:
    """Say where all images of the release are the same, and how many pixels have lost what they showed.

    Examples
    --------
    >>> import numpy as np
    >>> from withhold.contracts.images import image_column
    >>> blank_images(pa.table({"image": image_column(np.zeros((9, 2, 2), np.uint8))}), None)[0].text
    "All images in 'image' are the same."
    """
    out = []
    for name in image_names(release):
        still = constant_pixels(channels_first(image_array(release.column(name))))
        if still.all():
            out.append(CONSTANT.found(f"All images in '{name}' are the same.", [name], "warning"))
            continue
        if original is None or name not in image_names(original):
            continue
        before = constant_pixels(channels_first(image_array(original.column(name))))
        if before.shape != still.shape:
            continue
        lost = int((still & ~before).sum())
        if lost:
            text = f"{lost:,} of {still.size:,} pixels of '{name}' are the same in every image of the release; "
            out.append(EMPTIED.found(f"{text}in the original they vary.", [name]))
    return out


def single_pixels(name: str, release: pa.Table, s: Codes, folds: Codes) -> list[Finding]:
    """Name the pixels from which the attribute can be read alone.

    Parameters
    ----------
    name : str
        The sensitive attribute.
    s, folds : ndarray of int, shape (n,)
        Class and fold of each row.

    Examples
    --------
    >>> import numpy as np
    >>> from withhold.contracts.images import image_column
    >>> s, images = np.arange(200) % 2, np.random.default_rng(0).integers(0, 9, (200, 4, 4)).astype(np.uint8)
    >>> images[:, 1, 2] = 7 * s
    >>> single_pixels("sex", pa.table({"image": image_column(images)}), s, np.arange(200) // 2 % 5)[0].text
    "Single pixels determine sex: 'image[row 1, column 2]' (99 % of its entropy)."
    """
    pixels = pixel_count(release)
    found = {}
    for reading in telling_pixels(release, s):
        evidence = column_evidence(reading, s, folds)
        # Whoever looks at all pixels and shows the best must pay for all of them.
        evidence = replace(evidence, p_value=min(1.0, evidence.p_value * pixels))
        if evidence.p_value <= SIGNIFICANT and evidence.share >= REVEALS:
            found[reading.name] = evidence.share
    best = sorted(found, key=lambda pixel: -found[pixel])
    if not best:
        return []
    certain = found[best[0]] >= DETERMINES
    if certain:
        best = [pixel for pixel in best if found[pixel] >= DETERMINES]
    text = f"Single pixels {'determine' if certain else 'reveal part of'} {name}: "
    text += f"{listed(best)} ({'' if len(best) == 1 else 'up to '}{percent(found[best[0]])} of its entropy)."
    if certain:
        return [DETERMINE.found(text, best)]
    return [REVEAL.found(text, best)]


BLANK = Finder((CONSTANT, EMPTIED), lambda scene: blank_images(scene.rows.release, scene.rows.original), place=30)
TELLING = Finder.of_each(
    (DETERMINE, REVEAL),
    lambda scene, asked: single_pixels(asked.name, scene.rows.release, asked.s, scene.rows.folds),
    place=41,
)
