"""MNIST: what releases could be worth at most if the latent were known exactly along the directions kept.

No epsilon makes a release on k directions better than this. Records, and the digits that the classifier is tested on,
are of the half that the flow was trained on, so that nothing is chosen by the records or digits of `mnist.py`.
"""

import os
import sys
import warnings
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from digits import accuracy, kept, read  # noqa: E402
from ledger import Ledger, data_dir  # noqa: E402
from mnist import flow  # noqa: E402

RECORDS = 10_000
ROWS = (0, 16, 64, 256, 784)


def measure(method, images, labels, test, directions):
    """Replace the latent by a draw from the prior, except along so many directions; two classifiers."""
    z, prior = method.latents(images, labels), np.random.default_rng(0).standard_normal((len(images), 784))
    basis = method.flow_.basis(directions) if directions else np.zeros((784, 1))
    made = method.flow_.decode(prior + (z - prior) @ basis @ basis.T, labels.astype(np.int64))
    made = np.rint(np.clip(made, 0, 1) * 255).astype(np.uint8).reshape(-1, 28, 28)
    reached = [accuracy(made, labels, test, seed) for seed in (0, 1)]
    return {"accuracy": round(float(np.mean(reached)), 4), "accuracies": reached, **kept(images, made, labels)}


def main():
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    folder, ledger = data_dir(), Ledger("cadp_ceiling")
    (images, labels), _, _ = read(folder, 0)
    method = flow(Ledger("cadp_mnist"), folder, 0)
    test = images[RECORDS : 2 * RECORDS], labels[RECORDS : 2 * RECORDS]
    for k in ROWS:
        key = f"{k} directions exact, {RECORDS} records, seed 0"
        ledger.measure(key, lambda k=k: measure(method, images[:RECORDS], labels[:RECORDS], test, k))


if __name__ == "__main__":
    main()
