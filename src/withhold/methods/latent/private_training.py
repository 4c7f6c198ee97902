"""How much noise DP-SGD needs for the promise asked for, and where it can be promised at all."""

from typing import Any

from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.methods.estimator.fit_data import FitData
from withhold.privacy.composition import PrivacyLoss, dp_sgd_loss
from withhold.training.flow import FlowRecipe
from withhold.training.private_flow import PrivateSteps

HALVINGS = 8  # of the noise multiplier, on a scale of factors: within 2 % of the least that is enough
LEAST_NOISE, MOST_NOISE = 0.3, 64.0


def private_steps(method: Any, data: FitData, recipe: FlowRecipe) -> tuple[PrivateSteps, PrivacyLoss]:
    """Return noise and sampling rate for the promise that the parameters of CADP ask for, and what was reached.

    Parameters
    ----------
    method : CADP
        Its `flow_epsilon` and `flow_delta`.
    data : FitData
        Images of whole pixels: the coding of a table, and the scale of other numbers, are learned without privacy.
    recipe : FlowRecipe
    """
    if not data.bounded:
        why = "The coding of a table and the scale of other numbers are learned from the records without privacy."
        got = "a table" if data.codec is not None else "numbers without bounds"
        remedy = "Train the flow on rows that are not released (flow_training='public')."
        subject = f"The data of {type(method).__name__} with flow_training='dp-sgd'"
        raise InvalidParameterError(sentence(subject, "images on [0, 1] or of whole pixels", got, why, remedy))
    rate = min(1.0, recipe.batch / data.n)
    multiplier = least_noise(float(method.flow_epsilon), rate, recipe.steps, method.flow_delta)
    return PrivateSteps(multiplier, rate), dp_sgd_loss(multiplier, rate, recipe.steps, method.flow_delta)


def least_noise(epsilon: float, rate: float, steps: int, delta: float) -> float:
    """Return about the least noise multiplier with which DP-SGD keeps `epsilon`."""
    low, high = LEAST_NOISE, MOST_NOISE
    if dp_sgd_loss(high, rate, steps, delta).epsilon > epsilon:
        why = "Even with the most noise that is tried the training tells more."
        remedy = "Take fewer rounds, more records or a larger flow_epsilon."
        raise InvalidParameterError(sentence("The 'flow_epsilon' parameter", "larger", f"{epsilon:g}", why, remedy))
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if dp_sgd_loss(middle, rate, steps, delta).epsilon <= epsilon else (middle, high)
    return high
