"""A trial that is read by one attacker: for what is done with readings, whoever reads. `test_measure` has them all."""

from collections.abc import Iterator

import pytest

from withhold.workflow.choosing import measure


@pytest.fixture(scope="module")
def one_reader() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(measure, "READERS", ("logistic",))
        yield
