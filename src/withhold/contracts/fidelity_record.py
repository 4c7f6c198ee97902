"""The record of fidelity: how far analyses of a released table come out as those of its original."""

from typing import Literal

from pydantic import Field

from withhold.contracts.record import Record

ColumnKind = Literal["category", "number", "date"]
Issue = Literal["marginal_moved", "missing_moved", "levels_lost", "pairs_broken"]


class LevelShare(Record):
    """A value that many rows hold, as shares of the known values; `before` is None for fewer than ten rows."""

    level: str
    before: float | None
    after: float


class PairFidelity(Record):
    """How the relation of two columns came through.

    Attributes
    ----------
    columns : list of str
        Two names.
    score : float or None
        The pair score of sdmetrics' QualityReport, in [0, 1]: 1 - |r - r'|/2 of two numbers, 1 - total variation of
        the joint table otherwise. None: undefined, as for a column that is constant in the original.
    measure : {"correlation", "cramers_v"}
        What `before` and `after` are: Pearson's r, or Cramer's V, bias corrected, on at most a few dozen cells.
    before, after : float or None
        Strength of the relation in the original and in the release.
    impossible : float or None
        Share of released rows with a combination of two categories that no row of the original holds.
    broken : bool
        Whether the relation changed by more than the stated figure.
    """

    columns: list[str]
    score: float | None
    measure: Literal["correlation", "cramers_v"]
    before: float | None = None
    after: float | None = None
    impossible: float | None = None
    broken: bool = False


class PredictionFidelity(Record):
    """How well a column of originals that no model saw is predicted from their other columns.

    Attributes
    ----------
    original, release : float
        Balanced accuracy of boosted trees trained on originals, and on the release of the same rows.
    classes : int
        Classes that count: numbers are cut at four quantiles, of categories the commonest levels stand alone.
    """

    original: float
    release: float
    classes: int


class ColumnFidelity(Record):
    """How one column came through.

    Attributes
    ----------
    kind : {"category", "number", "date"}
        What the column is in the original; whole numbers of at most 20 different values are categories.
    distance : float or None
        Total variation of categories, Kolmogorov-Smirnov distance of numbers and dates, between the known values; 1
        minus it is the column's shape in sdmetrics' QualityReport. None: neither table knows a value.
    moved : float or None
        Total variation, in [0, 1]: no share computed from the column is off by more. Of numbers the larger of the
        Kolmogorov-Smirnov distance and the total variation over cells, each a lower bound on it.
    missing_before, missing_after : float or None, float
        Shares of rows without a value; `missing_before` is None where fewer than ten rows, but some, have none, or
        have one.
    levels : list of LevelShare
        Values of more than 5 % of the known ones, before or after, whose share moved by more than 3 points; the worst
        first.
    pairs : float or None
        Mean score of the pairs with this column.
    broken_pairs : int
        How many of these are broken.
    prediction : PredictionFidelity or None
        The column as a target of models trained on the release and tested on originals; None where that was not tried.
    issues : list of str
        Codes of the findings that concern the column; none where it is usable as it is.
    usable : bool
        Whether marginal, levels and missing values held, and all pairs with other usable columns.
    note : str
        What else must be known, such as another type in the release.
    """

    kind: ColumnKind
    distance: float | None = None
    moved: float | None = None
    missing_before: float | None = None
    missing_after: float = 0.0
    levels: list[LevelShare] = Field(default_factory=list)
    pairs: float | None = None
    broken_pairs: int = 0
    prediction: PredictionFidelity | None = None
    issues: list[Issue] = Field(default_factory=list)
    usable: bool = True
    note: str = ""


class FidelityResult(Record):
    """How far a release can stand for its original: columns of the same name, the worst first.

    Attributes
    ----------
    usable, compared : int
        Columns that can be used as they are, of those that both tables have.
    usable_when : str
        What "usable as they are" means, in words.
    absent : list of str
        Columns of the original that the release does not have.
    column_shapes, pair_trends : float or None
        Means over columns, and over pairs that are related in the original (|r| > .5, Cramer's V > .3), as sdmetrics'
        QualityReport prints them (version 0.32). None where there is nothing to take the mean of.
    all_pair_trends : float or None
        The mean over all pairs, related or not.
    pairs_compared, broken_pairs : int
    impossible_pairs : float or None
        Mean over pairs of categories of the share of released rows with a combination that no row of the original has.
    impossible_pairs_by_chance : float or None
        The same to be expected of fresh rows of the same people (Good and Turing's estimate from the original).
    impossible_rows : float or None
        Share of released rows with at least one such combination.
    prediction_loss : float or None
        Median over columns of the balanced accuracy that is lost by training on the release instead of originals.
    trained_rows : int
        Rows that these models were trained on at most.
    columns : dict of str to ColumnFidelity
        The most damaged first.
    pairs : list of PairFidelity
        At most 100, the most damaged first.
    rows, pair_rows : int
        Rows that columns, and pairs of them, were compared on.
    notes : list of str
        What was left out to keep the cost small.
    """

    usable: int
    compared: int
    usable_when: str
    absent: list[str] = Field(default_factory=list)
    column_shapes: float | None = None
    pair_trends: float | None = None
    all_pair_trends: float | None = None
    pairs_compared: int = 0
    broken_pairs: int = 0
    impossible_pairs: float | None = None
    impossible_pairs_by_chance: float | None = None
    impossible_rows: float | None = None
    prediction_loss: float | None = None
    trained_rows: int = 0
    columns: dict[str, ColumnFidelity]
    pairs: list[PairFidelity] = Field(default_factory=list)
    rows: int
    pair_rows: int
    notes: list[str] = Field(default_factory=list)
