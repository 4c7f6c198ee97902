"""Exposure: what the best attacker learned about each record. It stays in the private part: it is about persons."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from withhold.audit.leakage.log_ratios import LogRatios
from withhold.audit.statistics.arrays import Codes
from withhold.data.shares import smoothed_shares

SCHEMA = pa.schema(
    [("row", pa.int64()), ("attribute", pa.string()), ("log_ratio", pa.float64()), ("probability", pa.float64())]
)


def exposure_table(found: Mapping[str, LogRatios], rows: Codes | None = None) -> pa.Table:
    """Return one line for each scored record and attribute, the most exposed record of each attribute first.

    Parameters
    ----------
    found : mapping of str to LogRatios
        By attribute.
    rows : ndarray of int, optional
        Row of the release that each audited row is, where only some were audited.

    Returns
    -------
    pyarrow.Table
        ``row`` counts from 0; ``log_ratio`` is log q(s|z) - log p(s) in nats for the true value under the attacker
        chosen on inner rows: 0 is a guess, log 2 = .69 means that the truth seemed twice as likely as without the
        release, below 0 that the attacker was misled; ``probability`` is what he gave the truth, null for a
        continuous attribute.

    Examples
    --------
    >>> one = LogRatios(np.array([0]), ("a",), np.array([[0.5]]), np.zeros(1), 1.0, np.zeros((1, 1)))
    >>> exposure_table({"age": one}).to_pylist()
    [{'row': 0, 'attribute': 'age', 'log_ratio': 0.5, 'probability': None}]
    """
    tables = [SCHEMA.empty_table()]
    for name, ratios in found.items():
        best = ratios.best()
        order = np.argsort(-best, kind="stable")
        place = ratios.rows if rows is None else rows[ratios.rows]
        chance = _probabilities(ratios)
        columns = [
            pa.array(place[order]),
            pa.array([name] * len(order), pa.string()),
            pa.array(best[order]),
            pa.nulls(len(order), pa.float64()) if chance is None else pa.array(chance[order]),
        ]
        tables.append(pa.Table.from_arrays(columns, schema=SCHEMA))
    return pa.concat_tables(tables)


def _probabilities(ratios: LogRatios) -> np.ndarray | None:
    """Return the probability given to the truth; the prior is that of the scored records, close to every fold's."""
    if ratios.truth is None or not ratios.classes:
        return None
    classes = next(iter(ratios.classes.values())).shape[1]
    log_prior = np.log(smoothed_shares(np.bincount(ratios.truth, minlength=classes)))
    out, index = np.zeros(len(ratios.rows)), np.arange(len(ratios.rows))
    for j in np.unique(ratios.chosen):
        here = ratios.chosen == j
        table = ratios.classes[ratios.names[j]][here].astype(np.float64) + log_prior
        table -= np.logaddexp.reduce(table, axis=1, keepdims=True)
        out[here] = np.exp(table[np.arange(int(here.sum())), ratios.truth[index[here]]])
    return out
