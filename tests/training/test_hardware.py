import logging

import pytest
import torch

from withhold.contracts.errors import InvalidParameterError
from withhold.training.session import make_fabric


def test_unknown_device_and_precision():
    with pytest.raises(InvalidParameterError, match="device must be"):
        make_fabric("toaster")
    with pytest.raises(InvalidParameterError, match="precision must be"):
        make_fabric("cpu", "8-true")


@pytest.mark.skipif(torch.cuda.is_available(), reason="has the device")
def test_absent_device_is_refused():
    with pytest.raises(InvalidParameterError, match="'cuda'"):
        make_fabric("cuda")


@pytest.mark.parametrize("precision", ["32-true", "64-true", "bf16-mixed"])
def test_says_nothing_and_leaves_the_logger_as_it_was(precision, capfd):
    level = logging.getLogger("lightning_fabric").level
    make_fabric("auto", precision)
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""
    assert logging.getLogger("lightning_fabric").level == level
