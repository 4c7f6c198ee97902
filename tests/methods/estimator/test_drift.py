import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from withhold.contracts.errors import DriftWarning
from withhold.io.artifact import read_artifact, write_artifact
from withhold.methods.estimator.drift import drift_of
from withhold.methods.leace.leace import LEACE
from withhold.methods.loading import load

rng = np.random.default_rng(0)
X = pd.DataFrame({"age": rng.normal(50, 10, 600), "job": rng.choice(["clerk", "nurse"], 600)})
S = rng.integers(0, 2, 600)
NEW = X.assign(job=np.where(np.arange(600) % 4 == 0, "pilot", X["job"]), age=X["age"] + 30)


def test_transform_warns_and_says_where():
    method = LEACE(output="table").fit(X, sensitive_features=S)
    assert drift_of(method, X) == []
    method.transform(X)
    with pytest.warns(DriftWarning, match=r"unlike those the sanitiser was fitted on(.|\n)*'pilot'") as caught:
        method.transform(NEW)
    assert caught[0].filename == __file__
    assert {(note.column, note.kind) for note in drift_of(method, NEW)} >= {("age", "range"), ("job", "levels")}


def test_it_is_known_after_loading(tmp_path):
    method = LEACE(output="table").fit(X, sensitive_features=S)
    method.save(tmp_path / "s.withhold")
    again = load(tmp_path / "s.withhold")
    assert drift_of(again, X) == []
    kinds = [{(note.column, note.kind) for note in drift_of(one, NEW)} for one in (method, again)]
    assert kinds[0] == kinds[1] != set()


def test_an_artifact_that_does_not_know_is_loaded_and_silent(tmp_path):
    method = LEACE(output="table").fit(X, sensitive_features=S)
    method.save(tmp_path / "s.withhold")
    header, tensors = read_artifact(tmp_path / "s.withhold")
    own = {"magic", "format_version", "library_version", "tensors_digest", "digest", "version"}
    old = {name: array for name, array in tensors.items() if not name.startswith("seen.")}
    assert len(old) < len(tensors)
    write_artifact(tmp_path / "old.withhold", {k: v for k, v in header.items() if k not in own}, old)
    again = load(tmp_path / "old.withhold")
    assert again.digest_ == method.digest_
    assert drift_of(again, NEW) == []
    pd.testing.assert_frame_equal(again.transform(NEW), method_silent(method, NEW))


def method_silent(method, table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DriftWarning)
        return method.transform(table)


def test_arrays_are_watched_and_sparse_ones_are_not():
    matrix = rng.normal(size=(500, 3))
    method = LEACE().fit(matrix, sensitive_features=S[:500])
    with pytest.warns(DriftWarning, match="'x1'"):
        method.transform(matrix + 5.0 * np.eye(3)[1])
    sparse = sp.csr_array(matrix)
    assert drift_of(LEACE().fit(sparse, sensitive_features=S[:500]), sparse * 5) == []


def test_a_batch_more_is_part_of_the_fit():
    method = LEACE().partial_fit(X[["age"]].to_numpy(), sensitive_features=S)
    method.partial_fit(NEW[["age"]].to_numpy(), sensitive_features=S)
    assert drift_of(method, np.vstack([X[["age"]], NEW[["age"]]])) == []
