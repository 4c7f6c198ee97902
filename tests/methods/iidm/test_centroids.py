import torch

from withhold.methods.iidm.centroids import Centroids, others


def outputs(n, k, seed=0):
    return torch.softmax(torch.randn(n, k, generator=torch.Generator().manual_seed(seed)), dim=-1)


def test_start_averages_over_the_records_of_each_cell():
    q, a, y = outputs(6, 3), torch.tensor([0, 0, 1, 2, 2, 2]), torch.tensor([0, 1, 1, 0, 0, -1])
    plain = Centroids(3)
    plain.start(q, a)
    assert torch.allclose(plain.values[0], torch.stack([q[:2].mean(0), q[2], q[3:].mean(0)]))
    cells = Centroids(3, 2)
    cells.start(q, a, y)
    assert torch.allclose(cells.values[0, 2], q[3:5].mean(0))  # the record without a label is in no cell
    assert cells.present.tolist() == [[True, False, True], [True, True, False]]
    assert cells.values[0, 1].abs().sum() == 0


def test_update_moves_what_the_batch_holds_and_nothing_else():
    centroids = Centroids(2, gamma=0.7)
    centroids.start(outputs(10, 2), torch.tensor([0] * 5 + [1] * 5))
    before = centroids.values.clone()
    q = outputs(3, 2, 1)
    centroids.update(q, torch.tensor([1, 1, -1]))
    assert torch.equal(centroids.values[0, 0], before[0, 0])
    assert torch.allclose(centroids.values[0, 1], 0.7 * before[0, 1] + 0.3 * q[:2].mean(0))


def test_a_cell_seen_first_in_a_batch_starts_from_it():
    centroids = Centroids(2)
    centroids.start(outputs(3, 2), torch.tensor([0, 0, 0]))
    q = outputs(1, 2, 1)
    centroids.update(q, torch.tensor([1]))
    assert torch.allclose(centroids.values[0, 1], q[0])
    assert centroids.present.all()


def test_others_is_the_sum_over_all_other_cells_of_the_label():
    centroids, y = Centroids(4, 3), torch.randint(3, (60,), generator=torch.Generator().manual_seed(1))
    a = torch.arange(60) % 4
    y[a == 3] = 0  # attribute 3 has label 0 alone
    centroids.start(outputs(60, 4), a, y)
    target, constant, count = others(centroids, a, y)
    for i in range(60):
        rows = [j for j in range(4) if j != a[i] and centroids.present[y[i], j]]
        Q = centroids.values[y[i], rows]
        assert torch.allclose(target[i], Q.sum(0), atol=1e-6)
        assert torch.allclose(constant[i], (Q * Q.log()).sum(), atol=1e-5)
        assert count[i] == len(rows)
