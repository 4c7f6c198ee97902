"""The arrays that attackers and statistics exchange."""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Reals = NDArray[np.float64]
Codes = NDArray[np.int64]
