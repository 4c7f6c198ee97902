"""Fixtures shared by all tests: where the research data are, and quiet single-threaded torch."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder with the research data sets: WITHHOLD_DATA, or shared/data beside the checkout. Skips where absent."""
    folder = Path(os.environ.get("WITHHOLD_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "adult.parquet").exists():
        pytest.skip(f"research data sets not found in {folder}; set WITHHOLD_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def research_table(data_dir: Path) -> Callable[[str], pa.Table]:
    """Reader of research tables by name, without the patients who are reserved for one final measurement."""

    def read(name: str) -> pa.Table:
        table = pq.read_table(data_dir / f"{name}.parquet")
        if name != "diabetes_130_hospitals":
            return table
        digests = (hashlib.sha256(str(one).encode()).hexdigest() for one in table.column("patient_nbr").to_pylist())
        return table.filter(pa.array([int(digest, 16) % 10 < 7 for digest in digests]))

    return read


@pytest.fixture
def without_outlook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits that do not work out how many rows would decide: for what holds whatever that says."""
    monkeypatch.setattr("withhold.audit.run._with_rows", lambda judged, *_: judged)


@pytest.fixture
def one_plant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits that plant one form of test leak, at the budget alone: for what holds whatever the limit of detection."""
    from withhold.audit.effort import EFFORTS
    from withhold.audit.leakage.detection import Planter

    tested = Planter.tested
    monkeypatch.setattr(Planter, "tested", lambda self, size: tested(self, size)[:1])
    for name, effort in EFFORTS.items():
        monkeypatch.setitem(EFFORTS, name, replace(effort, plant_rungs=0))


@pytest.fixture(scope="module")
def one_reader() -> Iterator[None]:
    """A trial that is read by one attacker: for what is done with readings. `choosing/test_measure` has them all."""
    from withhold.workflow.choosing import measure

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(measure, "READERS", ("logistic",))
        yield


@pytest.fixture(scope="module")
def brief_audit() -> Iterator[None]:
    """Audits of readers that learn little, without outlook, beside bounds of few slopes.

    For what holds however much was read: a run of a hundred rows takes less than half the time.
    """
    from withhold.audit.effort import EFFORTS
    from withhold.audit.kept import decoder
    from withhold.information.bounds import curve

    with pytest.MonkeyPatch.context() as patched:
        for name, effort in EFFORTS.items():
            patched.setitem(EFFORTS, name, replace(effort, boosting_rounds=15, network_epochs=5, network_seeds=1))
        patched.setattr(decoder, "LEAST_STEPS", 40)
        patched.setattr(curve, "SLOPES", curve.SLOPES[::5])
        patched.setattr("withhold.audit.run._with_rows", lambda judged, *_: judged)
        patched.setattr("withhold.audit.planning.learning_cost.AGAIN", 0)  # forecasts read every form once
        yield


@pytest.fixture(scope="module")
def short_readings() -> Iterator[None]:
    """Readers of information that learn for 150 steps: on small worlds the rest is patience."""
    from withhold.information.estimators.learning import FoldTraining

    learn = FoldTraining.learn
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            FoldTraining,
            "learn",
            lambda self, *given, **named: learn(replace(self, steps=min(150, self.steps)), *given, **named),
        )
        yield


@pytest.fixture
def brief_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of forty rounds at most: for what holds whoever wins."""
    from withhold.training.game import Game

    begin = Game.__init__

    def shorter(self: Game, players: object, *, rounds: int, **named: object) -> None:
        begin(self, players, rounds=min(40, rounds), **named)

    monkeypatch.setattr(Game, "__init__", shorter)


@pytest.fixture
def brief_training() -> Iterator[None]:
    """Decoders and readers of information that learn for five steps: for what holds however well they learned."""
    from withhold.information.estimators.learning import FoldTraining
    from withhold.training import descent

    learn = FoldTraining.learn
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(descent, "STEPS", (5, 5))
        patched.setattr(
            FoldTraining,
            "learn",
            lambda self, *given, **named: learn(replace(self, steps=min(5, self.steps)), *given, **named),
        )
        yield
