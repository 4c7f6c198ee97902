import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.data.attributes import read_attributes
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.filtering.filter_domain import FilterSettings
from withhold.methods.filtering.filter_domains import learn_domain, restore_domain


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


def test_a_filter_of_another_domain_is_refused():
    with pytest.raises(InvalidParameterError, match="'perceptron', 'linear' for vectors"):
        learn_domain(records(), FilterSettings(filter="unet"))
