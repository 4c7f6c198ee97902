import torch

from withhold.training.session import generator_states, private_randomness, restore_generators

CPU = torch.device("cpu")


def test_seeded_inside_untouched_outside():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    with private_randomness(CPU, 0):
        first = torch.rand(3)
    assert torch.equal(expected, torch.rand(3))
    with private_randomness(CPU, 0):
        assert torch.equal(first, torch.rand(3))
    with private_randomness(CPU, 1):
        assert not torch.equal(first, torch.rand(3))


def test_states_go_back():
    with private_randomness(CPU, 0):
        states = generator_states(CPU)
        first = torch.rand(3)
        restore_generators(CPU, states)
        assert torch.equal(first, torch.rand(3))
