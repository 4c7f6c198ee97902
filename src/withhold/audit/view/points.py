"""Two points in a row, such as home and work, birth and death on a map: how far apart, and in which direction."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from withhold.audit.view.features import Column
from withhold.audit.view.relations import KnownNumbers, scaled

# What a name is made of, and the points that are compared, each with each.
PIECE, MOST_POINTS = re.compile(r"[^\W\d_]+|\d+"), 4


def point_columns(numbers: KnownNumbers) -> Iterator[Column]:
    """Yield distance and direction between points whose coordinates are named alike: home_lat, home_lon; x1, y1.

    Parameters
    ----------
    numbers : KnownNumbers
        Those of a release.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from withhold.audit.view.reading import read_columns
    >>> x = np.random.default_rng(0).normal(size=(4, 60))
    >>> names = ["home_lat", "home_lon", "work_lat", "work_lon"]
    >>> numbers = KnownNumbers.of(read_columns(pa.table(dict(zip(names, x)))))
    >>> [name for name, _ in point_columns(numbers)][:2]
    ['distance from home to work', 'direction from home to work']
    """
    pieces = [PIECE.findall(name) for name in numbers.names]
    for end in (-1, 0):  # the name of the axis stands last, or first
        points: dict[str, dict[str, int]] = defaultdict(dict)  # of each point the column of each axis
        for column, name in enumerate(pieces):
            if len(name) > 1:
                points[" ".join(name[:-1] if end else name[1:])][name[end]] = column
        plane = [name for name, axes in points.items() if len(axes) == 2][:MOST_POINTS]
        for start, stop in combinations(plane, 2):
            if points[start].keys() != points[stop].keys():
                continue
            ends = numbers.matrix[:, [points[stop][axis] for axis in points[start]]]
            along, across = (ends - numbers.matrix[:, list(points[start].values())]).T
            yield from scaled(f"distance from {start} to {stop}", np.hypot(along, across))
            yield from scaled(f"direction from {start} to {stop}", np.arctan2(across, along))
