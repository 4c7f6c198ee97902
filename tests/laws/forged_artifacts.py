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
from withhold.methods import loading
from withhold.methods.loading import restore
from withhold.training import descent

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


class Asked(dict):
    """A header that notes which keys its reader asks for and it does not have, wherever they would stand."""

    def __init__(self, value, absent, at=()):
        super().__init__({k: asked_in(part, absent, (*at, k)) for k, part in value.items()})
        self.absent, self.at = absent, at

    def __missing__(self, key):
        self.noted(key)
        raise KeyError(key)

    def __contains__(self, key):
        return super().__contains__(key) or self.noted(key)

    def get(self, key, default=None):
        return super().get(key, default) if key in self else default

    def noted(self, key):
        if (*self.at, key) not in self.absent:
            self.absent.append((*self.at, key))
        return False


def asked_in(value, absent, at=()):
    """Return a JSON value whose objects note what is asked of them."""
    if isinstance(value, list):
        return [asked_in(part, absent, (*at, i)) for i, part in enumerate(value)]
    return Asked(value, absent, at) if isinstance(value, dict) else value


def absent_keys(path, X):
    """List the places of the header that a reader asks for and that this artifact does not have."""
    absent = []

    def watched(path):
        header, tensors = read_artifact(path)
        return asked_in(header, absent), tensors

    loading.read_artifact = watched
    try:
        restore(path).transform(X[:9])
    finally:
        loading.read_artifact = read_artifact
    return absent


def with_absent(header, place, rng):
    """Give a header something wrong where a reader would look and nothing is."""
    *above, last = place
    part = header
    for key in above:
        part = part[key]
    options = NUMBERS + OTHERS
    part[last] = options[rng.integers(len(options))]
    return header


def in_header(header, tensors, rng):
    """Put something else in one place of the header, or take it away."""
    section = rng.choice(list(header))
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
    descent.STEPS = (20, 20)  # a decoder that learned little is read as any other
    folder = pathlib.Path(tempfile.mkdtemp())
    rng, n = np.random.default_rng(int(sys.argv[2])), 120
    table = pd.DataFrame({"x": rng.normal(size=n), "k": rng.integers(0, 5, n), "c": rng.choice(list("uv"), n)})
    images = rng.random((n, 8, 8)).astype("float32")
    s, y = rng.choice(["f", "m"], n), rng.choice(["a", "b"], n)
    saved, absent = [], []
    for i, cls in enumerate(METHODS):
        own = {name: value for name, value in CHEAP.items() if name in inspect.signature(cls).parameters}
        X = images if cls.accepts_images and i % 2 else table[["x", "k"]].to_numpy(float) if i % 3 == 1 else table
        method = cls(**own).fit(X, y if cls.needs_y else None, sensitive_features=s)
        method.save(folder / "s.withhold")
        saved.append((cls.__name__, X, *read_artifact(folder / "s.withhold"), (folder / "s.withhold").read_bytes()))
        forge(folder / "f.withhold", *saved[-1][2:4])
        restore(folder / "f.withhold").transform(X[:9])  # positive control: what is not changed loads
        absent.append(absent_keys(folder / "f.withhold", X))
    used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + SPARE, used + SPARE))
    counts, faults = Counter(), []
    for (name, X, header, tensors, raw), places_of in zip(saved, absent, strict=True):
        more = [place for place in places_of for _ in range(mutants // 10)]
        for i in range(-len(more), mutants):
            path = folder / "f.withhold"
            if i < 0:
                forge(path, with_absent(copy.deepcopy(header), more[i], rng), dict(tensors))
                what = f"absent {more[i]}"
            elif i % 10 == 9:
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
    asked = sorted({str(place[-1]) for places_of in absent for place in places_of})
    print(json.dumps({"counts": counts, "faults": faults, "absent": asked}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
