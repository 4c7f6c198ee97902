import numpy as np
import pytest
import torch

from withhold.contracts.errors import InvalidParameterError
from withhold.information.estimators.conditionals import Conditional, ConditionalTraining, cross_fitted_conditionals
from withhold.information.estimators.inputs import read_pair


def test_rows_are_learned_from_or_held_never_both():
    rng = np.random.default_rng(0)
    pair = read_pair(rng.normal(size=(90, 2)), rng.integers(3, size=90))
    folds = list(cross_fitted_conditionals(pair, ConditionalTraining(steps=2), 0))
    assert sorted(np.concatenate([f.held for f in folds]).tolist()) == list(range(90))
    for fold in folds:
        assert sorted(np.concatenate([fold.learned, fold.aside, fold.held]).tolist()) == list(range(90))
        assert not any(p.requires_grad for p in fold.model.parameters())


def test_densities_of_numbers_and_classes():
    torch.manual_seed(0)
    a, b = torch.randn(6, 3), torch.randn(6, 2)
    q = Conditional(3, 0, 2, (4,))
    mean, log_variance = q.moments(a)
    expected = torch.distributions.Normal(mean, (0.5 * log_variance).exp()).log_prob(b).sum(dim=1)
    assert torch.allclose(q.log_density(a, b), expected + np.log(2 * np.pi), atol=1e-5)
    classes, codes = Conditional(3, 4, 0, ()), torch.tensor([0, 1, 2, 3, 0, 1])
    assert torch.allclose(classes.log_density(a, codes), classes(a).log_softmax(1)[torch.arange(6), codes])


@pytest.mark.parametrize("bad", [{"steps": -1}, {"batch": 1}, {"folds": 1}, {"rate": 0.0}])
def test_bad_settings(bad):
    pair = read_pair(np.arange(40.0), np.arange(40) % 2)
    with pytest.raises(InvalidParameterError, match=next(iter(bad))):
        list(cross_fitted_conditionals(pair, ConditionalTraining(**bad), 0))
