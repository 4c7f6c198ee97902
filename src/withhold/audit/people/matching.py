"""The attacker who looks a person up: the nearest row of a file, and how far it is."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.neighbors import NearestNeighbors

from withhold.audit.attackers.attacker import Scale
from withhold.audit.attackers.mixture import fit_mixture
from withhold.audit.statistics.arrays import Codes, Matrix, Reals

NAME, TOGETHER = "nearest_row", "together"
# Nearer than this in standardised columns is the same row.
_SAME = 1e-5
# People by how near their nearest row is: the first of them, and three times as many each time.
_FIRST, _GROWTH, _MOST_BANDS = 60, 3, 6
# People of one band whose classes tell whom to trust there.
_LEAST = 20


@dataclass(frozen=True)
class Matches:
    """Of each person the class of the nearest row, and the band of its distance: 0 for an equal row."""

    guess: Codes
    band: Codes

    @classmethod
    def of(cls, rows: Matrix, s: Codes, people: Matrix) -> "Matches":
        """Look people up in the rows of a file.

        Parameters
        ----------
        rows : ndarray of shape (n, p)
        s : ndarray of shape (n,)
            Class of each row.
        people : ndarray of shape (m, p)

        Examples
        --------
        >>> rows = np.array([[0.0], [1.0], [5.0]], np.float32)
        >>> Matches.of(rows, np.array([0, 1, 0]), np.array([[1.0], [4.0]], np.float32)).guess.tolist()
        [1, 0]
        """
        scale = Scale.of(rows)
        search = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(scale.apply(rows))
        distance, nearest = (part[:, 0] for part in search.kneighbors(scale.apply(people)))
        # Which rows are equal is not left to rounding in sums of squares.
        equal = np.abs(scale.apply(rows)[nearest] - scale.apply(people)).max(axis=1, initial=0.0) < _SAME
        ends = _FIRST * np.cumsum(_GROWTH ** np.arange(_MOST_BANDS - 1))
        rank = np.empty(len(people), np.int64)
        rank[np.lexsort((distance, ~equal))] = np.arange(len(people)) - equal.sum()
        return cls(s[nearest], np.where(equal, 0, 1 + np.searchsorted(ends, rank, side="right")).astype(np.int64))

    def log_ratios(self, truth: Codes, log_prior: Reals, half: Codes) -> Reals:
        """Return log q(s) - log p(s) of every class, q learned from the other half of the people.

        Who looks people up knows how reliable a match is from those of whom he knows the truth, whoever they are.
        """
        classes = len(log_prior)
        out = np.zeros((len(truth), classes))
        for side in (0, 1):
            learned, asked = half != side, half == side
            counts = np.zeros((_MOST_BANDS + 1, classes, classes)) + 2 * np.exp(log_prior)
            np.add.at(counts, (self.band[learned], self.guess[learned], truth[learned]), 1.0)
            share = np.log(counts / counts.sum(axis=2, keepdims=True))
            out[asked] = share[self.band[asked], self.guess[asked]] - log_prior
        return out

    def together(self, tables: Mapping[str, Reals], truth: Codes, log_prior: Reals, half: Codes) -> Reals:
        """Return the guess of whoever asks all attackers and looks people up, as `log_ratios` does.

        How much he trusts each of them hangs on how near the nearest row is, and is learned from the other half. Only
        he is compared between people: one who reads little of everybody and much of copies would count as disclosed
        what others read of everybody.
        """
        members = np.stack(list(tables.values()))
        out = np.zeros((len(truth), len(log_prior)))
        for side in (0, 1):
            learned, asked = half != side, half == side
            whole = fit_mixture(members[:, learned], truth[learned], log_prior)
            for band in np.unique(self.band[asked]):
                known, wanted = learned & (self.band == band), asked & (self.band == band)
                own = whole if known.sum() < _LEAST else fit_mixture(members[:, known], truth[known], log_prior)
                out[wanted] = own.ratio(members[:, wanted])
        return out
