"""The chain of columns: scoring all at once and walking along it are one, and a column sees those before it alone."""

import torch

from withhold.nets.column_chain import ColumnChain

COUNTS, ORDER = (3, 2, 4), (2, 0, 1)


def chain():
    torch.manual_seed(0)
    return ColumnChain(5, COUNTS, ORDER).double()


def material(n=6):
    generator = torch.Generator().manual_seed(1)
    cells = torch.stack([torch.randint(count, (n,), generator=generator) for count in COUNTS], dim=1)
    return torch.randn(n, 5, generator=generator, dtype=torch.float64), cells


def walked(net, Z, cells):
    walk, found = net.walk(Z), []
    j, scores = next(walk)
    while True:
        found.append((j, scores))
        try:
            j, scores = walk.send(cells[:, j])
        except StopIteration:
            return found


def test_walking_and_scoring_agree():
    net, (Z, cells) = chain(), material()
    for (i, a), (j, b) in zip(walked(net, Z, cells), net.scores(Z, cells, [0, 1, 2]), strict=True):
        assert i == j
        assert torch.allclose(a, b)


def test_a_column_sees_those_before_it_alone():
    net, (Z, cells) = chain(), material()
    changed = cells.clone()
    changed[:, 0] = (cells[:, 0] + 1) % COUNTS[0]
    before, after = (dict(net.scores(Z, known, [0, 1, 2])) for known in (cells, changed))
    assert torch.equal(before[2], after[2])
    assert torch.equal(before[0], after[0])
    assert not torch.equal(before[1], after[1])


def test_some_steps_are_as_all():
    net, (Z, cells) = chain(), material()
    (j, alone), all_ = net.scores(Z, cells, [1])[0], dict(net.scores(Z, cells, [0, 1, 2]))
    assert j == 0
    assert torch.allclose(alone, all_[0])
