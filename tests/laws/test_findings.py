"""Laws of every finder: it fires on its own table, is silent on noise, and names what it found by a code of its own.

A new file in `audit/findings` is tested on arrival, by the `examples` of the test beside it.
"""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import withhold.audit.findings as room
from audit.findings.scenes import scene
from withhold.audit.findings.finder import Finder
from withhold.audit.findings.registry import all_finders, catalogue
from withhold.audit.findings.scene import Scene
from withhold.audit.findings.survey import SEVERITIES, survey
from withhold.contracts.budgets import Budgets
from withhold.contracts.images import image_column

FINDERS = all_finders()
each = pytest.mark.parametrize("name", FINDERS)


def examples(name: str) -> dict[str, Scene]:
    """Scenes on which a finder must fire, by code; they stand in the test of its file."""
    return dict(import_module(f"audit.findings.test_{name.partition('.')[0]}").examples())


def obey(finder: Finder, given: dict[str, Scene]) -> None:
    """Each code has a scene on which it is found, once by this name and as the catalogue says."""
    known = {code.name: code for code in finder.codes}
    assert set(known) <= set(given), "no example of a code"
    for code in known.values():
        assert code.remedy.endswith(".")
        assert code.severities
        assert set(code.severities) <= set(SEVERITIES)
        found = list(finder.look(given[code.name]))
        assert code.name in {one.code for one in found}
        for one in found:
            assert one.code in known
            assert one.severity in known[one.code].severities
            assert one.text.endswith(".")
            assert one.column is None or one.column in one.text


def noise(seed: int, n: int = 600) -> Scene:
    """Columns of every kind, and a release of them, that know nothing of the attributes."""
    rng = np.random.default_rng(seed)
    pictures = rng.integers(0, 200, (n, 5, 5)).astype(np.uint8)
    table = pa.table(
        {
            "age": rng.integers(18, 90, n),
            "city": rng.choice(["a", "b", "c"], n),
            "gaps": [None if gap else 1.5 * i for i, gap in enumerate(rng.random(n) < 0.2)],
            "rare": (rng.random(n) < 0.01).astype(float),
            "income": rng.normal(size=n),
            "image": image_column(pictures),
        }
    )
    income = table.schema.get_field_index("income")
    release = table.set_column(income, "income", pa.array(table["income"].to_numpy() + 0.2 * rng.normal(size=n)))
    known = {"mean_retention": 0.5, "budgets": Budgets(0.05), "fit_rows": rng.random(n) < 0.5}
    s = rng.integers(0, 3, n) if seed % 2 else rng.normal(size=n)
    return scene(release, s, original=table, groups=np.arange(n), **known)


NOISE = [noise(seed) for seed in range(6)]


@each
def test_it_fires_on_its_own_table(name: str) -> None:
    obey(FINDERS[name], examples(name))


@each
def test_it_is_silent_on_noise(name: str) -> None:
    assert [one.text for given in NOISE for one in FINDERS[name].look(given)] == []


def test_one_code_means_one_thing() -> None:
    assert len(set(FINDERS.values())) == len(FINDERS), "a finder stands in two files"
    for finder in FINDERS.values():
        assert all(catalogue()[code.name] == code for code in finder.codes)


TOY = """
from withhold.audit.findings.finder import Code, Finder

SHOUTED = Code("shouted_name", ("info",), "Write it in small letters.")


def shouted(scene):
    return [SHOUTED.found(f"'{one.name}' is shouted.", [one.name]) for one in scene.rows.after if one.name.isupper()]


FINDER = Finder((SHOUTED,), shouted)
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Drop a file into the folder."""
    (tmp_path / "shouted.py").write_text(TOY)
    monkeypatch.setattr(room, "__path__", [*room.__path__, str(tmp_path)])
    yield all_finders
    sys.modules.pop(f"{room.__name__}.shouted", None)
    vars(room).pop("shouted", None)


def test_a_file_in_the_folder_is_enough(toy) -> None:
    finder = toy()["shouted.FINDER"]
    given = scene(pa.table({"AGE": np.random.default_rng(0).permutation(600) / 7, "b": np.arange(600) % 7}))
    obey(finder, {"shouted_name": given})
    assert not list(finder.look(NOISE[0]))
    assert [one.column for one in survey(given).findings if one.code == "shouted_name"] == ["AGE"]
    assert "shouted_name" in catalogue()


def test_the_law_can_fail(toy) -> None:
    """Positive control: no example, an example without the fault, and a code that is in no catalogue."""
    finder, quiet = toy()["shouted.FINDER"], scene(pa.table({"a": np.arange(60)}))
    with pytest.raises(AssertionError, match="no example"):
        obey(finder, {})
    with pytest.raises(AssertionError):
        obey(finder, {"shouted_name": quiet})
    loud = scene(pa.table({"A": np.arange(60)}))
    with pytest.raises(AssertionError):
        obey(Finder((catalogue()["collapse"],), finder.look), {"collapse": loud})
