"""The methods of the comparison: each is fitted on the fit rows of a problem and returns what makes the release.

A method takes (problem, seed) and returns a function without arguments that transforms all rows. What is timed as
fitting is the call; what is timed as transforming is the call of what it returns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gradient_reversal
import numpy as np
import pandas as pd
import torch
from linear import INLP_ITERATIONS, inlp, rlace, standardised
from problems import Problem
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import withhold

Transform = Callable[[], Any]
# For an embedding that is wanted for one purpose: chosen on another draw of xor2 (seed 1), never on the reported one.
FOR_EMBEDDINGS = {"utility_weight": 20.0, "budget": 0.003, "noise": 0.35}
LFR_COLUMN_ROWS = 50  # one-hot columns with fewer rows are left out, as its numerical gradient grows with the width


@dataclass(frozen=True)
class Method:
    """A method.

    Attributes
    ----------
    fit : callable
    needs_s : bool
        Whether its transform needs S.
    held_only : bool
        Whether, on tables, transforming is timed on rows outside the fit part only.
    only : tuple of str
        Problems it is used on; all where empty.
    """

    fit: Callable[[Problem, int], Transform]
    needs_s: bool = False
    held_only: bool = False
    only: tuple[str, ...] = ()

    def suits(self, problem: str) -> bool:
        """Whether the method is used on this problem."""
        return not self.only or problem in self.only


def codes(labels: np.ndarray) -> np.ndarray:
    """Class codes."""
    return np.unique(labels, return_inverse=True)[1]


def raw(problem: Problem, seed: int) -> Transform:
    return lambda: problem.table


def leace(problem: Problem, seed: int) -> Transform:
    from concept_erasure import LeaceEraser

    frame = problem.matrix()
    X = torch.from_numpy(frame.to_numpy(np.float64))
    eraser = LeaceEraser.fit(X[problem.fit], torch.from_numpy(codes(problem.s).astype(float))[problem.fit])
    return lambda: pd.DataFrame(eraser(X).numpy(), columns=frame.columns)


def our_leace(problem: Problem, seed: int) -> Transform:
    eraser = withhold.LEACE(output="table")
    eraser.fit(problem.table[problem.fit], sensitive_features=problem.s[problem.fit])
    return lambda: eraser.transform(problem.table)


def quadratic(problem: Problem, seed: int) -> Transform:
    from concept_erasure import QuadraticEraser

    frame = problem.matrix()
    X, s = torch.from_numpy(frame.to_numpy(np.float64)), torch.from_numpy(codes(problem.s))
    eraser = QuadraticEraser.fit(X[problem.fit], s[problem.fit])
    return lambda: pd.DataFrame(eraser(X, s).numpy(), columns=frame.columns)


def _projected(problem: Problem, project: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Transform:
    frame = problem.matrix()
    X = standardised(frame.to_numpy(np.float64), problem.fit)
    P = project(X[problem.fit], codes(problem.s)[problem.fit])
    return lambda: pd.DataFrame(X @ P, columns=frame.columns)


def null_space(problem: Problem, seed: int, iterations: int = INLP_ITERATIONS) -> Transform:
    return _projected(problem, lambda X, s: inlp(X, s, iterations))


def relaxed(problem: Problem, seed: int) -> Transform:
    return _projected(problem, lambda X, s: rlace(X, s, seed))


def correlation_remover(problem: Problem, seed: int) -> Transform:
    from fairlearn.preprocessing import CorrelationRemover

    frame = problem.matrix()
    X = frame.assign(S=codes(problem.s).astype(float))
    remover = CorrelationRemover(sensitive_feature_ids=["S"]).fit(X[problem.fit])
    return lambda: pd.DataFrame(remover.transform(X), columns=frame.columns)


def adversarial_fairness(problem: Problem, seed: int, alpha: float = 1.0, epochs: int = 10) -> Transform:
    """Fairlearn's AdversarialFairnessClassifier; released is its score, the only thing its adversary sees."""
    from fairlearn.adversarial import AdversarialFairnessClassifier

    X = standardised(problem.matrix().to_numpy(np.float64), problem.fit)
    model = AdversarialFairnessClassifier(
        backend="torch",
        predictor_model=[64, "leaky_relu"],
        adversary_model=[16, "leaky_relu"],
        epochs=epochs,
        alpha=alpha,
        batch_size=256,
        shuffle=True,
        random_state=seed,
    )
    model.fit(X[problem.fit], codes(problem.u)[problem.fit], sensitive_features=codes(problem.s)[problem.fit])

    def transform() -> pd.DataFrame:
        scores = np.asarray(model.backendEngine_.evaluate(X.astype(np.float32)))
        return pd.DataFrame(scores, columns=[f"score{i}" for i in range(scores.shape[1])])

    return transform


def fair_representation(problem: Problem, seed: int, Az: float = 50.0) -> Transform:
    """AIF360's LFR. Its data set holds S among the features; it is taken out, so that S serves for grouping only."""
    from aif360.algorithms.preprocessing import LFR
    from aif360.datasets import BinaryLabelDataset

    frame = problem.matrix()
    frame = frame.loc[:, [(problem.fit & (frame[name] != 0)).sum() >= LFR_COLUMN_ROWS for name in frame]]

    def dataset(rows: np.ndarray) -> Any:
        table = frame[rows].assign(S=codes(problem.s)[rows].astype(float), U=codes(problem.u)[rows].astype(float))
        made = BinaryLabelDataset(df=table, label_names=["U"], protected_attribute_names=["S"])
        place = made.feature_names.index("S")
        made.features = np.delete(made.features, place, axis=1)
        made.feature_names = [name for name in made.feature_names if name != "S"]
        return made

    method = LFR(unprivileged_groups=[{"S": 0.0}], privileged_groups=[{"S": 1.0}], Az=Az, seed=seed)
    method.fit(dataset(problem.fit))
    everything = dataset(np.ones(len(frame), dtype=bool))
    return lambda: pd.DataFrame(method.transform(everything).features, columns=frame.columns)


def reversal(problem: Problem, seed: int, weight: float = 1.0, epochs: int = gradient_reversal.EPOCHS) -> Transform:
    X, fit = standardised(problem.matrix().to_numpy(np.float64), problem.fit), problem.fit
    encode = gradient_reversal.fit(X[fit], codes(problem.s)[fit], codes(problem.u)[fit], seed, weight, epochs)
    return lambda: encode(X)


def hard_prediction(problem: Problem, seed: int) -> Transform:
    """The most likely U by boosted trees, out of fold on the fit rows."""
    X = problem.table.apply(lambda c: c.cat.codes if c.dtype == "category" else c).to_numpy(np.float64)
    u, fit = codes(problem.u), problem.fit
    model = HistGradientBoostingClassifier(random_state=seed)
    inside = cross_val_predict(model, X[fit], u[fit], cv=5)
    model.fit(X[fit], u[fit])

    def transform() -> pd.DataFrame:
        guess = np.empty(len(X), dtype=np.int64)
        guess[fit], guess[~fit] = inside, model.predict(X[~fit])
        return pd.DataFrame({"prediction": pd.Categorical(guess.astype(str))})

    return transform


def guesses(problem: Problem) -> np.ndarray:
    """U of the fit rows as a linear model guesses it out of fold.

    Labels with their own chance in them teach an encoder of 128 columns to memorise (.94 of U on the rows it was fitted
    on, .73 on others); guesses do not, and hold no more of S than a linear reader of the features learns about U.
    """
    X = standardised(problem.matrix().to_numpy(np.float64), problem.fit)[problem.fit]
    return cross_val_predict(LogisticRegression(max_iter=200), X, problem.u[problem.fit], cv=5)


def deepminmax(given: str | None = None, **settings: Any) -> Callable[[Problem, int], Transform]:
    """DeepMinMax with these settings; a table comes out as a table, its fit rows decoded across folds.

    `given` says what it gets as y: "labels", "guesses", or nothing.
    """

    def fit(problem: Problem, seed: int) -> Transform:
        # "mode": the comparison was measured before tables were drawn.
        sanitizer = withhold.DeepMinMax(random_state=seed, noise_seed=seed, **{"decode": "mode", **settings})
        rows = problem.fit
        about = {"sensitive_features": problem.s[rows]}
        y = None
        if given is not None:
            y = problem.u[rows] if given == "labels" else guesses(problem)
        if problem.dense or settings.get("output") == "representation":
            X = problem.table.to_numpy() if problem.dense else problem.table
            sanitizer.fit(X[rows], y, **about)
            return lambda: sanitizer.transform(X)
        inside = sanitizer.fit_transform(problem.table[rows], y, **about)

        def transform() -> pd.DataFrame:
            both = pd.concat([inside, sanitizer.transform(problem.table[~rows])], ignore_index=True)
            order = np.concatenate([np.flatnonzero(rows), np.flatnonzero(~rows)])
            return both.iloc[np.argsort(order)].reset_index(drop=True)

        return transform

    return fit


METHODS: dict[str, Method] = {
    "raw": Method(raw),
    "LEACE (concept-erasure)": Method(leace),
    "LEACE": Method(our_leace),
    "QuadraticEraser (concept-erasure)": Method(quadratic, needs_s=True),
    "INLP": Method(null_space),
    "R-LACE": Method(relaxed),
    "CorrelationRemover (fairlearn)": Method(correlation_remover, needs_s=True),
    "AdversarialFairness (fairlearn), its score": Method(adversarial_fairness),
    "LFR (AIF360)": Method(fair_representation, only=("Adult", "COMPAS")),
    "gradient reversal": Method(reversal),
    "hard prediction of U": Method(hard_prediction),
    "DeepMinMax": Method(deepminmax(), held_only=True),
    "DeepMinMax with y": Method(deepminmax("labels"), held_only=True),
    "DeepMinMax, y guessed, small budget": Method(deepminmax("guesses", **FOR_EMBEDDINGS), only=("xor2", "xor3")),
}
