"""What comes out: images in the shape, type and container they came in, and draws of a method's own."""

import numpy as np
import pyarrow as pa
import pytest
import torch

from methods.squeeze import Squeeze
from withhold.contracts.errors import InvalidParameterError
from withhold.contracts.images import image_array, image_column
from withhold.methods.controls import Identity, Noise
from withhold.methods.loading import load
from withhold.privacy.noise_key import NoiseKey

RNG = np.random.default_rng(0)
GREY = RNG.integers(256, size=(60, 6, 5), dtype=np.uint8)
COLOUR = torch.from_numpy(RNG.integers(256, size=(60, 3, 6, 5), dtype=np.uint8))
S = np.resize(["a", "b"], 60)


class Pictured(Squeeze):
    """Accepts images and makes a representation of them."""

    accepts_images = True


class Flips(Identity):
    """Flips each pixel of a few by a coin of its own."""

    def _random(self):
        return True

    def _draw(self, H, draws):
        return np.where(draws.uniform("coin", H.shape[1]) < 0.25, 1 - H, H)


@pytest.mark.parametrize("images", [GREY, GREY[..., None], COLOUR], ids=["grey", "one channel", "tensor"])
def test_images_come_back_as_they_came(images):
    for method in (Identity(), Noise(scale=0.0)):
        released = method.fit(images, sensitive_features=S).transform(images)
        assert type(released) is type(images)
        assert released.dtype == images.dtype
        assert np.array_equal(np.asarray(released), np.asarray(images))
        assert method.output_ == "images"


def test_a_table_of_images_comes_back_as_one():
    data = pa.table({"scan": image_column(GREY), "s": S, "u": S[::-1]})
    method = Noise(scale=0.5, noise_seed=0).fit(data, "u", sensitive_features="s")
    released = method.transform(data)
    assert released.schema == data.select(["scan"]).schema
    pixels = image_array(released.column("scan")).astype(float) - GREY
    assert 0.1 < pixels.std() / GREY.std() < 0.6  # clipped to the range of pixels
    assert list(method.get_feature_names_out()) == ["scan"]
    assert list(method.feature_names_in_) == ["scan"]


def test_noise_hangs_on_the_pixels_and_not_on_the_container():
    noise = Noise(noise_key=NoiseKey.generate(), random_state=0).fit(GREY, sensitive_features=S)
    whole = noise.transform(GREY)
    assert np.array_equal(noise.transform(GREY[7:9]), whole[7:9])
    assert np.array_equal(noise.transform(torch.from_numpy(GREY)).numpy(), whole)
    assert np.array_equal(image_array(noise.transform(pa.table({"image": image_column(GREY)})).column(0)), whole)
    assert not np.array_equal(whole, GREY)


@pytest.mark.parametrize("images", [GREY, COLOUR.float() / 255, RNG.normal(size=(60, 9, 3)).astype(np.float32)])
def test_artifact_of_images(images, tmp_path):
    key = NoiseKey.generate()
    method = Noise(noise_key=key).fit(images, sensitive_features=S)
    method.save(tmp_path / "s.withhold")
    loaded = load(tmp_path / "s.withhold", noise_key=key)
    assert np.array_equal(np.asarray(loaded.transform(images)), np.asarray(method.transform(images)))
    assert loaded.digest_ == method.digest_
    assert loaded.encoding_.image == method.encoding_.image


def test_a_representation_of_images():
    method = Pictured(width=3, noise=0.1, noise_seed=0).fit(GREY, sensitive_features=S)
    Z = method.transform(GREY)
    assert Z.shape == (60, 3)
    assert method.output_ == "representation"
    assert np.array_equal(method.represent(GREY), Z)
    assert Identity(output="representation").fit(GREY, sensitive_features=S).transform(GREY).shape == (60, 30)
    with pytest.raises(InvalidParameterError, match="cannot release records of shape"):
        Pictured(output="table").fit(GREY, sensitive_features=S)


def test_a_method_draws_what_it_likes_once_a_record():
    method = Flips(noise_seed=0).fit(GREY, sensitive_features=S)
    released = method.transform(GREY)
    assert abs((released != GREY).mean() - 0.25) < 0.03
    assert np.array_equal(method.transform(GREY[::-1])[::-1], released)
    assert method.noise_note_ == "not for sharing"
    flat = GREY.reshape(60, -1) / 255.0  # the same method on a matrix
    assert abs((Flips(noise_seed=0).fit(flat, sensitive_features=S).transform(flat) != flat).mean() - 0.25) < 0.03


def test_no_images_in_none_out():
    method = Noise(noise_seed=0).fit(GREY, sensitive_features=S)
    assert method.transform(GREY[:0]).shape == (0, 6, 5)
    assert method.transform(pa.table({"image": image_column(GREY)}).slice(0, 0)).num_rows == 0
