"""What records tell of utility attributes, by models that learned neither from a record nor from its subject.

An encoder that is given the labels of its own rows learns the chance in them by heart, which a release of other rows
does not have: with these posteriors instead, U of COMPAS is predicted from a release by .686 instead of .645 at equal
leakage (benchmarks/peers/compare.py), and of German credit (400 rows) attackers find .060 nat of U instead of .005
(benchmarks/peers/frontier.py). Each attribute is read by a linear model and by boosted trees; whichever foretells rows
that it did not learn from better is taken.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression, Ridge

from withhold.contracts.seeds import stream
from withhold.data.attribute import Attribute
from withhold.data.splits import fold_numbers
from withhold.methods.estimator.boosted_scores import LEAVES, RATE, ROUNDS, BoostedScores
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import count_units, normal_scores
from withhold.methods.estimator.told_classes import with_prior
from withhold.nets.attribute_density import LOG_VARIANCE_BOUND
from withhold.training.trees import TreeRegressor

Reals = NDArray[np.float64]
Reader = Callable[[np.ndarray, np.ndarray], Reals]  # learns from some rows, and says what others tell

FOLDS = 5
# Rows that a model learns from, fewer where they are wide: more add less to a posterior than they take time.
MOST_ROWS, MOST_CELLS = 20_000, 10_000_000
MOST_COLUMNS, MOST_CLASSES = 128, 10  # beyond, trees take longer than the game
LINEAR, PULL = 0.1, 10.0  # inverse weight of the coefficients of a logistic regression; weight of those of a ridge
LEAST_VARIANCE = 1e-2  # of what is left of a number: a loss in units of less would be of nothing else


def utility_posterior(data: FitData, H: np.ndarray) -> NDArray[np.float32]:
    """Return p(u|x) of each training row as outputs of the layout of the utility attributes.

    Parameters
    ----------
    data : FitData
        With utility attributes.
    H : ndarray of shape (n_samples, n_encoded)
        Its standardised features.

    Returns
    -------
    ndarray of shape (n_samples, width)
        Log-probabilities of the classes of an attribute; mean and log variance of a number's normal score.

    Examples
    --------
    >>> from withhold.data.attributes import read_attributes
    >>> H = np.random.default_rng(0).normal(size=(200, 2)).astype("float32")
    >>> s, u = (read_attributes((H[:, i] > 0).astype(int), role=role) for i, role in enumerate(("sensitive", "y")))
    >>> told = utility_posterior(FitData(H=H, sensitive=s, utilities=u), H)
    >>> bool((told.argmax(axis=1) == (H[:, 1] > 0)).mean() > 0.9)
    True
    """
    units = count_units(data)
    folds = fold_numbers(data.n, min(FOLDS, units), stream(data.rng_seed, "utility folds"), data.groups)
    parts = [
        _classes(data, H, folds, item) if item.kind == "categorical" else _number(data, H, folds, item)
        for item in data.utilities or ()
    ]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _classes(data: FitData, H: np.ndarray, folds: np.ndarray, item: Attribute) -> Reals:
    codes, k = np.where(item.known, item.codes, -1), item.n_classes

    def linear(learned: np.ndarray, told: np.ndarray) -> Reals:
        shares, met = np.zeros((len(told), k)), np.unique(codes[learned])
        shares[:, met] = 1.0
        if len(met) > 1:
            model = LogisticRegression(C=LINEAR, max_iter=200).fit(H[learned], codes[learned])
            shares[:, met] = model.predict_proba(H[told])
        return shares

    def trees(learned: np.ndarray, told: np.ndarray) -> Reals:
        own = np.asarray(data.H)
        blocks = () if data.codec is None else data.codec.blocks
        grown = BoostedScores.fit(own[learned], codes[learned], k, blocks, seed=data.rng_seed)
        return np.asarray(np.exp(grown.log_probabilities(own[told])))

    def missed(shares: Reals) -> float:
        return -float(np.log(with_prior(shares, item)[item.known, codes[item.known]]).mean())

    # Trees read a column of levels as one number, however many levels it has.
    width = H.shape[1] if data.codec is None else len(data.codec.blocks)
    readers = [linear, trees] if width <= MOST_COLUMNS and k <= MOST_CLASSES else [linear]
    best = min((_out_of_fold(one, item, folds, data, k) for one in readers), key=missed)
    return np.asarray(np.log(with_prior(best, item)))


def _number(data: FitData, H: np.ndarray, folds: np.ndarray, item: Attribute) -> Reals:
    scores = normal_scores(item.values)

    def linear(learned: np.ndarray, told: np.ndarray) -> Reals:
        return np.asarray(Ridge(PULL).fit(H[learned], scores[learned]).predict(H[told]))[:, None]

    def trees(learned: np.ndarray, told: np.ndarray) -> Reals:
        model = TreeRegressor(max_iter=ROUNDS, learning_rate=RATE, max_leaf_nodes=LEAVES, random_state=data.rng_seed)
        return np.asarray(model.fit(H[learned], scores[learned]).predict(H[told]))[:, None]

    def missed(means: Reals) -> float:
        return float(np.square(scores - means[:, 0])[item.known].mean())

    readers = [linear, trees] if H.shape[1] <= MOST_COLUMNS else [linear]
    means = min((_out_of_fold(one, item, folds, data, 1) for one in readers), key=missed)
    # What a network's output must be for its bounded log variance to be this one.
    left = math.log(max(LEAST_VARIANCE, min(1.0, missed(means))))
    return np.column_stack([means, np.full(data.n, LOG_VARIANCE_BOUND * math.atanh(left / LOG_VARIANCE_BOUND))])


def _out_of_fold(reader: Reader, item: Attribute, folds: np.ndarray, data: FitData, width: int) -> Reals:
    told, most = np.zeros((data.n, width)), min(MOST_ROWS, MOST_CELLS // max(1, data.H.shape[1]))
    for fold in np.unique(folds):
        learned = np.flatnonzero((folds != fold) & item.known)
        learned = stream(data.rng_seed, "utility rows", int(fold)).permutation(learned)[:most]
        rows = np.flatnonzero(folds == fold)
        if len(learned):
            told[rows] = reader(learned, rows)
    return told
