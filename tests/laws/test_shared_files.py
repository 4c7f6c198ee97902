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

FAST = {"effort": "quick", "attackers": ["logistic"]}
NAME = "patients_of_Dr_Smith"
# What differs between two runs on the same records.
MOMENTS = re.compile(r'"(created|seconds|fit_seconds)": [^\n,]*')


def people(victim: str = "no") -> pd.DataFrame:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 120)
    columns = {
        "age": rng.integers(18, 90, 120),
        "bmi": s + rng.normal(27, 4, 120),
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
    files = shared(out / "share")
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
        files.append(shared(folder / "o/share"))
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
    manifest = tmp_path / "o/share/manifest.json"
    manifest.write_text(manifest.read_text().replace(KEYED, digest(data) + " "))
    assert digest(data) in strange_digests(tmp_path / "o")
