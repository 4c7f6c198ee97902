"""Controls: what the panel reads where the answer is known, and what the trivial release would give away."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from withhold.audit.attackers.attacker import Inputs
from withhold.audit.design import Design
from withhold.audit.leakage.attack import Panel, attack
from withhold.audit.leakage.continuous import bin_codes
from withhold.audit.leakage.crossfit import cross_fit
from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.leakage.parts import Judge, guess_scores
from withhold.audit.view.view import AttackView
from withhold.contracts.audit_record import ControlResult
from withhold.data.attribute import Attribute

# U alone is a few columns: what it tells is a table, which these read.
UTILITY_PANEL = ("logistic", "boosting", "linear_gaussian", "boosted_gaussian")
FLOOR_PANEL = ("logistic", "boosting")
# A continuous U is predicted as one of this many bins.
PREDICTED_BINS = 8


def control(judge: Judge, found: LogRatios) -> ControlResult:
    """Summarise one control: the worse part and the best balanced accuracy."""
    accuracies = [a for name in found.names if (a := guess_scores(judge, found, name)[0]) is not None]
    return ControlResult(leakage=judge.worst(judge.read(found)), balanced_accuracy=max(accuracies, default=None))


def utility_alone(utility: pa.Table, attribute: Attribute, panel: Panel, design: Design) -> LogRatios:
    """Attack `attribute` from the utility attributes alone."""
    view = AttackView.fit(utility, row_order=False)
    return attack(view, attribute, panel.only(*UTILITY_PANEL), design, "utility only")


def hard_predictions(inputs: Inputs, utilities: Sequence[Attribute], panel: Panel, design: Design) -> pa.Table:
    """Return the predicted class of each U side by side: a release that keeps every one of them, and no more."""
    found = [hard_prediction(inputs, one, panel, design).column(0) for one in utilities]
    return pa.table(found, names=[f"prediction {i}" for i in range(len(found))])


def hard_prediction(inputs: Inputs, utility: Attribute, panel: Panel, design: Design) -> pa.Table:
    """Return the class of U that boosting predicts for each row from other rows: a release that keeps no more."""
    if utility.kind == "categorical":
        codes, classes = utility.codes, utility.n_classes
    else:
        codes = bin_codes(utility.values, PREDICTED_BINS)
        classes = int(codes.max()) + 1
    found = cross_fit(inputs, codes, classes, panel.only("boosting").classes, design, "utility prediction")
    name = found.names[0]
    log_prior = np.log(np.maximum(np.bincount(codes[codes >= 0], minlength=classes), 0.5) / max(1, (codes >= 0).sum()))
    guess = np.full(len(codes), -1, dtype=np.int64)
    guess[found.rows] = (found.classes[name] + log_prior).argmax(axis=1)
    return pa.table({"prediction": pa.array([None if g < 0 else f"class {g}" for g in guess.tolist()], pa.string())})
