"""Turning one reading into the columns attackers are given: levels, values, tails, and the traces rounding leaves."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from withhold.audit.view.reading import Reading
from withhold.data.attribute import Attribute

Column = tuple[str, npt.NDArray[np.float32]]
Floats = npt.NDArray[np.float64]

# A number with at most this many distinct values is also given value by value: 0/1 columns shifted by the
# sensitive attribute have four values, classes written as integers rarely more than twenty.
FEW = 20
# A value held by this share of rows gets its own indicator (zeros of capital gains, a forty-hour week).
ATOM, MOST_ATOMS = 0.05, 8
# Values are clipped at this many robust standard deviations; the part beyond is kept in a second, compressed column
# when at least this share of rows lies there.
CLIP, TAIL = 5.0, 1e-3
# Traces of rounding are given when at least this share of rows differs from the rest.
UNEVEN = 0.01
# Decimals that are told apart, and distinct values looked at before a column is taken to hold no trace.
MOST_DECIMALS, PROBED = 7.0, 4096
# Scaled values end here; float32 then still holds seven digits of them.
FAR = 1e6


def dense_columns(reading: Reading, most_levels: int, traces: Sequence[Column] | None = None) -> Iterator[Column]:
    """Yield named float32 columns that carry everything in `reading`, for models that take numbers.

    Parameters
    ----------
    most_levels : int
        Levels beyond this many, by frequency, share one indicator.
    traces : sequence of columns, optional
        What `rounding_columns` found, where that is known.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> [name for name, _ in dense_columns(read_column(pa.table({"b": ["x", "y", "z", None]}), "b"), 100)]
    ['b=x', 'b=y', 'b=z', 'b is missing']
    """
    missing = reading.missing
    if len(reading.levels) > 1:
        # With a level per few rows indicators memorise: a number keeps its distance, text keeps its order.
        indicated = reading.kind == "category" or len(reading.levels) <= min(FEW, len(missing) // 5)
        if indicated:
            yield from _levels(reading, most_levels)
            if len(reading.levels) > most_levels:
                yield from _text_traits(reading)
        if reading.numbers is not None and (len(reading.levels) > 2 or not indicated):
            yield from _values(reading)
            if len(reading.levels) > FEW:
                yield from rounding_columns(reading) if traces is None else traces
    if 0 < missing.sum() < len(missing):
        yield f"{reading.name} is missing", missing.astype(np.float32)
    yield from _marks(reading)


def ordinal_columns(reading: Reading, traces: Sequence[Column] | None = None) -> Iterator[Column]:
    """Yield named float32 columns for trees: codes in sorted order, exact order of numbers, NaN where missing.

    `traces` is what `rounding_columns` found, where that is known.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> [column.tolist() for _, column in ordinal_columns(read_column(pa.table({"b": ["x", "y", None]}), "b"))]
    [[0.0, 1.0, nan]]
    """
    missing = reading.missing
    if len(reading.levels) < 2 and not missing.any():
        return
    codes = np.where(missing, np.nan, reading.codes).astype(np.float32)
    if reading.kind == "number" and len(reading.levels) and np.isfinite(reading.levels).all():
        scaled = _robust(reading.levels, reading.counts).astype(np.float32)
        # Trees only see order: where float32 merges values that differ, the rank keeps them apart.
        if len(np.unique(scaled)) == len(scaled):
            codes = np.where(missing, np.float32(np.nan), scaled[np.maximum(reading.codes, 0)])
    yield reading.name, codes
    if reading.kind == "category" and len(reading.levels) > FEW:
        copies = np.log(np.maximum(reading.counts, 1))[np.maximum(reading.codes, 0)]
        yield f"{reading.name} copies", np.where(missing, 0.0, copies).astype(np.float32)
    if reading.numbers is not None and len(reading.levels) > FEW:
        yield from rounding_columns(reading) if traces is None else traces
    yield from _marks(reading)


def _marks(reading: Reading) -> Iterator[Column]:
    """Yield what tells equal values apart: NaN from null, and -0 from 0."""
    if reading.nan is not None:
        yield f"{reading.name} is NaN", reading.nan.astype(np.float32)
    if reading.minus_zero is not None:
        yield f"{reading.name} is -0", reading.minus_zero.astype(np.float32)


def _single(values: Floats) -> np.ndarray:
    """Return values in single precision; what is too large becomes infinite, which is not equal to it."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def rounding_columns(reading: Reading) -> Iterator[Column]:
    """Yield what rounding gives away: fractions, number of decimals, multiples, single precision.

    Examples
    --------
    >>> from withhold.audit.view.reading import read_column
    >>> import pyarrow as pa
    >>> values = [float(i) + (0.25 if i % 3 else 0.0) for i in range(99)]
    >>> [name for name, _ in rounding_columns(read_column(pa.table({"v": values}), "v"))]
    ['v fraction 0', 'v fraction 0.25', 'v decimals', 'v multiple of 2', 'v multiple of 5', 'v multiple of 10']
    """
    # The work is done on distinct values and spread over the rows that hold them.
    levels, weights = _level_numbers(reading), reading.counts / max(1, reading.counts.sum())
    levels = np.where(np.isfinite(levels), levels, 0.0)
    probe = levels[:: max(1, len(levels) // PROBED)]
    if (decimals_of(probe) == MOST_DECIMALS).all() and (probe != _single(probe)).all():
        return
    traces: dict[str, Floats] = {}
    # At large magnitude a float holds few decimals: what is left below that is noise, not a trace.
    digits = 6 if np.abs(levels).max(initial=0.0) < 1e8 else 2
    distinct, which = np.unique(np.round(levels - np.floor(levels), digits) % 1.0, return_inverse=True)
    if 1 < len(distinct) <= FEW:
        traces |= {f"fraction {value:g}": 1.0 * (which == index) for index, value in enumerate(distinct)}
    traces["decimals"] = decimals_of(levels) / MOST_DECIMALS
    for base in (2, 5, 10):
        hit = np.mod(levels, base) == 0
        # A multiple is a trace when it is clearly commoner or rarer than among evenly spread integers.
        if abs(weights[hit].sum() - 1 / base) > ATOM:
            traces[f"multiple of {base}"] = 1.0 * hit
    if not (traces["decimals"] == 0).all():
        traces["in single precision"] = 1.0 * (levels == _single(levels))
    for trace, values in traces.items():
        commonest = values == values[np.argmax(weights)]
        if UNEVEN < weights[commonest].sum() < 1 - UNEVEN:
            spread = values[np.maximum(reading.codes, 0)]
            yield f"{reading.name} {trace}", np.where(reading.missing, 0.0, spread).astype(np.float32)


def decimals_of(levels: Floats) -> Floats:
    """Return how many decimals each number has, up to the rounding of floats; `MOST_DECIMALS` where it has more.

    Examples
    --------
    >>> decimals_of(np.array([3.0, 0.25, 1 / 3])).tolist()
    [0.0, 2.0, 7.0]
    """
    places = np.full(len(levels), MOST_DECIMALS)
    for fewer in range(int(MOST_DECIMALS) - 1, -1, -1):
        rounded = np.round(levels, fewer)
        places[(levels == rounded) | (np.abs(levels - rounded) <= 1e-9 + 1e-12 * np.abs(rounded))] = fewer
    return places


def _levels(reading: Reading, most_levels: int) -> Iterator[Column]:
    counts = reading.counts
    if len(counts) == 2 and not reading.missing.any():
        yield f"{reading.name}={reading.levels[1]}", (reading.codes == 1).astype(np.float32)
        return
    order = np.argsort(-counts, kind="stable")
    own = order[:most_levels][counts[order[:most_levels]] > 1] if len(counts) > FEW else order[:most_levels]
    for level in np.sort(own):
        yield f"{reading.name}={reading.levels[level]}", (reading.codes == level).astype(np.float32)
    if len(own) < len(counts):
        pooled = np.ones(len(counts) + 1, bool)
        pooled[own], pooled[-1] = False, False  # the last entry is met by code -1
        yield f"{reading.name} another level", pooled[reading.codes].astype(np.float32)


def _text_traits(reading: Reading) -> Iterator[Column]:
    """Yield order, length, ends and repetition of identifiers and free text, which may tell what levels cannot."""
    codes, missing, name = np.maximum(reading.codes, 0), reading.missing, reading.name
    texts = [str(level) for level in reading.levels.tolist()]
    rank = np.linspace(-1.0, 1.0, len(texts))
    length = np.asarray([float(len(text)) for text in texts])
    copies = np.log(np.maximum(reading.counts, 1.0))
    for trait, values in (("rank", rank), ("length", length), ("copies", copies)):
        if np.ptp(values) > 0:
            scaled = (values - values.mean()) / values.std()
            yield f"{name} {trait}", np.where(missing, 0.0, scaled[codes]).astype(np.float32)
    for place, letters in (("first", [t[:1] for t in texts]), ("last", [t[-1:] for t in texts])):
        found, which, counts = np.unique(np.asarray(letters), return_inverse=True, return_counts=True)
        for index in np.argsort(-counts, kind="stable")[:FEW]:
            flag = (which == index)[codes] & ~missing
            yield f"{name} {place} letter {found[index]}", flag.astype(np.float32)


def _values(reading: Reading) -> Iterator[Column]:
    name, missing, codes = reading.name, reading.missing, np.maximum(reading.codes, 0)
    levels, counts = _level_numbers(reading), reading.counts
    finite = np.isfinite(levels)
    if not finite.any():
        return
    scaled = _robust(levels, counts)
    yield name, np.where(missing, 0.0, np.clip(scaled, -CLIP, CLIP)[codes]).astype(np.float32)
    if counts[np.abs(scaled) > CLIP].sum() > TAIL * len(codes):
        tail = np.arcsinh(scaled)
        yield f"{name} with its tail", np.where(missing, 0.0, (tail / (tail.std() or 1.0))[codes]).astype(np.float32)
    if len(levels) > FEW:
        share = counts / len(codes)
        for level in np.argsort(-share, kind="stable")[:MOST_ATOMS]:
            if share[level] >= ATOM:
                yield f"{name}={levels[level]:g}", (reading.codes == level).astype(np.float32)
    if not finite.all():
        yield f"{name} infinite", ((~finite)[codes] & ~missing).astype(np.float32)


def _robust(levels: Floats, counts: npt.NDArray[np.int64]) -> Floats:
    """Centre at the median and divide by the interquartile spread; by the standard deviation where that is 0."""
    finite = np.isfinite(levels)
    if not finite.any():
        return np.zeros(len(levels))
    values, weights = levels[finite], counts[finite] / counts[finite].sum()
    # Levels are sorted, so quantiles are read off the running weight.
    order = np.argsort(values, kind="stable")
    reached = np.searchsorted(np.cumsum(weights[order]), [0.25, 0.5, 0.75]).clip(0, len(values) - 1)
    low, middle, high = values[order][reached]
    # Differences of a nearly constant column survive only if the centre is taken off before any rounding.
    scale = (high - low) / 1.349
    if not scale > 0:
        scale = float(np.sqrt(np.sum(weights * (values - middle) ** 2)))
    scaled: Floats = np.clip((levels - middle) / (scale if 0 < scale < np.inf else 1.0), -FAR, FAR)
    return scaled


def _level_numbers(reading: Reading) -> Floats:
    if reading.kind == "number":
        return reading.levels
    return np.asarray([float(level) for level in reading.levels.tolist()])


def as_column(attribute: Attribute) -> pa.Array:
    """Return the attribute as a column of a table, nulls where missing.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> as_column(read_attributes(["a", None, "b"])[0]).to_pylist()
    ['a', None, 'b']
    """
    if attribute.kind == "continuous":
        return pa.array(attribute.values, from_pandas=True)
    return pa.array([None if c < 0 else attribute.levels[c] for c in attribute.codes.tolist()], pa.string())


def standardised(matrix: npt.NDArray[np.floating], least: float = 1e-9) -> npt.NDArray[np.float32]:
    """Return columns of mean 0 and unit spread, 0 where missing or of no more spread than `least`.

    Examples
    --------
    >>> standardised(np.array([[1.0], [3.0], [np.nan]], np.float32)).tolist()
    [[-1.0], [1.0], [0.0]]
    """
    known = np.isfinite(matrix)
    counts = np.maximum(known.sum(axis=0), 1)
    off = np.where(known, matrix - np.where(known, matrix, 0.0).sum(axis=0) / counts, 0.0)
    spread = np.sqrt((off**2).sum(axis=0) / counts)
    return np.asarray(off / np.where(spread > least, spread, np.inf), dtype=np.float32)
