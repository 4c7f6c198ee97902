import numpy as np
import pytest
import torch

from withhold.methods.aioi.bottleneck import Bottleneck
from withhold.methods.aioi.images import ConvolutionalAdversary, ImageDomain
from withhold.methods.aioi.unet import UNet
from withhold.methods.aioi.vectors import FilterSettings
from withhold.nets.attribute_density import AttributeLayout


def domain(bounded=True, **settings):
    H = np.random.default_rng(0).random((40, 64)).astype(np.float32)
    return ImageDomain.learn(H, FilterSettings(**settings), (8, 8), bounded)


def test_images_pass_through_a_code_that_perceptrons_read():
    own = domain(dimensions=6)
    net = own.filter()
    assert isinstance(net, Bottleneck)
    assert net.code_width == 6
    assert own.opponents(AttributeLayout((2,)), 2, own.recipe(40)) is None
    assert own.noise_scale() == 0.0  # of the release; that of the code cannot be told in its units
    assert own.recipe(40).alone > 0


@pytest.mark.parametrize("settings", [{"filter": "unet"}, {"paper": True}])
def test_a_unet_has_noise_on_its_outputs_and_convolutional_adversaries(settings):
    own = domain(**settings)
    net = own.filter()
    assert isinstance(net.inner, UNet)
    assert net.code_width is None
    assert own.noise_scale() == (0.0 if own.settings.paper else 0.4)
    make = own.opponents(AttributeLayout((2,)), 2, own.recipe(40))
    assert isinstance(make(), ConvolutionalAdversary)
    assert make()(torch.rand(2, 5, 64)).shape == (2, 5, 2)
    assert own.naturalness == 0.0


def test_a_code_costs_what_it_loses_of_the_picture():
    """A picture without anything of the record costs one nat, in either units."""
    for bounded in (True, False):
        own = domain(bounded)
        H = np.random.default_rng(0).random((40, 64)).astype(np.float32)
        read = own.read(H)
        lost = own.naturalness * float(np.mean((read - read.mean()) ** 2))
        assert lost == pytest.approx(1.0, abs=1e-3)


def test_few_records_are_played_with_care():
    """More adversaries, each learning from more, and a multiplier that cannot outrun what is kept."""
    H = np.random.default_rng(0).random((5_000, 64), dtype=np.float32)
    few, many = (ImageDomain.learn(part, FilterSettings(), (8, 8), True) for part in (H[:200], H))
    assert few.recipe(200).folds > many.recipe(5_000).folds
    prices = [own.price(0.1) for own in (few, many)]
    for _ in range(200):
        low, high = (price.update(2.0) for price in prices)
    assert low < high
    assert prices[0].value == pytest.approx(3.0)
    assert few.filter().encoder.scale > many.filter().encoder.scale
    again = [ImageDomain.restore(own.state(), own.settings) for own in (few, many)]
    assert [own.filter().encoder.scale for own in again] == [own.filter().encoder.scale for own in (few, many)]
    before = {name: value for name, value in few.state().items() if name != "few"}  # a file of an earlier version
    assert ImageDomain.restore(before, few.settings).filter().encoder.scale == many.filter().encoder.scale
