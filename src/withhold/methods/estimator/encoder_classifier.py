"""A sanitiser that is an encoder and a classifier on its noisy output: how it encodes, predicts and is stored."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from withhold.contracts.errors import ArtifactError, sentence
from withhold.contracts.finding import Finding
from withhold.io.artifact import content_digest
from withhold.methods.estimator.classifier import RepresentationClassifier
from withhold.methods.estimator.fit_data import FitData
from withhold.methods.estimator.game_records import Scale
from withhold.methods.estimator.packing import encoded_digest
from withhold.methods.estimator.settings import agree
from withhold.nets.encoders import Encoder
from withhold.nets.restoring import restored

CHUNK = 4_096  # rows a time: intermediate results of a convolution stay in memory


class EncoderClassifier(RepresentationClassifier):
    """Base of methods whose fit leaves `encoder_`, `classifier_`, `scale_`, `shape_` and `noise_`.

    A subclass has the parameter `encoder`, the user's module or None, and says what untrained networks look like.
    """

    unsaved: ClassVar[tuple[str, ...]] = ("noise_key", "encoder")

    encoder: nn.Module | None
    architecture: str
    noise: float
    preset: str | None
    encoder_: Encoder
    classifier_: nn.Module
    scale_: Scale
    shape_: tuple[int, ...]
    noise_: float

    @abstractmethod
    def _new_encoder(self) -> Encoder:
        """Return an untrained encoder for records of `shape_`."""

    @abstractmethod
    def _new_classifier(self, dimensions: int) -> nn.Module:
        """Return an untrained classifier of `classes_` from a representation."""

    def _form_findings(self, data: FitData) -> list[Finding]:
        """Say so where records that look like windows of signals were read as images."""
        if self.architecture != "auto" or data.bounded or len(data.shape or ()) != 2:
            return []
        text = (
            f"Records of shape {data.shape} with values outside [0, 1] were read as grey images. If they are windows "
            "of sensor signals, (time, channels), say architecture='windows'; if they are images, 'images'."
        )
        return [Finding(code="read_as_images", severity="warning", text=text)]

    def _fingerprint(self, data: FitData, secrets: Tensor, labels: Tensor, start: nn.Module) -> str:
        """Return what identifies a training for its checkpoint: data, settings and the weights it starts from."""
        given = {name: value for name, value in self.get_params().items() if name not in self.unsaved}
        weights = {name: value.detach().cpu().double().numpy() for name, value in start.state_dict().items()}
        digests = [encoded_digest(data.H), *(encoded_digest(part.cpu().numpy()) for part in (secrets, labels))]
        return " ".join([*digests, content_digest({}, weights), str(data.rng_seed), repr(sorted(given.items()))])

    @torch.no_grad()
    def _encode(self, H: Any) -> np.ndarray:
        parts = torch.split(torch.from_numpy(self.scale_(np.asarray(H))), CHUNK)
        return torch.cat([self.encoder_(part) for part in parts]).numpy()

    @torch.no_grad()
    def _logits(self, Z: np.ndarray) -> np.ndarray:
        return np.asarray(self.classifier_(torch.from_numpy(np.asarray(Z, dtype=np.float32))).numpy())

    def _try(self, H: Any) -> np.ndarray:
        Z = self._encode(H)
        self._logits(Z)
        return Z

    def _noise_scale(self) -> float:
        return self.noise_

    def _keep(self, encoder: nn.Module, classifier: nn.Module) -> None:
        """Take the trained networks over, to compute with from now on."""
        self.encoder_ = encoder.to("cpu", torch.float32).eval().requires_grad_(False)  # type: ignore[assignment]
        self.classifier_ = classifier.to("cpu", torch.float32).eval().requires_grad_(False)

    def _state(self) -> dict[str, np.ndarray]:
        weights = {f"encoder.{name}": value.numpy() for name, value in self.encoder_.state_dict().items()}
        weights |= {f"classifier.{name}": value.numpy() for name, value in self.classifier_.state_dict().items()}
        sizes = {"shape": np.array(self.shape_), "noise": np.array(self.noise_)}
        scale = {"centre": self.scale_.centre, "spread": self.scale_.spread}
        return {**super()._state(), **sizes, **scale, **weights, "own": np.array(int(self.encoder is not None))}

    def _restore(self, state: dict[str, np.ndarray], header: Mapping[str, Any]) -> None:
        super()._restore(state, header)
        if bool(state["own"]) != (self.encoder is not None):
            what, expected = f"The 'encoder' argument of load for this {type(self).__name__}", "the module of the fit"
            got = "no module" if self.encoder is None else "a module, where the fit had none"
            why = "Code is never in an artifact."
            remedy = "Pass load(path, encoder=module) exactly if fit was given one."
            raise ArtifactError(sentence(what, expected, got, why, remedy))
        self.scale_, self.noise_ = Scale(state["centre"], state["spread"]), float(state["noise"])
        self.shape_ = tuple(int(side) for side in state["shape"])
        agree("noise", 0.0 if self.preset == "paper" else float(self.noise), self.noise_)
        agree("a record of numbers", math.prod(self.shape_), self.encoding_.width)
        parts = [
            {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}
            for prefix in ("encoder.", "classifier.")
        ]
        self.encoder_ = restored(self._new_encoder, parts[0], self.encoder)
        self.classifier_ = restored(lambda: self._new_classifier(self.encoder_.dimensions), parts[1])
