"""What records tell of the classes of U and S, by boosted trees of which none learned from the record it scores.

Nor from a copy of it; from other records of the same subject it may have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from withhold.data.attribute import Attribute
from withhold.data.codec import Block
from withhold.methods.estimator.boosted_scores import CrossFitted
from withhold.methods.estimator.fit_data import FitData

MOST_CLASSES = 10  # of an attribute whose scores are inputs; more would cost more trees than they help
SHARE_OF_PRIOR = 0.01  # of every posterior: no class of a row is impossible, so no loss is without limit
LIMIT = 6.0  # of a score: what is surer is not better known


@dataclass(frozen=True)
class ToldClasses:
    """Scores of the classes of several attributes.

    Attributes
    ----------
    classes : tuple of int
        Of each model.
    useful : tuple of bool
        Whether a model is of a utility attribute.
    """

    models: tuple[CrossFitted, ...]
    classes: tuple[int, ...]
    useful: tuple[bool, ...]

    @classmethod
    def learn(cls, data: FitData, blocks: Sequence[Block] = ()) -> Self:
        """Fit a model to each categorical utility attribute, and to S where it is categorical and has few classes."""
        joint = data.sensitive.joint()
        hidden = [item for item in ([joint] if joint else data.sensitive) if _few(item)]
        items = [(item, True) for item in data.utilities or () if item.kind == "categorical"]
        items += [(item, False) for item in hidden]
        models = []
        for i, (item, _) in enumerate(items):
            codes = np.where(item.known, item.codes, -1)
            models.append(CrossFitted.fit(data.H, codes, item.n_classes, blocks, seed=data.rng_seed + 97 * i))
        return cls(tuple(models), tuple(item.n_classes for item, _ in items), tuple(useful for _, useful in items))

    @property
    def width(self) -> int:
        """Number of scores."""
        return sum(k for k in self.classes if k <= MOST_CLASSES)

    def __call__(self, H: np.ndarray) -> np.ndarray:
        """Return log-probabilities about their mean, float32 (n, width), for attributes of few classes."""
        parts = [np.empty((len(H), 0))]
        for model, k in zip(self.models, self.classes, strict=True):
            if k <= MOST_CLASSES:
                scores = model.log_probabilities(H)
                parts.append(np.clip(scores - scores.mean(axis=1, keepdims=True), -LIMIT, LIMIT))
        return np.concatenate(parts, axis=1).astype(np.float32)

    def posterior(self, data: FitData) -> np.ndarray | None:
        """Return log p(u|x) of the training rows for all classes of all utilities; None where one is a number.

        In-sample posteriors repeat the labels, and a release that is trained to match them learns noise; single labels
        are noisier than the posterior.
        """
        utilities = list(data.utilities or ())
        if not utilities or any(item.kind != "categorical" for item in utilities):
            return None
        models = [model for model, useful in zip(self.models, self.useful, strict=True) if useful]
        parts = []
        for model, item in zip(models, utilities, strict=True):
            parts.append(np.log(with_prior(np.exp(model.log_probabilities(data.H)), item)))
        return np.concatenate(parts, axis=1).astype(np.float32)

    def state(self) -> dict[str, np.ndarray]:
        """Return all models as arrays."""
        arrays = {"classes": np.array(self.classes, dtype=np.int64), "useful": np.array(self.useful, dtype=np.bool_)}
        for i, model in enumerate(self.models):
            arrays |= {f"{i}|{name}": value for name, value in model.state().items()}
        return arrays

    @classmethod
    def restore(cls, state: Mapping[str, np.ndarray], width: int) -> Self:
        """Rebuild from what `state` returned, for records of `width` numbers."""
        classes = tuple(int(k) for k in state["classes"])
        models = []
        for i in range(len(classes)):
            own = {name.partition("|")[2]: value for name, value in state.items() if name.startswith(f"{i}|")}
            models.append(CrossFitted.restore(own, width))
        return cls(tuple(models), classes, tuple(bool(useful) for useful in state["useful"]))


def with_prior(shares: np.ndarray, item: Attribute) -> np.ndarray:
    """Return probabilities of an attribute's classes, mixed with a little of how common they are."""
    counts = np.bincount(item.codes[item.known], minlength=item.n_classes)
    prior = (counts + 1.0) / (counts.sum() + len(counts))
    return np.asarray((1 - SHARE_OF_PRIOR) * shares + SHARE_OF_PRIOR * prior)


def _few(item: Attribute) -> bool:
    return item.kind == "categorical" and item.n_classes <= MOST_CLASSES
