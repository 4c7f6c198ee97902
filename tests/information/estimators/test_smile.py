import numpy as np
import pytest

from withhold.contracts.errors import InvalidParameterError
from withhold.information.estimators.critics import CriticTraining
from withhold.information.estimators.smile import SMILE


def test_clipping_can_exceed_the_information_so_it_is_no_bound():
    """The same critics read more under a tight clip: the mean of e^T is what is cut."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    b = a + 0.5 * rng.normal(size=400)  # .805 nat
    quick = CriticTraining(steps=120, folds=2)
    tight, wide = (SMILE(clip=clip, training=quick, random_state=0).fit(a, b).estimate() for clip in (0.1, 20.0))
    assert tight.value > wide.value + 0.02
    assert tight.kind == "estimate"


def test_clip_must_be_positive():
    with pytest.raises(InvalidParameterError, match="clip"):
        SMILE(clip=0.0).fit(np.arange(50.0), np.arange(50.0))
