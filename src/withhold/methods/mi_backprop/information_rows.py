"""Rows of a fit that minimises I(Z; C): attributes as tensors, what they tell at most, what a representation tells."""

import math

import numpy as np
import torch
from scipy.stats import norm

from withhold.contracts.quantity import Quantity
from withhold.data.attribute import Attribute, Attributes
from withhold.data.equal_mass import equal_mass
from withhold.information.estimators.classifier import ClassifierBound
from withhold.information.estimators.conditionals import ConditionalTraining
from withhold.methods.mi_backprop.information_terms import Secrets
from withhold.training.recipe import Records

READ = 6_000  # rows of a reading: enough for a hundredth of a nat
FEWEST_READ = 60  # rows below which a reading has nothing to learn from


def secrets_of(records: Records, labels: Attribute, conditional: bool) -> Secrets:
    """Return the attributes as estimators of information take them."""
    if not conditional:
        return Secrets(records.secrets, records.layout, records.given, records.marginal)
    classes = torch.from_numpy(labels.codes).to(records.H.device)
    marginal = [
        class_marginal(column, labels.codes, k)
        for column, k in zip(records.secrets.cpu().double().numpy().T, records.layout.classes, strict=True)
    ]
    inside = torch.from_numpy(np.stack(marginal, axis=1)).to(records.marginal)
    return Secrets(records.secrets, records.layout, records.given, inside, classes, labels.n_classes)


def class_marginal(values: np.ndarray, classes: np.ndarray, k: int) -> np.ndarray:
    """Return log p(c | y) of each row, from counts of `k` classes or, with k = 0, a normal density; 0 where missing.

    Examples
    --------
    >>> class_marginal(np.array([0.0, 1.0, 1.0, np.nan]), np.array([0, 0, 1, 1]), 2).round(3).tolist()
    [-0.693, -0.693, 0.0, 0.0]
    """
    density, known = np.zeros(len(values)), ~np.isnan(values) & (classes >= 0)
    for label in np.unique(classes[known]):
        rows = known & (classes == label)
        if k:
            codes = values[rows].astype(np.int64)
            density[rows] = np.log(np.bincount(codes, minlength=k)[codes] / len(codes))
        else:
            density[rows] = norm.logpdf(values[rows], values[rows].mean(), max(values[rows].std(), FLAT))
    return density


FLAT = 1e-3  # of normal scores


def maximum_information(sensitive: Attributes) -> float:
    """Return H(C) of all attributes together in nats, infinite where one is continuous."""
    if any(item.kind == "continuous" for item in sensitive):
        return math.inf
    codes = np.stack([item.codes for item in sensitive], axis=1)
    _, counts = np.unique(codes[(codes >= 0).all(axis=1)], axis=0, return_counts=True)
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def held_out_information(Z: np.ndarray, sensitive: Attributes, seed: int) -> Quantity | None:
    """Return what a fresh, cross-fitted classifier reads from Z: the joint attribute's, or the worst single one's.

    Either is a lower bound on the information about all attributes, up to sampling error. Continuous attributes are
    read in equal-mass bins. None where rows are too few.

    Parameters
    ----------
    Z : ndarray (n, dimensions)
    sensitive : Attributes
        Of the same rows.
    """
    joint, found = sensitive.joint(), list[Quantity]()
    for item in sensitive if joint is None else [joint]:
        rows = np.flatnonzero(item.known)[:READ]
        codes = item.codes[rows] if item.kind == "categorical" else equal_mass(item.values[rows])
        if len(rows) < FEWEST_READ or len(np.unique(codes)) < 2:
            continue
        bound = ClassifierBound(training=ConditionalTraining(steps=steps_for(len(rows))), random_state=seed)
        found.append(bound.fit(Z[rows].astype(np.float64), codes.astype(str)).estimate())
    return max(found, key=lambda quantity: quantity.value) if found else None


def steps_for(rows: int) -> int:
    """Return steps of a classifier's training: few rows need few, and should not take longer than the method itself.

    Examples
    --------
    >>> steps_for(200), steps_for(6000)
    (150, 600)
    """
    return min(600, 100 + rows // 4)
