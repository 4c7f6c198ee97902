"""What it takes to add a method or an attacker: a file, and for a method a line of the catalogue; the laws follow.

A finding, which takes a file too, is tried in `test_findings`.
"""

import inspect
import json
import sys
from pathlib import Path

import pytest

import withhold.audit.attackers as attackers
import withhold.methods as methods
from laws import test_attackers as laws_of_attackers
from laws import test_methods as laws_of_methods
from withhold.audit.attackers.registry import all_attackers, choose_panel
from withhold.cli.main import main
from withhold.methods.catalogue import MODULES, method_class

pytestmark = pytest.mark.usefixtures("brief_training")
METHOD = Path(__file__).parents[1] / "methods" / "squeeze.py"
ATTACKER = """
from sklearn.linear_model import LogisticRegression

from withhold.audit.attackers.attacker import Attacker


class Plain(Attacker):
    name = "plain"
    inputs = "dense"

    def fit(self, X, s, rng):
        self.model = LogisticRegression(max_iter=500).fit(X, s)
        return self

    def log_proba(self, X):
        return self.model.predict_log_proba(X)
"""


def laws_of(module, subject):
    """Names of the laws that take nothing but their subject and a folder."""
    found = {name: set(inspect.signature(law).parameters) for name, law in vars(module).items() if name[:5] == "test_"}
    return sorted(name for name, needs in found.items() if subject in needs and needs <= {subject, "tmp_path"})


@pytest.fixture
def drop(tmp_path, monkeypatch):
    """Put a file into a room of the source."""
    dropped = []

    def put(room, name, text):
        (tmp_path / "dropped").mkdir(exist_ok=True)
        (tmp_path / "dropped" / f"{name}.py").write_text(text)
        monkeypatch.setattr(room, "__path__", [*room.__path__, str(tmp_path / "dropped")])
        dropped.append((room, name))

    yield put
    for room, name in dropped:
        sys.modules.pop(f"{room.__name__}.{name}", None)
        vars(room).pop(name, None)


@pytest.fixture
def squeeze(drop, monkeypatch):
    drop(methods, "squeeze", METHOD.read_text())
    monkeypatch.setitem(MODULES, "Squeeze", "withhold.methods.squeeze")
    monkeypatch.setattr(laws_of_methods, "METHODS", [*laws_of_methods.METHODS, method_class("Squeeze")])
    return method_class("Squeeze")


@pytest.mark.parametrize("law", laws_of(laws_of_methods, "cls"))
def test_a_method_of_one_file_obeys(law, squeeze, tmp_path):
    checked = getattr(laws_of_methods, law)
    folder = {"tmp_path": tmp_path} if "tmp_path" in inspect.signature(checked).parameters else {}
    checked(squeeze, **folder)


def test_it_comes_back_from_its_file(squeeze, tmp_path):
    laws_of_methods.test_artifact_round_trip(squeeze, "auto", tmp_path)
    laws_of_methods.test_a_table_gives_a_table(squeeze, "pyarrow")


def test_doctor_lists_it(squeeze, capsys):
    main(["doctor", "--json"])
    assert "squeeze" in json.loads(capsys.readouterr().out)["methods"]


@pytest.fixture
def plain(drop):
    drop(attackers, "plain", ATTACKER)
    return all_attackers()["plain"]


def test_an_attacker_of_one_file_joins_the_panel_and_obeys(plain):
    assert plain in choose_panel()
    laws_of_attackers.test_finds_a_copy(plain, 2)
    laws_of_attackers.test_reads_nothing_on_noise(plain, 2)
    laws_of_attackers.test_says_the_same_twice(plain)
    laws_of_attackers.test_takes_columns_without_a_value(plain, 60)


def test_nothing_stays_behind():
    assert "plain" not in all_attackers()
    assert "Squeeze" not in MODULES
