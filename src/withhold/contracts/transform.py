"""The protocol of anything that turns records into a release."""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Transform(Protocol):
    """Records in, release out; never needs the sensitive attribute.

    Examples
    --------
    >>> class Rounded:
    ...     def transform(self, X):
    ...         return [round(x) for x in X]
    >>> isinstance(Rounded(), Transform), isinstance([0.4], Transform)
    (True, False)
    """

    def transform(self, X: Any) -> Any:
        """Return the release of `X`, in the container `X` came in."""
        ...
