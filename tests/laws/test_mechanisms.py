"""Laws of every exact mechanism, found in the room: what is promised holds, is reached, and is what is drawn."""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pytest
from cadp.certain_epsilon import epsilon_lower_bound
from scipy.stats import chisquare

import withhold.privacy
from withhold.contracts.guarantee import Guarantee
from withhold.privacy.mechanism import Enumeration, Mechanism


def members() -> list[type[Mechanism]]:
    found = set()
    for module in pkgutil.iter_modules(withhold.privacy.__path__):
        for item in vars(importlib.import_module(f"withhold.privacy.{module.name}")).values():
            if inspect.isclass(item) and issubclass(item, Mechanism) and not inspect.isabstract(item):
                found.add(item)
    return sorted(found, key=lambda item: item.__name__)


MECHANISMS = members()
every = pytest.mark.parametrize("kind", MECHANISMS, ids=lambda kind: kind.__name__)


def laws(case: Enumeration) -> np.ndarray:
    """Log-probabilities, shape (inputs, outputs)."""
    return np.array([case.mechanism.log_probabilities(value, case.outputs) for value in case.inputs])


def largest_ratio(log_p: np.ndarray) -> float:
    return float((log_p.max(axis=0) - log_p.min(axis=0)).max())


def misfit(case: Enumeration, drawn: np.ndarray, value: np.ndarray) -> float:
    """P-value of the draws for one input under the law that the mechanism states."""
    place = {np.asarray(row).tobytes(): i for i, row in enumerate(case.outputs.astype(drawn.dtype))}
    at = [place.get(np.asarray(row).tobytes(), len(place)) for row in drawn]
    p = np.exp(case.mechanism.log_probabilities(value, case.outputs))
    expected = len(drawn) * np.append(p, max(0.0, 1 - p.sum()))
    counts = np.bincount(at, minlength=len(expected)).astype(float)
    rare = expected < 10
    assert not case.complete or counts[-1] == 0
    pooled = np.append(counts[~rare], counts[rare].sum()), np.append(expected[~rare], expected[rare].sum())
    kept = pooled[1] > 0
    observed, expected = pooled[0][kept], pooled[1][kept]
    return float(chisquare(observed, expected * observed.sum() / expected.sum()).pvalue)


def test_all_are_found() -> None:
    assert {"DiscreteLaplace", "PrivUnit", "RandomisedResponse"} <= {kind.__name__ for kind in MECHANISMS}


@every
def test_no_log_ratio_exceeds_epsilon_and_one_reaches_it(kind: type[Mechanism]) -> None:
    case = kind.enumeration()
    ratio, epsilon = largest_ratio(laws(case)), float(case.mechanism.epsilon)
    assert ratio <= epsilon + 1e-12
    assert ratio >= epsilon - 1e-12


@every
def test_the_law_is_a_law(kind: type[Mechanism]) -> None:
    case = kind.enumeration()
    total = np.exp(laws(case)).sum(axis=1)
    assert (total <= 1 + 1e-12).all()
    if case.complete:
        np.testing.assert_allclose(total, 1, atol=1e-12)


@every
def test_what_is_drawn_follows_the_law(kind: type[Mechanism]) -> None:
    case = kind.enumeration()
    for value in (case.inputs[0], case.inputs[-1]):
        drawn = case.mechanism.randomise(np.repeat(value[None], 40_000, axis=0))
        assert misfit(case, drawn, value) > 1e-9  # a correct sampler fails once in a thousand million runs


@every
def test_an_attack_finds_what_is_promised_and_no_more(kind: type[Mechanism]) -> None:
    """The two inputs that are farthest apart, scored by their log-likelihood ratio."""
    case = kind.enumeration()
    epsilon, log_p = float(case.mechanism.epsilon), laws(case)
    at = int((log_p.max(axis=0) - log_p.min(axis=0)).argmax())
    worst = case.inputs[[log_p[:, at].argmax(), log_p[:, at].argmin()]]
    scores = []
    for value in worst:
        drawn = case.mechanism.randomise(np.repeat(value[None], 100_000, axis=0))
        outputs, back = np.unique(drawn, axis=0, return_inverse=True)
        ratio = np.subtract(*(case.mechanism.log_probabilities(end, outputs) for end in worst))
        scores.append(ratio[back.ravel()])
    found = epsilon_lower_bound(*scores, level=1 - 1e-9)
    assert found.value <= epsilon
    assert found.value > 0.8 * epsilon


@every
def test_a_biased_sampler_is_found(kind: type[Mechanism]) -> None:
    """Positive control: one draw in ten replaced by the likeliest output."""
    case = kind.enumeration()
    value = case.inputs[0]
    drawn = case.mechanism.randomise(np.repeat(value[None], 40_000, axis=0))
    drawn[::10] = case.outputs[case.mechanism.log_probabilities(value, case.outputs).argmax()]
    assert misfit(case, drawn, value) < 1e-9


@every
def test_all_randomness_is_the_operating_systems(kind: type[Mechanism], monkeypatch: pytest.MonkeyPatch) -> None:
    case = kind.enumeration()
    values = np.repeat(case.inputs[:1], 200, axis=0)

    def replayed() -> np.ndarray:
        stream = np.random.default_rng(0)
        monkeypatch.setattr("os.urandom", lambda size: stream.bytes(size))
        return case.mechanism.randomise(values)

    fresh = case.mechanism.randomise(values), case.mechanism.randomise(values)
    assert not np.array_equal(*fresh)
    np.testing.assert_array_equal(replayed(), replayed())


def test_no_statistical_generator_is_near() -> None:
    """No file of the room names NumPy's or PyTorch's generators, or the standard library's, outside its docstrings."""
    for path in Path(withhold.privacy.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            named = {alias.name for alias in node.names} if isinstance(node, ast.Import | ast.ImportFrom) else set()
            assert not named & {"random", "torch", "default_rng"}, path
            assert not (isinstance(node, ast.Attribute) and node.attr == "random"), path


@every
def test_the_guarantee_says_what_it_is(kind: type[Mechanism]) -> None:
    mechanism = kind.enumeration().mechanism
    guarantee = mechanism.guarantee()
    terms = guarantee.privacy
    assert Guarantee.model_validate_json(guarantee.model_dump_json()) == guarantee
    assert terms is not None
    assert terms.float_safe
    assert terms.unit == "record"
    assert terms.notion == "pure"
    assert terms.epsilon >= mechanism.epsilon
    for word in ("label", "number of records", "report", "fitted", "further releases"):
        assert any(word in line for line in terms.excludes)
    assert f"epsilon {float(mechanism.epsilon):.6g}" in guarantee.claim


@every
def test_no_records_give_no_releases(kind: type[Mechanism]) -> None:
    case = kind.enumeration()
    assert len(case.mechanism.randomise(case.inputs[:0])) == 0
