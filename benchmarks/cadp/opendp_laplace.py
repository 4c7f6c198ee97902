"""CPU seconds of OpenDP's Laplace draws, printed as JSON; run by `laplace_speed.py` in OpenDP's own environment."""

import json
import sys
import time
from importlib.metadata import version

import opendp.prelude as dp

dp.enable_features("contrib")


def main() -> None:
    """Draw `count` numbers of the kind and scale given, as one vector."""
    kind, count, scale = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    atom = dp.atom_domain(T=int) if kind == "integer" else dp.atom_domain(T=float, nan=False)
    distance = dp.l1_distance(T=int if kind == "integer" else float)
    mechanism = dp.m.make_laplace(dp.vector_domain(atom), distance, scale=scale)
    zeros = [0 if kind == "integer" else 0.0] * count
    mechanism(zeros[:100])
    start = time.process_time()
    drawn = mechanism(zeros)
    seconds = time.process_time() - start
    spread = sum(abs(x) for x in drawn) / len(drawn)
    print(json.dumps({"seconds": seconds, "mean_size": spread / scale, "version": version("opendp")}))


if __name__ == "__main__":
    main()
