"""What the parameters of CADP come to, once they are checked: exact epsilons, the mechanism, the directions."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from withhold.contracts.errors import InvalidParameterError, sentence
from withhold.methods.estimator.settings import check_number
from withhold.methods.latent.latent_noise import MECHANISMS
from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.mechanism import exact

CHOICES = {
    "mechanism": MECHANISMS,
    "label": ("public", "randomised"),
    "flow_training": ("public", "dp-sgd", "same-data"),
    "coupling": ("gin", "glow"),
    "preset": (None, "paper"),
}


@dataclass(frozen=True)
class Settled:
    """What was asked for, checked.

    Attributes
    ----------
    epsilon : Fraction
        Of one release of a record, all in all.
    latent_epsilon, label_epsilon : Fraction
        The two parts of it; 0 for a public class.
    mechanism : str
        "privunit", "laplace" or "paper".
    directions : int or None
    total : PrivacyLoss or None
        Of all releases of a record.
    delta : Fraction
        Of one; 0 but for Gaussian noise.
    """

    epsilon: Fraction
    latent_epsilon: Fraction
    label_epsilon: Fraction
    mechanism: str
    directions: int | None
    total: PrivacyLoss | None = None
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, method: Any) -> Self:
        """Check the parameters of a method and settle them.

        Examples
        --------
        >>> from withhold.methods.cadp import CADP
        >>> Settled.of(CADP(epsilon=1, preset="paper")).epsilon
        Fraction(2, 1)
        """
        for name, choices in CHOICES.items():
            _check_choice(method, name, choices)
        total = exact(method.epsilon, "epsilon", type(method).__name__)
        delta = Fraction(0)
        if method.mechanism == "gaussian" and method.preset is None:
            delta = exact(method.delta, "delta", type(method).__name__)
        limit = None
        if method.total is not None:
            most = exact(method.total, "total", type(method).__name__)
            limit = PrivacyLoss(most, delta * max(1, int(most / total)))  # as many deltas as releases
        for name in ("directions", "hidden", "channels", "rounds"):
            if getattr(method, name) is not None:
                check_number(method, name, 1, integer=True, why="It is a size.", remedy="Leave the default.")
        if method.input_noise is not None:
            check_number(method, "input_noise", 0.0, why="It is a standard deviation.", remedy="Leave the default.")
        if method.flow_training == "dp-sgd":
            for name in ("flow_epsilon", "flow_delta"):
                check_number(method, name, 1e-12, why="It is a promise of DP-SGD.", remedy="Leave the default.")
        _refuse_key(method)
        if method.preset == "paper":
            if method.label != "public":
                why, remedy = "Algorithm 1 hands the class over.", "Leave out the preset to randomise the class."
                raise _wrong(method, "label", "'public' with the paper's preset", why, remedy)
            return cls(2 * total, 2 * total, Fraction(0), "paper", None, limit)
        spent = Fraction(0)
        if method.label == "randomised":
            given = method.label_epsilon
            spent = total / 2 if given is None else exact(given, "label_epsilon", type(method).__name__)
            if spent >= total:
                why = "It is the part of epsilon that the class costs, and the rest is for the record."
                raise _wrong(
                    method, "label_epsilon", f"less than epsilon ({total})", why, "Pass less, or None for half."
                )
        elif method.label_epsilon is not None:
            why = "A public class costs nothing and is not covered."
            raise _wrong(method, "label_epsilon", "None for a public class", why, "Pass label='randomised' with it.")
        return cls(total, total - spent, spent, method.mechanism, method.directions, limit, delta)


def _check_choice(method: Any, name: str, choices: tuple[Any, ...]) -> None:
    if getattr(method, name) not in choices:
        listed = " or ".join(map(repr, choices))
        raise _wrong(method, name, listed, "It decides what is promised or how.", "Use one of these.")


def _refuse_key(method: Any) -> None:
    if method.noise_key is not None:
        why = "Noise of a key is the same in every release, and what is promised needs fresh draws."
        raise InvalidParameterError(
            sentence(
                "The 'noise_key' parameter of CADP", "None", "a NoiseKey", why, "Leave it out; releases are counted."
            )
        )


def _wrong(method: Any, name: str, expected: str, why: str, remedy: str) -> InvalidParameterError:
    subject = f"The '{name}' parameter of {type(method).__name__}"
    return InvalidParameterError(sentence(subject, expected, repr(getattr(method, name)), why, remedy))
