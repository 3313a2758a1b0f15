"""A table of customers."""

import numpy as np
import pandas as pd


def shop(rows=300, seed=0):
    """Customers with categories and gaps; what they buy depends on both columns."""
    rng = np.random.default_rng(seed)
    age, city = rng.integers(18, 80, rows).astype(float), rng.choice(["Oslo", "Rome", "Lima"], rows)
    bought = np.where(age > 50, "tea", np.where(city == "Rome", "coffee", "milk"))
    return pd.DataFrame(
        {
            "age": np.where(rng.random(rows) < 0.1, np.nan, age),
            "city": np.where(rng.random(rows) < 0.1, None, city),
            "bought": bought,
        }
    )
