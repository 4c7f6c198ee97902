"""The protocol of anything that turns records into a release."""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Transform(Protocol):
    """Records in, release out; never needs the sensitive attribute."""

    def transform(self, X: Any) -> Any:
        """Return the release of `X`, in the container `X` came in."""
        ...
