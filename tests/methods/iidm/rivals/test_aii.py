import torch
from torch.nn import functional

from withhold.methods.iidm.centroids import Centroids
from withhold.methods.iidm.iidm import discriminator_matching
from withhold.methods.iidm.rivals.aii import likelihood


def test_has_no_lower_bound_where_matching_has_one():
    """The root of the drift: a record far beyond the boundary is rewarded without end by AII, punished by IIDM."""
    a = torch.tensor([0, 1])
    centroids = Centroids(2)
    centroids.start(torch.tensor([[0.9, 0.1], [0.1, 0.9]]), a)
    aii, iidm = [], []
    for flight in (1.0, 10.0, 1000.0):
        log_q = functional.log_softmax(torch.tensor([[-flight, 0.0], [0.0, -flight]]), dim=-1)
        aii.append(float(likelihood(log_q, a)))
        iidm.append(float(discriminator_matching(log_q, a, centroids)))
    assert aii[0] > aii[1] > aii[2]
    assert aii[2] < -900
    assert min(iidm) >= 0
    assert iidm[2] > iidm[1] > iidm[0]  # once it is further out than the others' centroid
