import numpy as np
import pytest
import torch

from withhold.contracts.errors import InvalidParameterError
from withhold.methods.iidm.iidm import IIDM
from withhold.methods.iidm.iidm_plus import IIDMPlus
from withhold.methods.iidm.rivals.aii import AII
from withhold.methods.iidm.rivals.crossgrad import CrossGrad
from withhold.methods.iidm.rivals.erm import ERM
from withhold.methods.iidm.rivals.ns import NS
from withhold.methods.iidm.rivals.revgrad import RevGrad
from withhold.methods.iidm.settings import paper_encoder
from withhold.methods.loading import load

FAMILY = (AII, NS, RevGrad, IIDM, IIDMPlus, CrossGrad, ERM)


def shaped(method, shape, architecture="auto"):
    method.shape_, method.architecture = shape, architecture
    return method


def test_the_paper_states_rates_sizes_and_lengths():
    """Section 5.1: RMSprop .001, 128, 10k steps for MNISTR and 20k for Opportunity; discriminators 100 and 800-400."""
    images = shaped(IIDM(preset="paper"), (16, 16))._recipe(5000)
    assert (images.optimiser, images.rate, images.batch, images.rounds) == ("rmsprop", 1e-3, 128, 10_000)
    assert (images.discriminator, images.head) == ((100,), (100,))
    assert (images.noise, images.select, images.decays, images.clip) == (0.0, False, False, None)
    windows = shaped(AII(preset="paper"), (30, 113), "windows")._recipe(5000)
    assert (windows.discriminator, windows.head, windows.rounds) == ((800, 400), (), 20_000)
    pacs = shaped(NS(preset="paper", rate=5e-5, batch=64, rounds=5000), (32, 32, 3))._recipe(5000)
    assert (pacs.rate, pacs.discriminator_rate, pacs.batch, pacs.rounds) == (5e-5, 5e-5, 64, 5000)
    ours = shaped(IIDM(), (16, 16))._recipe(5000)
    assert (ours.optimiser, ours.noise, ours.select, ours.decays, ours.clip) == ("adam", 0.3, True, True, 5.0)


def test_the_papers_network_for_images_and_for_nothing_else():
    layers = [type(layer).__name__ for layer in paper_encoder((16, 16), "auto")]
    assert layers == ["Conv2d", "ReLU", "Conv2d", "ReLU", "MaxPool2d", "Flatten", "Linear", "ReLU"]
    assert paper_encoder((16, 16), "auto")[6].in_features == 48 * 4 * 4
    assert paper_encoder((20, 24, 3), "images")(torch.zeros(2, 3, 20, 24)).shape == (2, 100)
    assert paper_encoder((8, 8), "auto") is None  # too small for two convolutions and a pool
    assert paper_encoder((30, 6), "windows") is None
    assert paper_encoder((5,), "auto") is None
    assert shaped(IIDM(preset="paper", hidden=7), (5,))._head() == (7,)


@pytest.mark.parametrize("cls", FAMILY, ids=lambda cls: cls.__name__)
def test_the_whole_family_fits_with_it(cls, tmp_path):
    rng = np.random.default_rng(0)
    y, s = rng.integers(3, size=60), rng.integers(2, size=60)
    X = rng.integers(256, size=(60, 12, 12), dtype=np.uint8)
    method = cls(preset="paper", rounds=3, random_state=0).fit(X, y, sensitive_features=s)
    assert method.encoder_.norm is None
    assert method.diagnostics_["noise_scale"] == 0
    assert method.guarantee().assumptions == ()  # nothing hangs on a draw of noise where there is none
    assert method.transform(X).shape == (60, 100)
    method.save(tmp_path / "s.withhold")
    assert np.array_equal(load(tmp_path / "s.withhold").predict_proba(X), method.predict_proba(X))


def test_sums_and_a_fifth_held_out():
    assert IIDM(preset="paper")._total
    assert IIDM(scaling="sum")._total
    assert not IIDM()._total
    rng = np.random.default_rng(0)
    X, y, s = rng.normal(size=(200, 3)), rng.integers(2, size=200), rng.integers(2, size=200)
    seen = []

    class Looking(IIDM):
        def _game(self, records, *others):
            seen.append(len(records.held))
            return super()._game(records, *others)

    for preset in (None, "paper"):
        Looking(preset=preset, rounds=2, random_state=0).fit(X, y, sensitive_features=s)
    assert seen == [30, 40]


@pytest.mark.parametrize("cls", FAMILY, ids=lambda cls: cls.__name__)
def test_other_presets_are_refused(cls):
    with pytest.raises(InvalidParameterError, match=r"^preset must be None or 'paper'"):
        cls(preset="fast").check()
