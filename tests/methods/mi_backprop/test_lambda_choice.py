from withhold.methods.mi_backprop.lambda_choice import Trial, choose

BASE = Trial(0.0, 0.95, 0.1, 1.0, 0.05)


def test_the_largest_that_fits_and_lowers_the_information():
    trials = [Trial(1.0, 0.94, 0.2, 0.6, 0.05), BASE, Trial(2.0, 0.94, 0.2, 0.4, 0.05), Trial(4.0, 0.3, 1, 0.0, 0.05)]
    assert trials[choose(trials, 0.02)].lam == 2.0
    assert trials[choose(trials, 0.005)].lam == 0.0  # nothing else fits that well
    assert trials[choose(trials, 0.9)].lam == 4.0


def test_a_difference_within_its_error_lowers_nothing():
    trials = [BASE, Trial(1.0, 0.95, 0.1, 0.97, 0.05)]
    assert choose(trials, 0.02) == 0
    assert choose([BASE, Trial(1.0, 0.95, 0.1, 0.9, 0.05)], 0.02) == 1


def test_without_a_reading_the_smallest_is_taken():
    assert choose([BASE, Trial(1.0, 0.95, 0.1, float("nan"), float("nan"))], 0.02) == 0
