"""Plain training: the baseline that hides nothing.

Empirical risk minimisation on all records: the same encoder, classifier and release noise as the methods that hide an
attribute, without a discriminator. What an attacker finds in its release is what hiding has to take away, and its
accuracy is what hiding may cost. After the training a discriminator learns alone, so that ``game_leakage`` can be
compared with that of the other methods. ``preset="paper"`` is the plain network (CNN) of iwasawa2020iidm.

Guarantee. None: nothing is hidden.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from torch import nn

from withhold.contracts.guarantee import Guarantee
from withhold.contracts.seeds import RandomState
from withhold.methods.invariance.invariant_classifier import InvariantClassifier
from withhold.nets.encoders import Encoder
from withhold.privacy.noise_key import NoiseKey
from withhold.training.invariance import InvarianceGame, InvarianceRecipe, LabelledRecords

if TYPE_CHECKING:
    from lightning_fabric import Fabric


class ERM(InvariantClassifier):
    """Learn a representation for a task and hide nothing.

    Parameters
    ----------
    noise, dimensions, architecture, encoder, hidden, rounds, batch, rate, optimiser, preset, checkpoint
        See `IIDM`.
    output, noise_key, noise_seed, keep, sensitive_kinds, categorical, continuous, device, random_state
        As for every method; see `Noise`.

    Attributes
    ----------
    classes_, diagnostics_
        See `IIDM`.
    curves_ : dict
        ``task``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> S, y = rng.integers(3, size=300), rng.integers(2, size=300)
    >>> X = np.c_[S + 0.3 * rng.normal(size=300), 2 * y + 0.3 * rng.normal(size=300)]
    >>> method = ERM(rounds=100, random_state=0, noise_seed=0).fit(X, y, sensitive_features=S)
    >>> bool(method.score(X, y) > 0.9), method.diagnostics_["game_leakage"] > 0.5
    (True, True)
    """

    command_name = "erm"

    def __init__(
        self,
        *,
        noise: float = 0.3,
        dimensions: int = 64,
        architecture: str = "auto",
        encoder: nn.Module | None = None,
        hidden: int = 128,
        rounds: int | None = None,
        batch: int = 128,
        rate: float = 1e-3,
        optimiser: str = "adam",
        preset: str | None = None,
        checkpoint: str | Path | None = None,
        output: str = "auto",
        noise_key: NoiseKey | None = None,
        noise_seed: int | None = None,
        keep: Sequence[str] = (),
        sensitive_kinds: Mapping[str, str] | None = None,
        categorical: Sequence[str] = (),
        continuous: Sequence[str] = (),
        device: str = "auto",
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            noise=noise,
            dimensions=dimensions,
            architecture=architecture,
            encoder=encoder,
            hidden=hidden,
            rounds=rounds,
            batch=batch,
            rate=rate,
            optimiser=optimiser,
            preset=preset,
            checkpoint=checkpoint,
            output=output,
            noise_key=noise_key,
            noise_seed=noise_seed,
            keep=keep,
            sensitive_kinds=sensitive_kinds,
            categorical=categorical,
            continuous=continuous,
            device=device,
            random_state=random_state,
        )

    def _game(
        self, records: LabelledRecords, recipe: InvarianceRecipe, fabric: "Fabric", encoder: Encoder
    ) -> InvarianceGame:
        return InvarianceGame(records, recipe, fabric, encoder, None)

    def guarantee(self) -> Guarantee:
        """Return the guarantee: none."""
        return Guarantee(claim="None: nothing is hidden; a baseline.", against="nobody", assumptions=(), reference="")
