"""A small method for tests of the base class and the decoder: a fixed random projection of the encoded features."""

from withhold.contracts.guarantee import Guarantee
from withhold.contracts.seeds import stream
from withhold.methods.estimator.sanitizer import Sanitizer


class Squeeze(Sanitizer):
    """Project to `width` dimensions and add noise of sd `noise`."""

    def __init__(
        self,
        *,
        width=8,
        noise=0.0,
        decode="mode",
        output="auto",
        noise_key=None,
        noise_seed=None,
        keep=(),
        sensitive_kinds=None,
        categorical=(),
        device="auto",
        random_state=None,
    ):
        super().__init__(
            output=output,
            noise_key=noise_key,
            noise_seed=noise_seed,
            keep=keep,
            sensitive_kinds=sensitive_kinds,
            categorical=categorical,
            device=device,
            random_state=random_state,
        )
        self.width = width
        self.noise = noise
        self.decode = decode

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
