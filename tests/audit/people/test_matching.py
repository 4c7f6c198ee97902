import numpy as np

from withhold.audit.people.matching import Matches

N = 800
PRIOR = np.log([0.5, 0.5])


def test_equal_rows_are_a_band_of_their_own():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(N, 3)).astype(np.float32)
    s = rng.integers(0, 2, N)
    people = np.vstack([rows[:100], rng.normal(size=(N, 3)).astype(np.float32)])
    found = Matches.of(rows, s, people)
    assert (found.band == 0).tolist() == [True] * 100 + [False] * N
    assert np.array_equal(found.guess[:100], s[:100])
    counts = np.bincount(found.band)
    assert counts[1:4].tolist() == [60, 180, 540]


def test_whom_to_trust_hangs_on_how_near_the_row_is():
    rng = np.random.default_rng(1)
    truth, band = rng.integers(0, 2, N), np.repeat([0, 3], N // 2)
    guess = np.where(band == 0, truth, rng.integers(0, 2, N))
    half = rng.permutation(N) % 2
    matches = Matches(guess, band)
    index = np.arange(N)
    alone = matches.log_ratios(truth, PRIOR, half)[index, truth]
    assert alone[band == 0].mean() > 0.6
    assert abs(alone[band == 3].mean()) < 0.03
    general = np.where(np.eye(2)[truth] > 0, np.log(0.7 / 0.5), np.log(0.3 / 0.5))
    flipped = rng.random(N) < 0.3
    general[flipped] = general[flipped][:, ::-1]
    both = matches.together({"a": general, "b": matches.log_ratios(truth, PRIOR, half)}, truth, PRIOR, half)
    told = both[index, truth]
    # Of copies all is read, of the others what is told of everybody: log 2 - H(.3) = .082 nat.
    assert told[band == 0].mean() > 0.6
    assert 0.02 < told[band == 3].mean() < 0.14
