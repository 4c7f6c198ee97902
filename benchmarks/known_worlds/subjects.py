"""Worlds of repeated subjects: S belongs to the subject, and so does part of the noise."""

import numpy as np
from known_worlds.quadrature import distance_for, shift_information
from known_worlds.world import Sample, World, coin, columns

RECORDS = 5
LEAK = 0.06
# A record's variance along the leak is that of the subject, 1, and its own, 1.
DISTANCE = distance_for(LEAK) * np.sqrt(2.0)


def _subjects(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    groups = rng.permutation(n) // RECORDS
    return groups, coin(int(groups.max()) + 1, rng)


def _repeated(n: int, rng: np.random.Generator) -> Sample:
    groups, s = _subjects(n, rng)
    own = rng.standard_normal((len(s), 6))
    own[:, 0] += DISTANCE * s
    return Sample(columns(own[groups] + rng.standard_normal((n, 6))), {"s": s[groups]}, groups=groups)


def _signatures(n: int, rng: np.random.Generator) -> Sample:
    groups, s = _subjects(n, rng)
    own = rng.standard_normal((len(s), 6))
    return Sample(columns(own[groups] + 0.1 * rng.standard_normal((n, 6))), {"s": s[groups]}, groups=groups)


SUBJECTS = (
    World(
        "repeated_subjects",
        shift_information(float(DISTANCE / np.sqrt(2.0))),
        _repeated,
        "Five records a subject share S and half of the noise; a record holds I(S; g + d S / sqrt 2), "
        "a subject I(S; g + d S / sqrt(1 + 1/5)), by quadrature.",
        form="column",
        subject_truth=shift_information(float(DISTANCE / np.sqrt(1 + 1 / RECORDS))),
    ),
    World(
        "subject_signatures",
        0.0,
        _signatures,
        "Five nearly equal records a subject: who has seen one knows S of the others, who has not knows nothing. "
        "Truth 0 for subjects not met before.",
        0.0,
        subject_truth=0.0,
    ),
)
