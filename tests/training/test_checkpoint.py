import numpy as np
import pytest
import torch
from torch import nn

from withhold.contracts.errors import ArtifactError
from withhold.io.artifact import write_artifact
from withhold.training.checkpoint import Checkpoint, optimiser_tensors, restore_optimiser


def stepped(steps):
    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    adam = torch.optim.AdamW(net.parameters(), 0.1, betas=(0.9, 0.99))
    for _ in range(steps):
        adam.zero_grad()
        net(torch.ones(4, 3)).square().sum().backward()
        adam.step()
    return net, adam


def test_optimiser_goes_on_exactly(tmp_path):
    net, adam = stepped(3)
    Checkpoint(tmp_path / "c", "work").write({"x": 0.1 + 0.2}, optimiser_tensors(adam))
    state, tensors = Checkpoint(tmp_path / "c", "work").read()
    assert state["x"] == 0.1 + 0.2
    other, fresh = stepped(0)
    other.load_state_dict(net.state_dict())
    restore_optimiser(fresh, tensors)
    for model, optimiser in ((net, adam), (other, fresh)):
        optimiser.zero_grad()
        model(torch.full((4, 3), 2.0)).sum().backward()
        optimiser.step()
    assert torch.equal(net.weight, other.weight)


def test_refuses_other_work_and_other_files(tmp_path):
    Checkpoint(tmp_path / "c", "work").write({}, {"a": np.zeros(1)})
    with pytest.raises(ArtifactError, match="same settings"):
        Checkpoint(tmp_path / "c", "other work").read()
    write_artifact(tmp_path / "s", {"method": "LEACE"}, {"a": np.zeros(1)})
    with pytest.raises(ArtifactError, match="same settings"):
        Checkpoint(tmp_path / "s", "work").read()
    raw = bytearray((tmp_path / "c").read_bytes())
    raw[-1] ^= 1
    (tmp_path / "c").write_bytes(raw)
    with pytest.raises(ArtifactError):
        Checkpoint(tmp_path / "c", "work").read()


@pytest.mark.parametrize("fused", [False, True])
def test_moments_lie_as_their_parameter_does(tmp_path, fused):
    def made():
        torch.manual_seed(0)
        net = nn.Conv2d(2, 3, 3).to(memory_format=torch.channels_last)
        return net, torch.optim.Adam(net.parameters(), 0.1, fused=fused)

    def step(net, optimiser):
        optimiser.zero_grad()
        net(torch.arange(50.0).view(1, 2, 5, 5)).square().mean().backward()
        optimiser.step()

    whole, stopped = made(), made()
    step(*whole)
    step(*stopped)
    Checkpoint(tmp_path / "c", "f").write({}, optimiser_tensors(stopped[1]))
    resumed = made()
    resumed[0].load_state_dict(stopped[0].state_dict())
    restore_optimiser(resumed[1], Checkpoint(tmp_path / "c", "f").read()[1])
    for player in (whole, resumed):
        step(*player)
    assert torch.equal(whole[0].weight, resumed[0].weight)
