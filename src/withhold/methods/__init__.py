"""Methods that learn a transform hiding an attribute: one paper, one folder."""

from withhold.contracts.lazy import lazily
from withhold.methods.catalogue import MODULES

__all__ = list(MODULES)
__getattr__, __dir__ = lazily(__name__, MODULES)
