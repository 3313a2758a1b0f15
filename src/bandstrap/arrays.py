"""The aliases that signatures use."""

from typing import TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray
Rng: TypeAlias = np.random.Generator
Contexts: TypeAlias = np.ndarray | None  # (runs, features), or (runs, arms, features); None without
Weights: TypeAlias = np.ndarray | None  # how often each reward counts; None for once
