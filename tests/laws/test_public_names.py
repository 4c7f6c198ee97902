"""The public names: loaded on first use, all there, and nothing else."""

import subprocess
import sys

import pytest

import withhold
import withhold.methods as room


@pytest.mark.parametrize("package", [withhold, room], ids=["withhold", "methods"])
def test_every_name_can_be_had(package):
    for name in package.__all__:
        assert getattr(package, name).__name__ == name
        assert name in dir(package)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = withhold.Nonsense
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = room.Nonsense


def test_version_is_the_distribution_s():
    assert withhold.__version__.count(".") == 2


def test_importing_does_no_work():
    code = (
        "import sys, withhold, withhold.methods\n"
        "heavy = {'torch', 'sklearn', 'pandas', 'numpy', 'pyarrow'} & set(sys.modules)\n"
        "sys.exit(' '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
