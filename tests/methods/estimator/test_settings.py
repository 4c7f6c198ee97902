"""Parameters that every method has, and parameters as they are stored."""

import numpy as np
import pytest

from methods.squeeze import Squeeze
from withhold.contracts.errors import InvalidParameterError, InvalidTypeError
from withhold.methods.estimator.settings import plain, refuse_unsupported
from withhold.privacy.noise_key import NoiseKey


def test_weights_are_refused_with_a_reason():
    with pytest.raises(InvalidTypeError, match="population"):
        refuse_unsupported("Squeeze", {"sample_weight": [1]})


def test_plain_values():
    assert plain({"a": (np.int32(1), [np.bool_(True)]), "b": "text"}) == {"a": [1, [True]], "b": "text"}


@pytest.mark.parametrize("role", ["keep", "categorical", "continuous"])
def test_a_text_is_no_list_of_names(role):
    with pytest.raises(InvalidParameterError, match=rf"^{role} .*Pass \['age'\]"):
        Squeeze(**{role: "age"}).check()


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"noise_key": b"secret"}, "must be a NoiseKey"),
        ({"noise_seed": 1.5}, "a whole number"),
        ({"noise_seed": 0, "noise_key": NoiseKey.from_seed(0)}, "together"),
        ({"output": "pixels"}, "'auto', 'table' or 'representation'"),
    ],
    ids=str,
)
def test_a_common_parameter_that_cannot_be_used(bad, said):
    with pytest.raises(InvalidParameterError, match=said):
        Squeeze(**bad).check()
    Squeeze().check()
