"""Our coupling blocks beside FrEIA's, in one run, in turn: forward with backward, inverse, and the round trip.

Needs an environment of its own: see README.md. Both get the same subnetworks, so that what differs is the block.
"""

import os
import sys
import time
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))

import FrEIA.framework as ff  # noqa: E402
import FrEIA.modules as fm  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from ledger import Ledger  # noqa: E402
from torch import nn  # noqa: E402

from withhold.methods.cadp.couplings import (  # noqa: E402
    Coupling,
    Permutation,
)

RECORDS, REPEATS, DEPTH = 256, 7, 4
CASES = {"dense 784, hidden 384": ((784,), 384), "image 16 x 7 x 7, hidden 64": ((16, 7, 7), 64)}


def subnet(inputs, outputs, hidden, image):
    torch.manual_seed(inputs + outputs)
    if image:
        made = nn.Sequential(
            nn.Conv2d(inputs, hidden, 3, padding=1), nn.ReLU(), nn.Conv2d(hidden, hidden, 1), nn.ReLU(),
            nn.Conv2d(hidden, outputs, 3, padding=1),
        )  # fmt: skip
    else:
        made = nn.Sequential(
            nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, outputs)
        )
    for weight in made[-1].parameters():
        weight.data *= 0.1
    return made


class Plain(nn.Module):
    """A subnetwork that is given classes and does not look at them."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x, labels):
        return self.net(x)


class Ours(nn.Module):
    def __init__(self, shape, hidden, volume_preserving):
        super().__init__()
        c, image = shape[0], len(shape) > 1
        half, rest = c // 2, c - c // 2
        steps = []
        for depth in range(DEPTH):
            nets = Plain(subnet(rest, 2 * half, hidden, image)), Plain(subnet(half, 2 * rest, hidden, image))
            steps += [
                Coupling(*nets, channels=c, volume_preserving=volume_preserving),
                Permutation(c, depth),
            ]
        self.steps = nn.ModuleList(steps)

    def forward(self, x):
        logdet = x.new_zeros(len(x))
        for step in self.steps:
            x, more = step(x, None)
            logdet = logdet + more
        return x, logdet

    def inverse(self, z):
        for step in reversed(self.steps):
            z = step.inverse(z, None)
        return z


class Theirs(nn.Module):
    def __init__(self, shape, hidden, volume_preserving):
        super().__init__()
        block = fm.GINCouplingBlock if volume_preserving else fm.GLOWCouplingBlock
        image = len(shape) > 1
        self.net = ff.SequenceINN(*shape)
        for depth in range(DEPTH):
            self.net.append(block, subnet_constructor=lambda i, o: subnet(i, o, hidden, image), clamp=1.5)
            self.net.append(fm.PermuteRandom, seed=depth)

    def forward(self, x):
        return self.net(x)

    def inverse(self, z):
        return self.net(z, rev=True)[0]


def seconds(call):
    began = time.process_time()
    call()
    return time.process_time() - began


def measure(shape, hidden, volume_preserving):
    x = torch.randn(RECORDS, *shape, generator=torch.Generator().manual_seed(0))
    nets = {"ours": Ours(shape, hidden, volume_preserving), "FrEIA": Theirs(shape, hidden, volume_preserving)}

    def learn(net):
        z, logdet = net(x)
        (0.5 * z.square().flatten(1).sum(dim=1) - logdet).mean().backward()

    def undo(net):
        with torch.no_grad():
            net.inverse(x)

    found = {}
    for name, work in (("forward and backward", learn), ("inverse", undo)):
        times = {who: [] for who in nets}
        for repeat in range(REPEATS + 1):
            for who, net in nets.items():  # in turn, so that what else the machine does hits both
                spent = seconds(lambda n=net, w=work: w(n))
                if repeat:
                    times[who].append(spent)
        for who, spent in times.items():
            found[f"{who}, {name}, ms a record"] = round(1e3 * float(np.median(spent)) / RECORDS, 4)
        found[f"{name}, FrEIA over ours"] = round(float(np.median(times["FrEIA"]) / np.median(times["ours"])), 3)
    with torch.no_grad():
        for who, net in nets.items():
            found[f"{who}, round trip"] = float((net.inverse(net(x)[0]) - x).abs().max())
    return found


def main():
    torch.set_num_threads(1)
    ledger = Ledger("cadp_flow_speed")
    for name, (shape, hidden) in CASES.items():
        for kind in ("GIN", "Glow"):
            ledger.measure(f"{kind}, {name}", lambda s=shape, h=hidden, k=kind: measure(s, h, k == "GIN"))


if __name__ == "__main__":
    main()
