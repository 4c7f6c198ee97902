"""What may be sent tells of the records only what the release and stated aggregates tell."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from withhold.contracts.run_record import KEYED
from withhold.io.artifact import read_artifact
from withhold.io.tables import digest
from withhold.privacy.noise_key import NoiseKey
from withhold.workflow.manifest import keyed
from withhold.workflow.run import run

pytestmark = pytest.mark.usefixtures("brief_audit")

# Rows as they came, so that they can be compared.
FAST = {"effort": "quick", "attackers": ["logistic"], "keep_order": True}
NAME = "patients_of_Dr_Smith"
# What differs between two runs on the same records.
MOMENTS = re.compile(r'"(created|seconds|fit_seconds)": [^\n,]*')


NUMBERS = re.compile(r"-?\d[\d.,]*(e-?\d+)?")


def people(victim: str = "no", other_s: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 120)
    told = s.copy()  # what the other columns hang on stays as it is
    s[:other_s] = 1 - s[:other_s]
    columns = {
        "age": rng.integers(18, 90, 120),
        "bmi": told + rng.normal(27, 4, 120),
        "s": s,
        "hiv": ["no"] * 119 + [victim],
    }
    return pd.DataFrame(columns, index=pd.Index(rng.permutation(10_000)[:120], name="record"))


def write(folder: Path, suffix: str, victim: str) -> Path:
    path = folder / f"{NAME}{suffix}"
    table = people(victim)
    if suffix == ".csv":
        table.to_csv(path, index=False)
    elif suffix == ".npz":
        np.savez(path, **{name: table[name].to_numpy() for name in ("age", "bmi", "s")}, hiv=table["hiv"].to_numpy(str))
    else:
        arrow = pa.Table.from_pandas(table)
        notes = {b"source": NAME.encode(), b"victim": victim.encode(), **(arrow.schema.metadata or {})}
        fields = [field.with_metadata({b"note": f"{NAME} {victim}".encode()}) for field in arrow.schema]
        pq.write_table(arrow.cast(pa.schema(fields, metadata=notes)), path)
    return path


def shared(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def strange_digests(out: Path) -> list[str]:
    """Return what looks like a digest in what may be sent and is neither that of a file there nor keyed."""
    files = shared(out / "candidate")
    known = {hashlib.sha256(content).hexdigest() for content in files.values()}
    texts = [content.decode("latin-1") for name, content in files.items() if not name.startswith("release")]
    private = json.loads((out / "private/manifest.json").read_text())["data"]
    known.add(keyed(private["digest"], private["digest_key"])[0].removeprefix(KEYED))
    return [found for text in texts for found in re.findall(r"\b[0-9a-f]{32,}\b", text) if found not in known]


@pytest.mark.parametrize(("suffix", "method"), [(".parquet", "noise"), (".csv", "identity"), (".npz", "identity")])
def test_two_inputs_that_differ_in_what_is_not_released_cannot_be_told_apart(
    tmp_path: Path, suffix: str, method: str
) -> None:
    NoiseKey.generate().save(tmp_path / "key")
    files = []
    for victim in ("no", "yes"):
        folder = tmp_path / victim
        folder.mkdir()
        data = write(folder, suffix, victim)
        run(data, sensitive=["s"], drop=["hiv"], out=folder / "o", method=method, noise_key=tmp_path / "key", **FAST)
        assert strange_digests(folder / "o") == []
        files.append(shared(folder / "o/candidate"))
        assert not [name for name, content in files[-1].items() if NAME.encode() in content]
        header, _ = read_artifact(folder / "o/private/sanitizer.withhold")
        assert NAME not in json.dumps(header)
        assert digest(data) not in json.dumps(header)
        assert header["training_data"] == {"rows": 84}
    first, second = files
    assert set(first) == set(second)
    release = next(name for name in first if name.startswith("release"))
    if suffix != ".npz":  # whose members carry the time of writing
        assert first[release] == second[release]
    plain = [
        {name: MOMENTS.sub("", re.sub(r"[0-9a-f]{64}", "", content.decode())) for name, content in each.items()
         if name.endswith(".json")}
        for each in files
    ]  # fmt: skip
    assert plain[0] == plain[1]


def test_a_plain_digest_would_be_found(tmp_path: Path) -> None:
    """Positive control of the law above."""
    data = write(tmp_path, ".csv", "no")
    run(
        data,
        sensitive=["s"],
        drop=["hiv"],
        out=tmp_path / "o",
        method="identity",
        effort="quick",
        attackers=["logistic"],
    )
    manifest = tmp_path / "o/candidate/manifest.json"
    manifest.write_text(manifest.read_text().replace(KEYED, digest(data) + " "))
    assert digest(data) in strange_digests(tmp_path / "o")


def words(content: bytes) -> str:
    """Return a document without digests, moments and figures: what is left may not hang on a record."""
    return NUMBERS.sub("#", re.sub(r"[0-9a-f]{64}", "", MOMENTS.sub("", content.decode())))


def test_one_records_attribute_moves_nothing_but_the_audit_of_it(tmp_path: Path) -> None:
    """S itself is in no file: where the release does not hang on it, what is shared differs in the audit alone."""
    files = []
    for other in (0, 1):
        folder = tmp_path / str(other)
        folder.mkdir()
        table = people(other_s=other).drop(columns="hiv").assign(part=["train"] * 80 + ["test"] * 40)
        table.to_parquet(folder / "t.parquet", index=False)  # drawn parts would be drawn by s
        run(folder / "t.parquet", sensitive=["s"], split="part", out=folder / "o", method="identity", **FAST)
        assert strange_digests(folder / "o") == []
        files.append(shared(folder / "o/candidate"))
    first, second = files
    assert first["release.parquet"] == second["release.parquet"]
    assert words(first["manifest.json"]) == words(second["manifest.json"])
    assert first["audit.json"] != second["audit.json"]  # the stated aggregates; folds are drawn within classes of S


def test_a_private_release_shares_no_function_of_the_records_beside_it(tmp_path: Path) -> None:
    """Of a method with fresh noise: neither digests, nor the name of the file, nor an exact value."""
    for victim in ("no", "yes"):
        folder = tmp_path / victim
        folder.mkdir()
        table = people(victim)
        table.assign(u=["no", "yes"] * 60).to_csv(folder / f"{NAME}.csv", index=False)
        asked = {"sensitive": [], "utility": ["u"], "drop": ["hiv", "s"], "method": "cadp", "epsilon": "1"}
        tiny = ["rounds=5", "hidden=8", "directions=2"]
        run(folder / f"{NAME}.csv", settings=tiny, out=folder / "o", **asked, **FAST)
        assert strange_digests(folder / "o") == []
        files = shared(folder / "o/candidate")
        assert not [name for name, content in files.items() if NAME.encode() in content]
        exact = {f"{value:.15g}" for value in table["bmi"]}
        assert not [value for value in exact for content in files.values() if value.encode() in content]
        assert digest(folder / f"{NAME}.csv") not in json.dumps(
            read_artifact(folder / "o/private/sanitizer.withhold")[0]
        )
