"""Whether rows of the fit are told from others by the table that was made of them, by who decoded them or otherwise.

Half of some rows is fitted, all are released. Attackers see originals and release of each row, with distances between
them (`telling.py`); which of them speaks is chosen on inner rows. Balanced accuracy from originals and release, and
from the originals alone. Positive controls: rows of the fit decoded by who was fitted on them: the network, forests
that learned them by heart, the nearest row of the fit.

    python benchmarks/fidelity/membership.py [--rows 900] [--seeds 20] [--cases NAME ...] [--print]
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from ledger import Ledger, data_dir
from make import decoded_by_mode
from results_page import membership
from sklearn.ensemble import RandomForestClassifier
from telling import tell

from withhold.data.demo_table import demo_table
from withhold.methods.catalogue import method_class

SAMPLE, MODE = "DeepMinMax", 'DeepMinMax, decode="mode"'
CONTROLS = (
    "control: decoded by who was fitted on it",
    "control: forests fitted and used on the same rows",
    "control: nearest row of the fit",
)
METHODS = ("LEACE", "DiscreteChannel", "IIDM", "MIBackprop", "AIOI")
Decoded = Callable[[], pa.Table]


def material(rows: int, seed: int) -> tuple[pa.Table, np.ndarray, np.ndarray]:
    """Return features, sensitive and utility attribute: of the 401(k) survey, of Adult where that has too few rows."""
    table, _, sensitive, utility = demo_table()
    if rows > table.num_rows:
        table, sensitive, utility = pq.read_table(data_dir() / "adult.parquet"), "sex", "income"
        table = table.drop_columns(["split"])
    table = table.take(pa.array(np.random.default_rng(seed).permutation(table.num_rows)[:rows]))
    values = [np.array(table.column(name).to_pylist()) for name in (sensitive, utility)]
    return table.drop_columns([sensitive, utility]), *values


def releases(X: pa.Table, s: np.ndarray, u: np.ndarray, member: np.ndarray, seed: int, cases: list[str]) -> Iterator:
    """Yield each case with what releases all rows; what several cases share is fitted once."""
    part = pa.array(member)
    if any(case in (SAMPLE, MODE, *CONTROLS) for case in cases):
        sanitizer = method_class("DeepMinMax")(random_state=seed, noise_seed=seed, output="table", device="cpu")
        sanitizer.fit(X.filter(part), sensitive_features=s[member])
        _, H, records = sanitizer._read(X)
        Z = sanitizer._release(H, records)
        folds = sanitizer.decoder_.folds_of(records)

        found: dict[str, Decoded] = {
            SAMPLE: lambda: sanitizer.transform(X),
            MODE: lambda: decoded_by_mode(sanitizer, X, H, Z, member, seed),
            CONTROLS[0]: lambda: sanitizer._decode(Z, 1 - folds, records),
            CONTROLS[1]: lambda: by_forests(sanitizer.codec_, X, Z, member, seed),
            CONTROLS[2]: lambda: X.take(pa.array(np.flatnonzero(member)[nearest(Z, Z[member])])),
        }
        yield from ((case, found[case]) for case in cases if case in found)
    for name in METHODS:
        if name in cases:
            method = method_class(name)
            fitted = method(random_state=seed, noise_seed=seed, output="table", device="cpu")
            fitted.fit(X.filter(part), u[member] if method.needs_y else None, sensitive_features=s[member])
            yield name, lambda fitted=fitted: fitted.transform(X)


def by_forests(codec, X: pa.Table, Z: np.ndarray, member: np.ndarray, seed: int) -> pa.Table:
    """Return the most likely cells by forests without bootstrap, which know the rows they grew on by heart."""
    cells = codec.cells(X)
    for j in range(cells.shape[1]):
        forest = RandomForestClassifier(30, bootstrap=False, random_state=seed).fit(Z[member], cells[member, j])
        cells[:, j] = forest.predict(Z)
    return codec.from_cells(cells)


def nearest(Z: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the number of the nearest row of `known`."""
    size = (known**2).sum(axis=1)
    return np.concatenate(
        [(size - 2 * part @ known.T).argmin(axis=1) for part in np.array_split(Z, -(-len(Z) // 2_000))]
    )


def measure(rows: int, seed: int, cases: list[str], ledger: Ledger) -> None:
    """Attack the releases of one seed that are not in the ledger yet."""
    missing = [case for case in cases if key(rows, case, seed) not in ledger.cases]
    if not missing:
        return
    X, s, u = material(rows, seed)
    member = np.zeros(rows, bool)
    member[np.random.default_rng(seed + 1_000).permutation(rows)[: rows // 2]] = True
    for case, release in releases(X, s, u, member, seed, missing):
        ledger.measure(key(rows, case, seed), lambda release=release: tell(X, release(), member, seed))


def key(rows: int, case: str, seed: int) -> str:
    """Return the name of a measurement in the results."""
    return f"{rows} rows, {case}, seed {seed}"


def main() -> None:
    """Measure all cases, and print means over seeds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=900)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--cases", nargs="*", default=[SAMPLE, MODE, *CONTROLS, *METHODS])
    parser.add_argument("--print", action="store_true", help="only what was measured before")
    asked = parser.parse_args()
    ledger = Ledger("fidelity_membership")
    for seed in range(0 if asked.print else asked.seeds):
        measure(asked.rows, seed, asked.cases, ledger)
    print("\n".join(membership()))


if __name__ == "__main__":
    main()
