"""Contrasts of joint and product pairs: lower bounds on I(A; B) in terms of a critic's scores.

All take the matrix of scores T(a_i, b_j) of a batch: the diagonal holds joint pairs, the rest product pairs, which are
records of different rows and therefore independent. Means of exponentials are taken in logs.

The values of a batch are objectives. As figures they are biased: the log of a mean over few pairs is too small on
average, so `donsker_varadhan` is too large, and what a critic learned from it also memorises. Figures come from
`withhold.information.estimators`, on rows the critic has not seen.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional


def donsker_varadhan(scores: Tensor) -> Tensor:
    """Return mean T(a_i, b_i) - log mean e^T(a_i, b_j) over i != j (belghazi2018mine).

    Examples
    --------
    >>> round(float(donsker_varadhan(torch.eye(4))), 4)
    1.0
    """
    return scores.diagonal().mean() - log_mean_exp(scores)


def shuffled_donsker_varadhan(joint: Tensor, product: Tensor) -> Tensor:
    """Return mean T over joint pairs - log mean e^T over product pairs made by one shuffle, as the papers do.

    It costs n scores where `donsker_varadhan` takes n^2, and its log of a mean over n pairs is biased more.

    Parameters
    ----------
    joint, product : Tensor (n,)
        Scores of pairs.

    Examples
    --------
    >>> round(float(shuffled_donsker_varadhan(torch.ones(4), torch.zeros(4))), 4)
    1.0
    """
    return joint.mean() - (product.logsumexp(0) - math.log(len(product)))


def conditional_donsker_varadhan(scores: Tensor, classes: Tensor) -> Tensor:
    """Return the mean over classes of the bound within a class: it bounds I(A; B | class).

    Product pairs are rows of the same class; a row alone in its class has none and is left out.

    Parameters
    ----------
    scores : Tensor (n, n)
    classes : Tensor (n,)
        Class codes.

    Examples
    --------
    >>> T = torch.eye(4)
    >>> bool(conditional_donsker_varadhan(T, torch.zeros(4, dtype=torch.long)) == donsker_varadhan(T))
    True
    """
    n, same = len(scores), classes[:, None] == classes[None]
    partners = same.sum(dim=1) - 1
    paired = partners > 0
    if not bool(paired.any()):
        return scores.sum() * 0.0
    hidden = ~same | torch.eye(n, dtype=torch.bool, device=scores.device)
    members, hidden, scores = classes[paired], hidden[paired][:, paired], scores[paired][:, paired]
    each = scores.masked_fill(hidden, -torch.inf).logsumexp(dim=1) - partners[paired].log()
    # Rows of one class have equally many partners, so the log of the mean over all pairs is that over their means.
    other = members[:, None] != torch.unique(members)[None]
    inside = each[:, None].expand_as(other).masked_fill(other, -torch.inf).logsumexp(dim=0)
    size = (~other).sum(dim=0)
    value: Tensor = scores.diagonal().mean() - ((inside - size.log()) * size).sum() / size.sum()
    return value


def averaged_donsker_varadhan(scores: Tensor, log_average: Tensor) -> Tensor:
    """Return a surrogate whose gradient is that of `donsker_varadhan` with a running average as denominator.

    The gradient of the log of a batch mean is biased; with an average over many batches in its place the bias vanishes
    as the average settles. The value itself means nothing.

    Parameters
    ----------
    scores : Tensor (n, n)
    log_average : Tensor
        Log of the running average of e^T over product pairs.
    """
    return scores.diagonal().mean() - (log_mean_exp(scores) - log_average.detach()).exp()


def nguyen_wainwright_jordan(scores: Tensor) -> Tensor:
    """Return mean T(a_i, b_i) - mean e^(T(a_i, b_j) - 1) over i != j: a lower bound for any T, without a log.

    Examples
    --------
    >>> float(nguyen_wainwright_jordan(torch.ones(4, 4)))
    0.0
    """
    return scores.diagonal().mean() - log_mean_exp(scores - 1).exp()


def info_nce(scores: Tensor) -> Tensor:
    """Return the mean log share of the own partner among n, plus log n: at most log n (oord2018infonce).

    Examples
    --------
    >>> round(float(info_nce(torch.zeros(8, 8))), 5) + 0.0
    0.0
    """
    return math.log(len(scores)) - functional.cross_entropy(scores, torch.arange(len(scores), device=scores.device))


def jensen_shannon(scores: Tensor) -> Tensor:
    """Return a contrast that is largest at T = log p(a, b) / p(a) p(b), with bounded gradients (song2020smile)."""
    return -functional.softplus(-scores.diagonal()).mean() - off_diagonal(functional.softplus(scores)).mean()


def log_mean_exp(scores: Tensor) -> Tensor:
    """Return log mean e^T over the pairs off the diagonal."""
    rest = off_diagonal(scores)
    return rest.logsumexp(0) - math.log(len(rest))


def off_diagonal(scores: Tensor) -> Tensor:
    """Return the entries off the diagonal of a square matrix, flattened.

    Examples
    --------
    >>> off_diagonal(torch.arange(9).reshape(3, 3)).tolist()
    [1, 2, 3, 5, 6, 7]
    """
    n = len(scores)
    return scores.flatten()[:-1].view(n - 1, n + 1)[:, 1:].flatten()
