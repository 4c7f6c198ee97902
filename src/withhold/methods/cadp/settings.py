"""What the parameters of CADP come to, once they are checked: exact epsilons, the mechanism, the directions."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from withhold.contracts.errors import InvalidParameterError
from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.mechanism import exact


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
    total : PrivacyLoss or None
        Of all releases of a record.
    same_data : bool
        Whether the flow was trained on records that are released.
    """

    epsilon: Fraction
    latent_epsilon: Fraction
    label_epsilon: Fraction
    mechanism: str
    directions: int | None
    total: PrivacyLoss | None = None
    same_data: bool = False

    @classmethod
    def of(cls, method: Any) -> Self:
        """Settle the parameters of a method, or refuse those that contradict each other.

        Examples
        --------
        >>> from withhold.methods.cadp.cadp import CADP
        >>> Settled.of(CADP(epsilon=1, preset="paper")).epsilon
        Fraction(2, 1)
        """
        total = exact(method.epsilon, "epsilon", type(method).__name__)
        limit = None if method.total is None else PrivacyLoss(exact(method.total, "total", type(method).__name__))
        same = method.flow_training == "same-data"
        if method.noise_key is not None:
            raise InvalidParameterError(
                "CADP takes no noise_key: its noise is new in every release, and releases are counted. Leave it out."
            )
        if method.preset == "paper":
            if method.label != "public":
                raise InvalidParameterError(
                    f"label must be 'public' with preset='paper' (got {method.label!r}): Algorithm 1 hands the class "
                    "over. Leave the preset out to randomise it."
                )
            return cls(2 * total, 2 * total, Fraction(0), "paper", None, limit, same)
        spent = Fraction(0)
        if method.label == "randomised":
            given = method.label_epsilon
            spent = total / 2 if given is None else exact(given, "label_epsilon", type(method).__name__)
            if spent >= total:
                raise InvalidParameterError(
                    f"label_epsilon must be less than epsilon, {total} (got {given}): the rest is for the record. "
                    "Leave it out for half."
                )
        elif method.label_epsilon is not None:
            raise InvalidParameterError(
                f"label_epsilon only applies to a randomised class (got {method.label_epsilon}). "
                "Pass label='randomised' with it, or leave it out."
            )
        return cls(total, total - spent, spent, method.mechanism, method.directions, limit, same)
