"""SIGKILL at a hundred moments of CADP's `run` and `transform`: is every charge kept, and no release without one?

Half of the moments are spread over a command's CPU time, half lie around its charge. All the while a second process
charges the same persons in the same ledger, is killed with the command, and writes down what it was told is done. After
each kill the ledger is read whole, seals included: no charge of the second process may be missing, every person of the
command has been charged or none, and nothing that was drawn (a release, a part of one, features of an unfinished run)
is there without a charge. Each series ends with a command that is let alone. Commands are forked from this process,
which has read the libraries, so that their CPU seconds are those of their own work.

    python benchmarks/cadp/killed_charges.py [run | transform] [series]
"""

import hashlib
import multiprocessing
import os
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from fractions import Fraction
from importlib import import_module
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from ledger import Ledger

from withhold.cli.main import main as withhold
from withhold.methods.cadp.cadp import CADP
from withhold.privacy.composition import PrivacyLoss
from withhold.privacy.ledger import LedgerKey, ReleaseLedger

SERIES, KILLS = 10, 5
ROWS, PERSONS = 300, range(1000, 1100)
SMALL = ("--method", "cadp", "--epsilon", "1", "--utility", "u", "--set", "rounds=20", "--set", "directions=2")
ONE = PrivacyLoss(Fraction(1))
TICK = os.sysconf("SC_CLK_TCK")
NOTE = f"{CADP.__name__} %"
FORK = multiprocessing.get_context("fork")


def said_into(log: Path, command: list[str]) -> None:
    """Run a command in this process, with what it says in a file."""
    handle = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(handle, stream)
    sys.exit(withhold(command))


def stand_by(folder: Path, said: Path) -> None:
    """Charge one person after the other until killed; what is begun and what is done goes into a file."""
    ledger = ReleaseLedger(folder / "ledger.sqlite", LedgerKey.from_file(folder / "ledger.key"))
    with open(said, "a", buffering=1) as out:
        for times in range(1_000_000):
            person = PERSONS[times % len(PERSONS)]
            out.write(f"begun {person}\n")
            ledger.charge([person], ONE)
            out.write(f"done {person}\n")
            time.sleep(0.03)


class Watch:
    """A folder with a ledger, and what must be true of it after every command."""

    def __init__(self, folder: Path, private: Path, releases: str, drawn: str) -> None:
        self.folder, self.private, self.releases, self.drawn = folder, private, releases, drawn
        self.said = folder / "said"
        self.charged, self.out, self.seen = 0, 0, set[str]()
        self.spent = dict.fromkeys(range(1000, 1000 + ROWS), 0)
        self.found = Counter()

    def one(self, command: list[str], moment: float | None = None) -> tuple[float, float]:
        """Run a command, kill it after so many CPU seconds, check; return CPU seconds until its charge and its end."""
        self.said.write_text("")
        reached, charge, before, beside = 0.0, None, self.charges(), None
        process = FORK.Process(target=said_into, args=(self.folder / "log", command))
        process.start()
        while process.is_alive() and (moment is None or reached < moment):
            reached = cpu_of(process.pid, reached)
            if beside is None and (self.private / "ledger.key").exists():
                beside = FORK.Process(target=stand_by, args=(self.private, self.said))
                beside.start()
            if charge is None and moment is None and self.charges() > before:
                charge = reached
            time.sleep(0.002 if moment is not None else 0.02)
        for one in (process, beside):
            if one is not None:
                one.kill()
                one.join()
        code = process.exitcode
        if code not in (0, 1, 4, -signal.SIGKILL):
            sys.exit(f"failed: {(self.folder / 'log').read_text()[-2000:]}")
        self.found["killed" if code == -signal.SIGKILL else "let alone" if moment is None else "ended before"] += 1
        self.check()
        return charge or reached, reached

    def charges(self) -> int:
        """How many releases of the sanitiser the ledger holds."""
        if not (self.private / "ledger.sqlite").exists():
            return 0
        with closing(sqlite3.connect(self.private / "ledger.sqlite", timeout=60)) as connection:
            return connection.execute("SELECT COUNT(*) FROM releases WHERE note LIKE ?", (NOTE,)).fetchone()[0]

    def check(self) -> None:
        """Count what happened, and what is wrong."""
        now, came, drawn = self.charges(), self.new(self.releases), self.new(self.drawn)
        self.out += came
        if (self.private / "ledger.sqlite").exists():
            key = LedgerKey.from_file(self.private / "ledger.key")
            ledger = ReleaseLedger(self.private / "ledger.sqlite", key)
            ledger.largest()  # refuses what is damaged
            spent = {person: int(ledger.spent(person).epsilon) for person in self.spent}
            lines = [line.split() for line in self.said.read_text().splitlines()]
            begun, done = (Counter(int(p) for word, p in lines if word == which) for which in ("begun", "done"))
            pending = (begun - done).total()  # of one charge it is not known whether it was entered
            gained = [spent[person] - self.spent[person] - done[person] for person in spent]
            with closing(sqlite3.connect(ledger.path)) as connection:
                last = "SELECT rows FROM releases WHERE note LIKE ? ORDER BY number DESC LIMIT 1"
                rows = (now - self.charged) * (connection.execute(last, (NOTE,)).fetchone() or [0])[0]
            self.found["charges lost"] += min(gained) < 0
            self.found["releases charged in part"] += not rows <= sum(gained) <= rows + pending
            self.found["charges beside"] += done.total()
            self.found["charges beside, killed within"] += pending
            self.spent = spent
        self.found["charged"] += now > self.charged
        self.found["charged and not released"] += now > self.charged and not came
        self.found["released"] += came
        self.found["releases without a charge"] += self.out > now or (drawn and now == self.charged)
        self.charged = now

    def new(self, pattern: str) -> int:
        """How many files hold what no file held before."""
        content = {digest(path) for path in self.folder.glob(pattern) if path.stat().st_size}
        came = len(content - self.seen)
        self.seen |= content
        return came


def cpu_of(process: int, before: float) -> float:
    """CPU seconds of a process so far."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return before
    return (int(fields[11]) + int(fields[12])) / TICK


def digest(path: Path) -> str:
    """Digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def prepared(kind: str, folder: Path, seed: int) -> Watch:
    """Write records, and fit where the command needs it."""
    rng = np.random.default_rng(seed)
    columns = {"a": rng.normal(size=ROWS), "b": rng.normal(size=ROWS), "u": rng.integers(0, 2, ROWS)}
    table = pa.table({**columns, "id": np.arange(ROWS) + 1000})
    pq.write_table(table, folder / "t.parquet")
    pq.write_table(table.slice(0, len(PERSONS)), folder / "new.parquet")
    if kind == "run":
        return Watch(
            folder, folder / "R/private", "R/candidate/release.parquet", "R/.unfinished/private/features.parquet"
        )
    (folder / "m").mkdir()
    fit = ["fit", f"{folder}/t.parquet", *SMALL, "--drop", "id", "--save", f"{folder}/m/s.withhold"]
    fitting = FORK.Process(target=said_into, args=(folder / "log", fit))
    fitting.start()
    fitting.join()
    return Watch(folder, folder / "m", "o*.parquet", ".withhold-tmp-*")


def command(kind: str, folder: Path, step: int) -> list[str]:
    """Return the arguments of a step: a new release, or one that goes on with what a killed one left."""
    if kind == "transform":
        given = ["transform", f"{folder}/m/s.withhold", f"{folder}/new.parquet", "--key", "id"]
        return [*given, "--out", f"{folder}/o{step}.parquet"]
    again = [] if step == 0 else ["--resume"] if step % 3 == 2 else ["--overwrite"]
    audit = ["--effort", "quick", "--attackers", "logistic"]
    return ["run", f"{folder}/t.parquet", *SMALL, "--key", "id", *audit, "--out", f"{folder}/R", *again]


def series(kind: str, seed: int, charge: float, end: float) -> dict:
    """Kill a command five times, then let it end."""
    rng = np.random.default_rng([seed, 1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        watch = prepared(kind, folder, seed)
        for step in range(10 * KILLS):  # some have ended before their moment comes
            moment = rng.uniform(charge / 2, end) if step % 2 else rng.normal(charge, charge / 10)
            last = watch.found["killed"] >= KILLS
            watch.one(command(kind, folder, step), None if last else moment)
            if last:
                break
        return {name: int(watch.found[name]) for name in sorted(watch.found)}


def main() -> None:
    """Measure all series, or those of one command, or so many."""
    import_module("lightning_fabric")  # as a fit would
    ledger = Ledger("cadp_killed_charges")
    kinds, many = sys.argv[1:2] or ("run", "transform"), int(sys.argv[2]) if len(sys.argv) > 2 else SERIES
    for kind in kinds:
        missing = [number for number in range(many) if f"{kind} / series {number}" not in ledger.cases]
        if not missing:
            continue
        with tempfile.TemporaryDirectory() as name:  # on this machine, now: when does the charge come, when the end?
            charge, end = prepared(kind, Path(name), 0).one(command(kind, Path(name), 0))
        print(f"{kind}: charged after {charge:.2f} of {end:.2f} CPU seconds", file=sys.stderr)
        for number in missing:
            work = lambda kind=kind, number=number, charge=charge, end=end: series(kind, number, charge, end)  # noqa: E731
            ledger.measure(f"{kind} / series {number}", work)


if __name__ == "__main__":
    main()
