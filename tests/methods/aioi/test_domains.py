import dataclasses

import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.data.attributes import read_attributes
from withhold.methods.aioi.domains import learn_domain, restore_domain
from withhold.methods.aioi.vectors import FilterSettings
from withhold.methods.estimator.fit_data import FitData


def records(**changes):
    rng = np.random.default_rng(0)
    H = rng.normal(3.0, 2.0, size=(40, 12)).astype(np.float32)
    return FitData(H=H, sensitive=read_attributes(np.resize(["a", "b"], 40)), **changes)


@pytest.mark.parametrize(("shape", "kind"), [(None, "vectors"), ((4, 3), "images"), ((2, 2, 3), "images")])
def test_records_come_back_in_their_units(shape, kind):
    data = records(shape=shape)
    domain = learn_domain(data, FilterSettings())
    assert domain.kind == kind
    read = domain.read(data.H)
    assert abs(float(read.mean())) < 1e-5
    assert float(read.std()) == pytest.approx(1.0, abs=1e-3)
    assert np.allclose(domain.write(read), data.H, atol=1e-4)
    again = restore_domain(domain.state(), FilterSettings())
    assert np.array_equal(again.read(data.H), read)
    assert again.filter().width == 12


def test_pixels_stay_as_they_are():
    data = records(shape=(4, 3), bounded=True)
    domain = learn_domain(data, FilterSettings())
    assert np.array_equal(domain.read(data.H), data.H)


def test_scans_that_fill_a_part_of_their_range_stay_in_it():
    data = records(shape=(4, 3), bounded=True)
    data = dataclasses.replace(data, H=(np.abs(data.H) / np.abs(data.H).max() / 16).astype(np.float32))
    domain = learn_domain(data, FilterSettings())
    for own in (domain, restore_domain(domain.state(), FilterSettings())):
        written = own.write(np.linspace(0, 1, 24, dtype=np.float32).reshape(2, 12))
        assert (written.min(), written.max()) == (data.H.min(), data.H.max())


def test_a_filter_of_another_domain_is_refused():
    with pytest.raises(InvalidParameterError, match=r"for vectors 'unet'. Choose auto, .*perceptron or linear"):
        learn_domain(records(), FilterSettings(filter="unet"))


@pytest.mark.parametrize("offset", [0.0, 1e7, 1e9])
def test_a_large_mean_costs_no_digits_of_what_varies(offset):
    data = records()
    far = dataclasses.replace(data, H=data.H.astype(np.float64) + offset)
    domain = learn_domain(far, FilterSettings())
    read = domain.read(far.H)
    assert np.allclose(read, learn_domain(data, FilterSettings()).read(data.H), atol=1e-4)
    assert np.allclose(domain.write(read), far.H, rtol=0, atol=1e-5)
    again = restore_domain(domain.state(), FilterSettings())
    assert np.array_equal(again.read(far.H), read)


def test_more_noise_lets_a_vector_filter_aim_nearer_to_its_budget():
    aims = [
        learn_domain(records(), FilterSettings(noise=noise)).price(1.0).target for noise in (0.1, 0.3, 0.45, 0.6, 2)
    ]
    assert aims == pytest.approx([0.85, 0.85, 0.9, 0.95, 0.95])
