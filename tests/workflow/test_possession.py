"""What a sanitiser in a recipient's hands adds: draws that differ, its reading of the release, both in its space."""

import numpy as np
import pyarrow as pa
import pytest

from withhold.audit.beside import Recipient
from withhold.audit.run import audit_release
from withhold.contracts.errors import DroppedColumnsWarning
from withhold.contracts.images import image_array, image_column
from withhold.methods.controls import Identity, Noise
from withhold.workflow.recipient import APPLIED, DECODED, REPEATED, possess

N = 300


@pytest.fixture(scope="module")
def people() -> pa.Table:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, N)
    return pa.table({"a": s + rng.normal(size=N), "b": rng.normal(size=N), "c": rng.choice(["x", "y"], N), "s": s})


def test_a_noisy_table(people: pa.Table) -> None:
    noise = Noise(scale=1.0, random_state=0).fit(people, sensitive_features="s")
    released, original = noise.transform(people), people.drop_columns(["s"])
    known = possess(noise, released, original, "standard")
    assert not known.findings
    assert known.method == "Noise"
    assert len(known.redrawn) == 2
    assert all(draw.schema == released.schema for draw in known.redrawn)
    assert known.redrawn[0].column("a") != known.redrawn[1].column("a")
    assert known.redrawn[0].column("a") != released.column("a")
    assert list(known.surfaces) == [APPLIED]
    mean = known.hypothetical[REPEATED].column("mean of a").to_numpy()
    before, after = original.column("a").to_numpy(), released.column("a").to_numpy()
    assert np.corrcoef(mean, before)[0, 1] > np.corrcoef(after, before)[0, 1] + 0.05
    assert known.latent is not None
    assert known.latent[0].column_names == known.latent[1].column_names


def test_images() -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, N)
    images = (rng.integers(100, size=(N, 6, 5)) + 60 * s[:, None, None]).astype(np.uint8)
    original = pa.table({"image": image_column(images)})
    noise = Noise(scale=1.0, random_state=0).fit(original, sensitive_features=s)
    released = noise.transform(original)
    known = possess(noise, released, original, "quick")
    assert not known.findings
    assert known.redrawn[0].schema == released.schema
    assert known.redrawn[0].column("image") != released.column("image")
    assert known.surfaces[APPLIED].column("image") == released.column("image")  # without noise it changes nothing
    averages = image_array(known.hypothetical[REPEATED].column("mean of image"))
    once = image_array(released.column("image"))
    assert np.abs(averages - images).mean() < np.abs(once.astype(float) - images).mean()
    assert known.latent is None


def test_repeating_a_release_would_tell_more_and_is_not_counted() -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 2000)
    # One draw of this tells about .03 nat, a mean of ten about five times that.
    people = pa.table({"a": s + 0.5 * rng.normal(size=2000), "b": rng.normal(size=2000), "s": s})
    noise = Noise(scale=2.0, random_state=0).fit(people, sensitive_features="s")
    released, original = noise.transform(people), people.drop_columns(["s"])
    known = possess(noise, released, original, "quick")
    record = audit_release(
        released, sensitive_features=people.column("s").to_numpy(), effort="quick", attackers=["logistic"],
        redrawn=known.redrawn, hypothetical=known.hypothetical, recipient_has_sanitizer=True,
        recipient=Recipient(latent=known.latent),
    )  # fmt: skip
    result = record.sensitive["sensitive_features"]
    assert result.hypothetical[REPEATED].value > result.leakage.value + 0.02
    assert result.leakage_total.value < result.hypothetical[REPEATED].value
    assert record.linkage is not None
    assert 0 < record.linkage["latent"].found.value < 1


def test_a_representation_is_decoded_and_needs_no_draws(people: pa.Table) -> None:
    identity = Identity(output="representation").fit(people, sensitive_features="s")
    released = pa.table({f"column {j}": z for j, z in enumerate(identity.transform(people).T)})
    known = possess(identity, released, people.drop_columns(["s"]), "quick")
    assert list(known.surfaces) == [DECODED]
    assert known.surfaces[DECODED].column_names == ["a", "b", "c"]
    assert not known.redrawn
    assert not known.hypothetical
    assert known.latent is not None
    assert known.latent[0].equals(known.latent[1])


def test_an_array(people: pa.Table) -> None:
    X = np.random.default_rng(0).normal(size=(N, 3))
    noise = Noise(scale=1.0, random_state=0).fit(X, sensitive_features=people.column("s").to_numpy())
    released = pa.table({f"x{j}": z for j, z in enumerate(noise.transform(X).T)})
    known = possess(noise, released, pa.table({f"x{j}": x for j, x in enumerate(X.T)}), "quick")
    assert not known.findings
    assert len(known.redrawn) == 1
    assert REPEATED in known.hypothetical


def test_a_sanitiser_of_something_else_is_said(people: pa.Table) -> None:
    noise = Noise(random_state=0).fit(people, sensitive_features="s")
    for released in (pa.table({"q": np.zeros(N)}), people.select(["a"])):
        known = possess(noise, released, None, "quick")
        assert [finding.code for finding in known.findings] == ["sanitizer_not_used"]


def test_identifiers_left_out_at_fit_are_not_looked_for() -> None:
    rng = np.random.default_rng(0)
    people = pa.table({"id": [f"u{i}" for i in range(N)], "a": rng.normal(size=N), "b": rng.choice(list("xy"), N)})
    with pytest.warns(DroppedColumnsWarning, match="'id'"):
        noise = Noise(scale=1.0, random_state=0).fit(people, sensitive_features=rng.choice(["f", "m"], N))
    known = possess(noise, noise.transform(people), people.drop_columns(["id"]), "quick")
    assert not known.findings
    assert list(known.surfaces) == [APPLIED]
    assert known.latent is not None
