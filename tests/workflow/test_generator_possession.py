import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from withhold.contracts.images import image_column
from withhold.methods.cadp.cadp import CADP
from withhold.workflow.audit import audit_file
from withhold.workflow.recipient import READ, possess_generator
from withhold.workflow.request import AuditRequest

pytestmark = pytest.mark.usefixtures("brief_audit")


def records(n, seed):
    """Two classes far apart, with one factor behind most of what varies within each."""
    rng = np.random.default_rng(seed)
    y, factor = rng.integers(2, size=n), rng.normal(size=(n, 1))
    X = 3 * factor * [1.0, 0.0, 1.0, 1.0] + 0.5 * rng.normal(size=(n, 4))
    X[:, 1] += 8 * y
    table = {f"x{j}": X[:, j].astype(np.float32) for j in range(4)}
    return pa.table(table), pa.table({"label": np.array(["low", "high"])[y]}), factor[:, 0]


@pytest.fixture(scope="module")
def released():
    X, y, _ = records(300, 0)
    matrix = np.column_stack(X.columns)
    sanitizer = CADP(epsilon=8, directions=1, rounds=150, hidden=16, random_state=0).fit(matrix, y)
    original, label, factor = records(400, 1)
    made, _ = sanitizer.release(np.column_stack(original.columns), label)
    return sanitizer, pa.table(list(made.T), names=original.column_names), original, label, factor


def test_the_private_answer_is_read_off_and_further_releases_are_drawn(released):
    sanitizer, release, original, label, _ = released
    before = sanitizer.count_.releases
    known = possess_generator(sanitizer, release, original, "standard", (label, original))
    assert known.findings == ()
    assert known.method == "CADP"
    first, second = known.redrawn
    assert first.schema == release.schema
    assert not first.equals(second)
    assert sanitizer.count_.releases == before  # nobody was released
    assert known.surfaces[READ].shape == (400, 1)
    told, truth = known.latent[1]["z0"].to_numpy(), known.latent[0]["z0"].to_numpy()
    assert abs(np.corrcoef(told, truth)[0, 1]) > 0.5
    # Against a sanitiser that tells nothing the same is at chance.
    nothing = sanitizer.with_mechanism(epsilon="1/1000")
    made, _ = nothing.release(np.column_stack(original.columns), label)
    blind = possess_generator(nothing, pa.table(list(made.T), names=release.column_names), original, "quick", (label,))
    assert abs(np.corrcoef(blind.latent[1]["z0"].to_numpy(), truth)[0, 1]) < 0.15


def test_without_the_class_it_is_said_what_to_pass(released):
    sanitizer, release, original, _, _ = released
    (finding,) = possess_generator(sanitizer, release, original, "quick", (release, original)).findings
    assert finding.code == "sanitizer_not_used"
    assert "Neither the release nor the original data have the class 'label'" in finding.text
    assert "--original" in finding.text


def test_a_release_is_read_under_the_class_it_was_made_under(released):
    sanitizer, _, original, label, _ = released
    answered = sanitizer.with_mechanism(label="randomised", label_epsilon=1, epsilon=9)
    made, shown = answered.release(np.column_stack(original.columns), label)
    release, shown = pa.table(list(made.T), names=original.column_names), pa.table({"label": shown.astype(str)})
    known = possess_generator(answered, release, original, "quick", (shown, label))
    told, truth = (table["z0"].to_numpy() for table in reversed(known.latent))
    assert abs(np.corrcoef(told, truth)[0, 1]) > 0.5


def test_images():
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, size=(60, 4, 4), dtype=np.uint8)
    sanitizer = CADP(rounds=2, hidden=8, channels=4, directions=2, random_state=0).fit(images[:30])
    table = pa.table({"image": image_column(images[30:])})
    known = possess_generator(sanitizer, sanitizer.transform(table), table, "quick", ())
    assert known.findings == ()
    assert known.redrawn[0].schema.field("image").type == table.schema.field("image").type
    assert known.surfaces[READ].shape == (30, 2)


def test_an_audit_with_the_sanitiser_names_what_was_attacked(released, tmp_path):
    sanitizer, release, original, label, factor = released
    sanitizer.save(tmp_path / "s.withhold")
    hidden = np.where(factor > 0, "up", "down")
    for name, table in (("release", release), ("original", original)):
        frame = table.to_pandas().assign(label=label["label"].to_pylist())
        (frame if name == "release" else frame.assign(side=hidden)).to_csv(tmp_path / f"{name}.csv", index=False)
    request = AuditRequest(
        tmp_path / "release.csv",
        ("side",),
        utility=("label",),
        original=tmp_path / "original.csv",
        sanitizer=tmp_path / "s.withhold",
        effort="quick",
        attackers=("logistic", "boosting"),
    )
    record = audit_file(request)
    codes = {finding.code for finding in record.findings}
    assert "sanitizer_not_used" not in codes
    found = record.sensitive["side"]
    assert READ in found.surfaces
    assert found.surfaces[READ].low > 0.1  # the direction that is kept is the one that tells the side
    assert "latent" in record.linkage
    assert pd.read_csv(tmp_path / "release.csv").shape == (400, 5)
