"""Run by a test in a process of its own: load forged artifacts of every method in little memory, and say what came out.

Prints one JSON object: how many mutants were refused and how many loaded, and what was neither.
"""

import copy
import hashlib
import inspect
import json
import pathlib
import resource
import sys
import tempfile
import traceback
import warnings
from collections import Counter

import numpy as np
import pandas as pd
from safetensors.numpy import save as save_tensors

import withhold.methods as room
from withhold.contracts.errors import ArtifactError, WithholdError
from withhold.io.artifact import FORMAT_VERSION, MAGIC, content_digest, read_artifact
from withhold.methods.loading import restore

CHEAP = {"rounds": 3, "hidden": 8, "noise_seed": 0, "random_state": 0}
METHODS = [getattr(room, name) for name in room.__all__ if name[0].isupper() and name != "Sanitizer"]
SPARE = 192 << 20  # bytes; a forged network of 10**9 weights, or a list of 10**8 names, needs more
NUMBERS = [-1, 0, 3, 10**6, 10**9, 10**12, 10**30, 1e300, float("nan"), float("inf"), 0.5]
OTHERS = [None, True, "", "x" * 30, [], {}, [10**9] * 3, [[]], {"a": 1}, "1/3", "1e400"]


def forge(path, header, tensors):
    """Write what a forger who can compute seals writes, NaN and all."""
    state = {name.removeprefix("method."): array for name, array in tensors.items() if name.startswith("method.")}
    try:
        own = {"method": header.get("method"), "encoding": header.get("encoding")}
        header = {**header, "state_digest": content_digest(own, state)}
    except (TypeError, ValueError):
        pass
    entry = {"seal": "0" * 64, "magic": MAGIC, "format_version": FORMAT_VERSION, "header": header}
    blank = save_tensors(tensors, metadata={"withhold": json.dumps(entry)})
    seal = hashlib.sha256(blank).hexdigest()
    path.write_bytes(blank.replace(b"0" * 64, seal.encode(), 1))


def places(value, found, at=()):
    """List the paths of all parts of a JSON value."""
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found.append((*at, key))
        places(part, found, (*at, key))
    return found


def in_header(header, tensors, rng):
    """Put something else in one place of the header, or take it away."""
    section = rng.choice([key for key in header if header[key]])
    found = [(section,), *places(header[section], [], (section,))]
    *above, last = found[rng.integers(len(found))]
    part = header
    for key in above:
        part = part[key]
    if rng.random() < 0.1 and isinstance(part, dict):
        del part[last]
    else:
        options = NUMBERS if isinstance(part[last], int | float) and rng.random() < 0.7 else NUMBERS + OTHERS
        part[last] = options[rng.integers(len(options))]
    return header, tensors


def in_tensors(header, tensors, rng):
    """Change one array in shape, type or values."""
    name = list(tensors)[rng.integers(len(tensors))]
    array = np.array(tensors[name])
    kind = rng.integers(8)
    if kind == 0:
        del tensors[name]
        return header, tensors
    if kind == 1:
        array = array[..., None]
    elif kind == 2:
        array = array.reshape(-1)[:-1]
    elif kind == 3:
        array = array.astype([np.float64, np.int64, np.bool_, np.int8][rng.integers(4)])
    elif kind == 4:
        array = np.zeros((0, 10**12), array.dtype)
    elif array.size:
        flat = array.reshape(-1)
        extreme = [np.nan, np.inf, -1.0, 1e30] if array.dtype.kind == "f" else [-1, 10**6, 10**9, 10**15]
        with np.errstate(all="ignore"):
            flat[rng.integers(flat.size)] = np.array(extreme[rng.integers(4)]).astype(array.dtype)
    return header, {**tensors, name: array}


def main(mutants):
    warnings.simplefilter("ignore")
    folder = pathlib.Path(tempfile.mkdtemp())
    rng, n = np.random.default_rng(int(sys.argv[2])), 120
    table = pd.DataFrame({"x": rng.normal(size=n), "k": rng.integers(0, 5, n), "c": rng.choice(list("uv"), n)})
    images = rng.random((n, 8, 8)).astype("float32")
    s, y = rng.choice(["f", "m"], n), rng.choice(["a", "b"], n)
    saved = []
    for i, cls in enumerate(METHODS):
        own = {name: value for name, value in CHEAP.items() if name in inspect.signature(cls).parameters}
        X = images if cls.accepts_images and i % 2 else table[["x", "k"]].to_numpy(float) if i % 3 == 1 else table
        method = cls(**own).fit(X, y if cls.needs_y else None, sensitive_features=s)
        method.save(folder / "s.withhold")
        saved.append((cls.__name__, X, *read_artifact(folder / "s.withhold"), (folder / "s.withhold").read_bytes()))
        forge(folder / "f.withhold", *saved[-1][2:4])
        restore(folder / "f.withhold").transform(X[:9])  # positive control: what is not changed loads
    used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + SPARE, used + SPARE))
    counts, faults = Counter(), []
    for name, X, header, tensors, raw in saved:
        for i in range(mutants):
            path = folder / "f.withhold"
            if i % 10 == 9:
                spoilt = bytearray(raw if i % 20 == 9 else raw[: rng.integers(len(raw))])
                if i % 20 == 9:
                    spoilt[rng.integers(len(raw))] ^= 1 + rng.integers(255)
                path.write_bytes(spoilt)
                what = "bytes"
            else:
                change = in_header if i % 2 else in_tensors
                forged = change(copy.deepcopy(header), dict(tensors), rng)
                forge(path, *forged)
                what = change.__name__
            try:
                restored = restore(path)
            except ArtifactError as error:
                counts["refused"] += 1
                if "alloc" in str(error) or "\n" in str(error) or len(str(error)) > 1000:
                    faults.append([name, what, str(error)[:400]])
                continue
            except BaseException:
                faults.append([name, what, traceback.format_exc()[-1500:]])
                continue
            counts["loaded"] += 1
            try:
                restored.transform(X[:9])
            except WithholdError as error:
                counts[type(error).__name__] += 1
            except BaseException:
                faults.append([name, what, "used: " + traceback.format_exc()[-1500:]])
    print(json.dumps({"counts": counts, "faults": faults}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
