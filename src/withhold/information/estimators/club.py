"""CLUB: how much likelier a model q(b | a) finds a record's own b; an upper bound only for a good enough model."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from withhold.contracts.quantity import Quantity
from withhold.contracts.seeds import RandomState, root, stream
from withhold.information.estimators.conditionals import ConditionalTraining, Fold, cross_fitted_conditionals
from withhold.information.estimators.estimator import InformationEstimator, check_finite, interval
from withhold.information.estimators.inputs import Pair
from withhold.nets.attribute_density import AttributeLayout, gaussian_moments


def club_categorical(log_q: Tensor, codes: Tensor, partners: Tensor | None = None) -> Tensor:
    """Return CLUB for classes: mean_i [log q(b_i|a_i) - mean_j log q(b_j|a_i)], j = i included.

    Parameters
    ----------
    log_q : Tensor (n, n_classes)
        Log-probabilities.
    codes : Tensor (n,)
    partners : Tensor (n,), optional
        A permutation: the sampled form, one j for each i, instead of the mean over all.

    Returns
    -------
    Tensor
        A scalar.

    Examples
    --------
    >>> import torch
    >>> log_q = torch.tensor([[0.9, 0.1], [0.1, 0.9]]).log()
    >>> round(float(club_categorical(log_q, torch.tensor([0, 1]))), 4)
    1.0986
    """
    own = log_q.gather(1, codes[:, None]).mean()
    if partners is not None:
        return own - log_q.gather(1, codes[partners][:, None]).mean()
    shares = functional.one_hot(codes, log_q.shape[1]).to(log_q.dtype).mean(dim=0)
    return own - (log_q @ shares).mean()


def club_gaussian(mean: Tensor, log_variance: Tensor, values: Tensor, partners: Tensor | None = None) -> Tensor:
    """Return CLUB for numbers with q = N(mean, exp(log_variance)), independent over columns.

    The mean over all j has a closed form in the first two moments of `values`, so it costs O(n).

    Parameters
    ----------
    mean, log_variance, values : Tensor (n,) or (n, columns)
    partners : Tensor (n,), optional
        A permutation: the sampled form.

    Returns
    -------
    Tensor
        A scalar.

    Examples
    --------
    >>> import torch
    >>> values = torch.tensor([-1.0, 1.0])
    >>> float(club_gaussian(values, torch.zeros(2), values))
    1.0
    """
    own = (values - mean).square()
    other = (values.mean(dim=0) - mean).square() + values.var(dim=0, correction=0)
    if partners is not None:
        other = (values[partners] - mean).square()
    contrast = 0.5 * (other - own) * (-log_variance).exp()
    return (contrast if contrast.dim() == 1 else contrast.sum(dim=1)).mean()


def club_of_attributes(layout: AttributeLayout, outputs: Tensor, targets: Tensor) -> Tensor:
    """Return relu(CLUB) of each attribute, summed; rows whose value is missing are left out.

    Below zero the model has not been learned well, and going further would reward fooling it.

    Parameters
    ----------
    outputs : Tensor (..., layout.width)
        What the model says about each record.
    targets : Tensor (..., n_attributes)
        NaN where missing.

    Examples
    --------
    >>> outputs = torch.tensor([[2.0, 0.0], [0.0, 2.0]])
    >>> float(club_of_attributes(AttributeLayout((2,)), outputs, torch.tensor([[0.0], [1.0]])))
    1.0
    """
    terms = []
    for block, values, k in zip(layout.blocks(outputs), targets.unbind(-1), layout.classes, strict=True):
        known = ~values.isnan()
        if bool(known.any()):
            rows, own = block[known], values[known]
            log_q = functional.log_softmax(rows, dim=-1)
            terms.append(club_categorical(log_q, own.long()) if k else club_gaussian(*gaussian_moments(rows), own))
    return torch.stack([functional.relu(term) for term in terms]).sum() if terms else outputs.sum() * 0.0


CONDITION = (
    "An upper bound only if q(b|a) is no further from joint pairs than from product pairs in relative entropy, which "
    "data cannot certify; otherwise it may be far above the information, far below, or negative."
)


class CLUB(InformationEstimator):
    """Contrastive log-ratio estimate, with a learned q.

    Parameters
    ----------
    sampled : bool, default=False
        One partner for each record instead of all.
    training : ConditionalTraining, optional
    level : float, default=0.95
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    gain_ : float
        Held-out mean of log q(b | a) minus that of the marginal model, in nats. At or below 0 the model knows nothing,
        and the value is noise.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=1000)
    >>> b = a + rng.normal(size=1000)  # .347 nat; an exact q gives 1.0
    >>> found = CLUB(random_state=0).fit(a, b).estimate()
    >>> found.kind, found.value > 0.5
    ('estimate', True)
    """

    def __init__(
        self,
        *,
        sampled: bool = False,
        training: ConditionalTraining | None = None,
        level: float = 0.95,
        random_state: RandomState = None,
    ) -> None:
        self.sampled = sampled
        self.training = training
        self.level = level
        self.random_state = random_state

    def _measure(self, pair: Pair) -> Quantity:
        seed = root(self.random_state)
        values, parts, gains, sizes = [], [], [], []
        for i, fold in enumerate(cross_fitted_conditionals(pair, self.training or ConditionalTraining(), seed)):
            n = len(fold.held)
            # A cycle through rows in random order: everybody's partner is somebody else.
            order = stream(seed, "partners", i).permutation(n)
            partners = np.empty(n, np.int64)
            partners[order] = np.roll(order, 1)
            value, contributions = _value(fold, torch.from_numpy(partners) if self.sampled else None)
            values.append(value)
            parts.append(contributions - contributions.mean())
            gains.append(_gain(fold))
            sizes.append(n)
        self.gain_ = float(np.average(gains, weights=sizes))
        mean = check_finite(float(np.average(values, weights=sizes)), "CLUB")
        low, high = interval(np.concatenate(parts), mean, self.level)
        return Quantity(
            value=mean, low=low, high=high, kind="estimate", level=self.level, n=len(pair), condition=CONDITION
        )


def _value(fold: Fold, partners: torch.Tensor | None) -> tuple[float, np.ndarray]:
    """CLUB of the held rows, and how much each record moves it as a and as b."""
    a, b = fold.a[fold.held], fold.b[fold.held]
    if fold.model.classes:
        log_q = fold.model(a).log_softmax(dim=1).double()
        value = float(club_categorical(log_q, b, partners))
        own, against = log_q.gather(1, b[:, None])[:, 0], log_q.mean(dim=0)[b]
        other = log_q[:, b].mean(dim=1) if partners is None else log_q.gather(1, b[partners][:, None])[:, 0]
    else:
        mean, log_variance = (x.double() for x in fold.model.moments(a))
        b = b.double()
        value = float(club_gaussian(mean, log_variance, b, partners))
        weight = (-log_variance).exp()
        own = -0.5 * ((b - mean).square() * weight).sum(dim=1)
        w, wm, wmm = weight.mean(dim=0), (weight * mean).mean(dim=0), (weight * mean.square()).mean(dim=0)
        against = -0.5 * (w * b.square() - 2 * wm * b + wmm).sum(dim=1)
        spread = (b.mean(dim=0) - mean).square() + b.var(dim=0, correction=0)
        gap = spread if partners is None else (b[partners] - mean).square()
        other = -0.5 * (gap * weight).sum(dim=1)
    return value, (own - other - (against if partners is None else 0.0)).numpy()


def _gain(fold: Fold) -> float:
    """Held-out log-likelihood of the model above that of the marginal of the rows it learned from."""
    a, b, seen = fold.a[fold.held], fold.b[fold.held], fold.b[fold.learned]
    model = float(fold.model.log_density(a, b).mean())
    if fold.model.classes:
        shares = torch.bincount(seen, minlength=fold.model.classes) + 1.0
        return model - float((shares / shares.sum()).log()[b].mean())
    variance = seen.var(dim=0).clamp_min(1e-12)
    return model + float(0.5 * (variance.log() + (b - seen.mean(dim=0)).square() / variance).sum(dim=1).mean())
