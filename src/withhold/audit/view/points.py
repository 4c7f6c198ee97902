"""Two points in a row, such as home and work, birth and death on a map: how far apart, and in which direction."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from withhold.audit.view.features import Column
from withhold.audit.view.reading import Reading
from withhold.audit.view.relations import known_numbers, scaled

# What a name is made of, and the points that are compared, each with each.
PIECE, MOST_POINTS = re.compile(r"[^\W\d_]+|\d+"), 4


def point_columns(readings: Sequence[Reading]) -> Iterator[Column]:
    """Yield distance and direction between points whose coordinates are named alike: home_lat, home_lon; x1, y1.

    Parameters
    ----------
    readings : sequence of Reading
        The numbers of a release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> x = np.random.default_rng(0).normal(size=(4, 60))
    >>> names = ["home_lat", "home_lon", "work_lat", "work_lon"]
    >>> [name for name, _ in point_columns(list(read_columns(pa.table(dict(zip(names, x))))))][:2]
    ['distance from home to work', 'direction from home to work']
    """
    pieces = {one.name: PIECE.findall(one.name) for one in readings}
    for end in (-1, 0):  # the name of the axis stands last, or first
        points: dict[str, dict[str, Reading]] = defaultdict(dict)
        for one in readings:
            if len(pieces[one.name]) > 1:
                axis, rest = pieces[one.name][end], pieces[one.name][:-1] if end else pieces[one.name][1:]
                points[" ".join(rest)][axis] = one
        plane = [name for name, axes in points.items() if len(axes) == 2][:MOST_POINTS]
        for start, stop in combinations(plane, 2):
            if points[start].keys() != points[stop].keys():
                continue
            names, matrix = known_numbers([points[name][axis] for axis in points[start] for name in (start, stop)])
            if len(names) == len(points[start]) + len(points[stop]):
                along, across = (matrix[:, 1::2] - matrix[:, ::2]).T
                yield from scaled(f"distance from {start} to {stop}", np.hypot(along, across))
                yield from scaled(f"direction from {start} to {stop}", np.arctan2(across, along))
