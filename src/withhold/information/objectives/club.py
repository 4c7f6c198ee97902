"""CLUB: how much likelier a model q(b | a) finds a record's own b than those of others (cheng2020club).

With the exact conditional p(b | a) the value is an upper bound on I(A; B). With a learned q it is one if and only if q
is no further from joint pairs than from product pairs, KL(p(a,b) || p(a) q) <= KL(p(a) p(b) || p(a) q), which data
cannot certify: the value may be far above the information, far below, or negative. Normalisers that do not depend on b
cancel, so both functions take what q says about each record and no more.
"""

import torch
from torch import Tensor
from torch.nn import functional

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
    layout : AttributeLayout
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
