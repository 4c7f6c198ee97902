import dataclasses

import numpy as np
import torch

from withhold.methods.aioi.posterior import learn_posterior
from withhold.nets.attribute_density import AttributeLayout
from withhold.nets.perceptron import Perceptron
from withhold.training.recipe import Records
from withhold.training.session import make_fabric


def test_learns_the_posterior_of_rows_it_was_not_shown():
    torch.manual_seed(0)
    H = torch.randn(3000, 2)
    utility = (torch.rand(3000) < torch.sigmoid(2 * H[:, 0])).float()[:, None]
    empty, two = torch.zeros(3000, 0), AttributeLayout((2,))
    folds = np.where(np.arange(3000) < 1000, -1, 0)
    records = Records(H, utility, two, utility, empty, H, 2, folds, utility=utility, utility_layout=two)
    settings = {"seed": 0, "rounds": 300, "batch": 256, "rate": 1e-2}
    outputs = learn_posterior(records, Perceptron((2, 16, 2)), make_fabric("cpu"), **settings)
    p = torch.softmax(outputs, dim=1)[:, 1]
    assert (p - torch.sigmoid(2 * H[:, 0]))[:1000].abs().mean().item() < 0.06
    shuffled = dataclasses.replace(records, utility=utility[torch.randperm(3000)])
    nothing = learn_posterior(shuffled, Perceptron((2, 16, 2)), make_fabric("cpu"), **settings)
    assert (torch.softmax(nothing, dim=1)[:, 1] - 0.5).abs().mean().item() < 0.1
