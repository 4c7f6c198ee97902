"""What columns tell only together: residuals, agreement, links, households, known noise; nothing elsewhere."""

import hashlib

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.view.alike import alike_links
from withhold.audit.view.consistency import consistency_columns
from withhold.audit.view.digests import find_recipe, is_digest, values_told
from withhold.audit.view.households import links_of
from withhold.audit.view.links import find_links
from withhold.audit.view.mentions import mention_columns
from withhold.audit.view.noise_streams import SEEDS, stream_columns
from withhold.audit.view.reading import read_columns
from withhold.audit.view.relations import KnownNumbers, relation_columns
from withhold.audit.view.together import Kept
from withhold.audit.view.within_groups import group_columns

RNG = np.random.default_rng(0)
N = 400


def readings(columns):
    return list(read_columns(pa.table(columns)))


def known(columns):
    return KnownNumbers.of(readings(columns))


def test_a_residual_is_what_the_others_do_not_explain():
    a, b, off = RNG.normal(size=N), RNG.normal(size=N), 1e-3 * RNG.normal(size=N)
    found = dict(relation_columns(known({"a": a, "b": b, "sum": a + b + off})))
    assert abs(np.corrcoef(found["sum by the others"], off)[0, 1]) > 0.99


def test_products_are_related_by_their_logarithms():
    a, b = RNG.uniform(1, 9, (2, N))
    factor = np.where(np.arange(N) % 2, 1.0, 1.01)
    found = dict(relation_columns(known({"a": a, "b": b, "product": a * b**3 * factor})))
    assert abs(np.corrcoef(found["log product by the others"], factor)[0, 1]) > 0.99


def test_a_vector_of_length_one_is_related_by_its_squares_beside_other_columns():
    vectors = RNG.normal(size=(N, 6))
    length = np.where(np.arange(N) % 2, 1.0, 1.01)
    vectors *= (length / np.linalg.norm(vectors, axis=1))[:, None]
    columns = {f"v{j}": column for j, column in enumerate(vectors.T)} | {"age": RNG.normal(40, 9, N)}
    found = dict(relation_columns(known(columns)))
    squares = [column for name, column in found.items() if name.startswith("square of") and name.endswith("others")]
    assert max(abs(np.corrcoef(column, length)[0, 1]) for column in squares) > 0.99


@pytest.mark.parametrize("what", ["distance", "rate"])
def test_relations_of_degree_two_are_found(what):
    a, b, c, d = RNG.uniform(1, 9, (4, N))
    off = np.where(np.arange(N) % 2, 1.0, 1.01)
    told = np.hypot(a - c, b - d) if what == "distance" else a / (b + c)
    columns = {"a": a, "b": b, "c": c, "d": d, "told": told * off, "z": RNG.normal(size=N)}
    found = dict(relation_columns(known(columns)))
    curves = [np.abs(np.corrcoef(column, off)[0, 1]) for name, column in found.items() if name.startswith("products")]
    assert max(curves) > 0.5


def test_unrelated_numbers_have_no_residuals():
    found = dict(relation_columns(known({f"z{j}": RNG.normal(size=N) for j in range(5)})))
    assert not [name for name in found if "by the others" in name or "products" in name]


def test_a_swapped_category_agrees_less():
    city = RNG.integers(0, 20, N)
    region = city % 4
    region[:20] = (region[:20] + 1) % 4
    (agreement,) = [
        column
        for name, column in consistency_columns(readings({"city": city.astype(str), "region": region.astype(str)}))
        if name == "city and region agree"
    ]
    assert agreement[:20].max() < agreement[20:].min()


@pytest.mark.parametrize("seed", [0, 2024])
def test_noise_of_a_known_seed_is_taken_off_beside_other_columns(seed):
    truth, noise = RNG.normal(size=(N, 3)), np.random.RandomState(seed).laplace(size=(N, 3))
    columns = {"age": RNG.normal(40, 9, N)} | {f"n{j}": column for j, column in enumerate((0.3 * truth + noise).T)}
    found = dict(stream_columns(known(columns | {"z": RNG.normal(size=N)})))
    assert list(found) == [f"n{j} less numpy.random.laplace of seed {seed}" for j in range(3)]
    assert np.corrcoef(next(iter(found.values())), truth[:, 0])[0, 1] > 0.95


def test_a_category_is_compared_with_a_code_that_is_a_number():
    code = RNG.integers(0, 40, N)
    region = np.where(np.arange(N) < 20, "x", (code % 4).astype(str))
    kept = Kept(N)
    for reading in readings({"code": 10_000 + 37 * code, "region": region, "age": RNG.integers(0, 40, N)}):
        kept.add(reading)
    found = dict(kept.relations())
    assert "region and code agree" in found
    assert found["region and code agree"][:20].mean() < found["region and code agree"][20:].mean()
    assert not [name for name in found if "age" in name and "agree" in name]


def test_unrelated_categories_are_not_compared():
    columns = {name: RNG.integers(0, 5, N).astype(str) for name in "abcd"}
    assert list(consistency_columns(readings(columns))) == []


@pytest.mark.parametrize("kind", [int, str, float])
def test_a_row_names_a_row(kind):
    ids, target = RNG.permutation(10**6)[:N], RNG.permutation(N)
    names = [kind(value) for value in ids[target]]
    found = find_links(readings({"id": ids if kind is float else [kind(value) for value in ids], "of": names}))
    own = target == np.arange(N)
    assert (found[~own, 1] == target[~own]).all()


def test_numbers_of_their_own_name_no_row():
    assert find_links(readings({"id": range(N), "size": range(10**6, 10**6 + N)})) is None


def test_a_household_is_found_by_its_answers():
    home = RNG.permutation(N) // 2
    shared, own = RNG.integers(0, 4, (N // 2, 10))[home].astype(str), RNG.integers(0, 4, (N, 8)).astype(str)
    columns = {f"h{j}": shared[:, j] for j in range(10)} | {f"p{j}": own[:, j] for j in range(8)}
    near = links_of([], readings(columns))[:, 1]
    assert (home[near] == home).mean() > 0.95
    assert links_of([], readings({f"p{j}": own[:, j] for j in range(8)})) is None


@pytest.mark.parametrize("draw", [np.random.RandomState(42).normal, np.random.default_rng(7).laplace])
def test_noise_of_a_common_seed_is_taken_off(draw):
    truth = RNG.normal(size=(N, 3))
    released = 0.3 * truth + draw(size=(N, 3))
    rest = np.column_stack([column for _, column in stream_columns(known({f"z{j}": released[:, j] for j in range(3)}))])
    assert abs(np.corrcoef(rest[:, 0], truth[:, 0])[0, 1]) > 0.98


def test_noise_of_another_seed_is_not():
    assert 987_654 not in SEEDS
    noise = np.random.RandomState(987_654).normal(size=(N, 3))
    assert list(stream_columns(known({f"z{j}": noise[:, j] for j in range(3)}))) == []


@pytest.mark.parametrize(("separator", "first"), [("|", False), ("", True), ("-", False)])
@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_the_recipe_of_a_digest(separator, first, algorithm):
    ages, s = RNG.integers(20, 80, N), RNG.integers(0, 2, N)
    values = ("f", "m")
    parts = [[values[c], str(a)] if first else [str(a), values[c]] for a, c in zip(ages, s, strict=True)]
    digests = [hashlib.new(algorithm, separator.join(part).encode()).hexdigest() for part in parts]
    columns = readings({"age": ages, "digest": digests, "z": RNG.normal(size=N)})
    recipe = find_recipe(columns[1], columns, values, s)
    assert (recipe.algorithm, recipe.separator, recipe.first) == (algorithm, separator, first)
    assert (values_told(recipe, columns[1], columns, values) == s).all()


def test_a_keyed_digest_has_no_recipe():
    s = RNG.integers(0, 2, N)
    digests = [hashlib.sha256(f"secret{c}{i}".encode()).hexdigest() for i, c in enumerate(s)]
    columns = readings({"digest": digests})
    assert is_digest(columns[0])
    assert find_recipe(columns[0], columns, ("0", "1"), s) is None


def test_no_more_is_kept_than_memory_allows():
    kept = Kept(10_000_000)
    for reading in readings({f"z{j}": RNG.normal(size=50) for j in range(9)}):
        kept.add(reading)
    assert len(kept.numbers) == 2


def test_members_of_an_address_are_linked():
    home = RNG.permutation(np.arange(N) // 3)
    street, number = RNG.integers(0, 30, N)[home], RNG.integers(1, 60, N)[home]
    found = alike_links(readings({"street": np.char.add("s", street.astype(str)), "number": number, "x": np.arange(N)}))
    linked = found[:, 0] >= 0
    assert linked.mean() > 0.9
    assert (home[found[linked, 0]] == home[linked]).mean() > 0.8


def test_a_name_spelled_variously_is_one():
    employer = RNG.integers(0, N // 3, N)
    spelled = [f"{'Mill-Works' if i % 2 else 'MILL works'} {e}" for i, e in enumerate(employer)]
    found = alike_links(readings({"employer": spelled}))
    linked = found[:, 0] >= 0
    assert (employer[found[linked, 0]] == employer[linked]).all()


def test_columns_that_have_nothing_to_do_with_each_other_form_no_groups():
    columns = {"street": RNG.integers(0, 30, N).astype(str), "number": RNG.integers(1, 60, N), "x": RNG.normal(size=N)}
    assert alike_links(readings(columns)) is None


def test_a_text_names_the_value_of_another_column():
    towns = np.array(["Rome", "Bonn", "Oslo"])
    own, said = RNG.integers(0, 3, N), RNG.integers(0, 3, N)
    text, town = readings({"note": [f"seen {i} in {towns[k]}" for i, k in enumerate(said)], "town": towns[own]})
    ((name, column),) = mention_columns([text], [town])
    assert name == "note names town"
    assert np.array_equal(column == 1, own == said)
    assert list(mention_columns([text], readings({"code": own.astype(str)}))) == []


def test_a_text_that_names_a_row_points_at_it():
    of = RNG.permutation(N)
    key, text = readings({"user": [f"u{i:04d}" for i in range(N)], "note": [f"thanks to @u{i:04d} again" for i in of]})
    links = find_links([key, text], [text])
    own = of != np.arange(N)
    assert any(np.array_equal(column[own], of[own]) for column in links.T[1:])


def test_the_oldest_of_a_household_ranks_last():
    home = RNG.permutation(np.arange(N) // 4)
    age = RNG.normal(40, 20, N)
    key, number = readings({"home": np.char.add("h", home.astype(str)), "age": age})
    rank = dict(group_columns([key], [number]))["rank of age in its home"]
    for one in range(0, N // 4, 9):
        rows = np.flatnonzero(home == one)
        assert rank[rows[np.argmax(age[rows])]] == 1.0
        assert rank[rows[np.argmin(age[rows])]] == 0.0
    alone = readings({"name": np.char.add("n", np.arange(N).astype(str)), "age": age})
    assert list(group_columns(alone[:1], alone[1:])) == []
