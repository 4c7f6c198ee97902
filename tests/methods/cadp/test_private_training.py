import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.data.attribute import Attributes
from withhold.methods.cadp.cadp import CADP
from withhold.methods.cadp.private_training import least_noise, private_steps
from withhold.methods.cadp.training import FlowRecipe
from withhold.methods.estimator.fit_data import FitData
from withhold.privacy.composition import dp_sgd_loss


def data(bounded):
    return FitData(H=np.zeros((200, 4), np.float32), sensitive=Attributes(()), bounded=bounded)


def test_unbounded_numbers_are_refused_before_anything_is_trained():
    with pytest.raises(
        InvalidParameterError, match=r"needs images of whole pixels or of values in \[0, 1\] \(got numbers"
    ):
        private_steps(CADP(flow_training="dp-sgd"), data(bounded=False), FlowRecipe(5))


@pytest.mark.filterwarnings("ignore")
def test_the_noise_is_enough_and_not_much_more():
    pytest.importorskip("dp_accounting")
    found = least_noise(4.0, 0.2, 10, 1e-5)
    assert dp_sgd_loss(found, 0.2, 10, 1e-5).epsilon <= 4
    assert dp_sgd_loss(found / 1.05, 0.2, 10, 1e-5).epsilon > 4
    steps, cost = private_steps(
        CADP(flow_training="dp-sgd", flow_epsilon=4), data(bounded=True), FlowRecipe(10, batch=128)
    )
    assert steps.sample_rate == pytest.approx(128 / 200)
    assert cost.epsilon <= 4


@pytest.mark.filterwarnings("ignore")
def test_what_no_noise_reaches_is_an_error():
    pytest.importorskip("dp_accounting")
    with pytest.raises(InvalidParameterError, match=r"flow_epsilon=.* cannot be kept"):
        least_noise(1e-6, 1.0, 2, 1e-9)
