import pytest
import torch
from torch import nn

from withhold.contracts.errors import InvalidParameterError
from withhold.nets.encoders import encoder_for, form_of


@pytest.mark.parametrize(
    ("shape", "architecture", "form"),
    [
        ((7,), "auto", (7,)),
        ((12, 10), "auto", (1, 12, 10)),
        ((12, 10, 3), "auto", (3, 12, 10)),
        ((50, 3), "windows", (3, 50)),
        ((12, 10, 3), "perceptron", (360,)),
    ],
)
def test_flat_rows_of_every_shape(shape, architecture, form):
    encoder = encoder_for(shape, 5, architecture=architecture, standardise=True)
    rows = torch.randn(6, int(torch.tensor(shape).prod()))
    assert encoder.form == form
    assert encoder(rows).shape == (6, 5)


def test_channels_are_turned_to_the_front():
    class Seen(nn.Module):
        def forward(self, images):
            self.images = images
            return images.flatten(1)

    encoder = encoder_for((4, 5, 3), 9, module=Seen(), standardise=False)
    rows = torch.arange(120.0).reshape(2, 60)
    encoder(rows)
    assert torch.equal(encoder.body.images, rows.reshape(2, 4, 5, 3).permute(0, 3, 1, 2))
    assert encoder.dimensions == 60


def test_settle_gives_the_exact_moments_in_eval_mode():
    torch.manual_seed(0)
    encoder, rows = encoder_for((3,), 4, standardise=True), torch.randn(500, 3) * 3 + 1
    encoder.eval()
    assert (encoder(rows).std(dim=0, correction=0) - 1).abs().max() > 0.1  # positive control: not yet
    encoder.settle(rows, chunk=64)
    assert not encoder.training
    Z = encoder(rows)
    assert torch.allclose(Z.mean(dim=0), torch.zeros(4), atol=1e-5)
    assert torch.allclose(Z.std(dim=0, correction=0), torch.ones(4), atol=1e-3)


def test_the_module_of_the_user_is_copied():
    own = nn.Linear(6, 2)
    before = own.weight.detach().clone()
    encoder = encoder_for((6,), 9, module=own, standardise=False)
    with torch.no_grad():
        encoder.body.weight.zero_()
    assert torch.equal(own.weight, before)


@pytest.mark.parametrize("module", [nn.Linear(5, 2), "resnet", nn.LSTM(6, 2)])
def test_modules_that_do_not_fit_are_refused(module):
    with pytest.raises(InvalidParameterError, match="must be a torch module that takes records of shape"):
        encoder_for((6,), 2, module=module, standardise=False)


@pytest.mark.parametrize(("shape", "architecture"), [((6,), "images"), ((6,), "windows"), ((6,), "cnn")])
def test_architectures_that_do_not_fit_are_refused(shape, architecture):
    with pytest.raises(InvalidParameterError, match="must be 'auto' or 'perceptron'"):
        form_of(shape, architecture)
