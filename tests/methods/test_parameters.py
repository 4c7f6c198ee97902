"""Names of parameters that are read from the source are those of the constructor."""

import inspect

import pytest

from withhold.methods.catalogue import MODULES, method_class
from withhold.methods.parameters import parameter_names


@pytest.mark.parametrize("name", MODULES)
def test_they_are_those_of_the_constructor(name):
    assert parameter_names(name) == tuple(inspect.signature(method_class(name)).parameters)
