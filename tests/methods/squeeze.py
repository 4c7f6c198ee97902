"""A small method for tests of the base class and the decoder: a fixed random projection of the encoded features."""

from dataclasses import dataclass

from withhold.contracts.guarantee import Guarantee
from withhold.contracts.seeds import stream
from withhold.methods.estimator.sanitizer import Sanitizer


@dataclass(kw_only=True, eq=False, repr=False)
class Squeeze(Sanitizer):
    """Project to `width` dimensions and add noise of sd `noise`."""

    width: int = 8
    noise: float = 0.0

    def _fit_encoded(self, data):
        self.map_ = stream(data.rng_seed, "map").normal(size=(data.H.shape[1], self.width)).astype("float32")

    def _encode(self, H):
        return H @ self.map_

    def _noise_scale(self):
        return float(self.noise)

    def _state(self):
        return {"map": self.map_}

    def _restore(self, state, header):
        self.map_ = state["map"]

    def guarantee(self):
        return Guarantee(claim="None: a test.", against="nobody")
