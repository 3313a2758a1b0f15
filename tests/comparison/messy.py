"""Tables as people have them."""

import numpy as np
import pandas as pd


def clean(rows=600, seed=0):
    """Offers that depend on price and age."""
    rng = np.random.default_rng(seed)
    price, age = rng.lognormal(7, 1, rows), rng.integers(18, 80, rows)
    income = rng.normal(40, 10, rows).round(2)
    best = np.where(price + rng.normal(0, 200, rows) > 1100, "buy", np.where(age > 50, "call", "-"))
    return pd.DataFrame({"price": price.round(2), "age": age, "income": income, "best": best})


def german(value):
    """2.862,49"""
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def european(rows=600):
    """Decimal commas, euro and percent signs, an error among numbers, two kinds of dates, an id."""
    table, rng = clean(rows), np.random.default_rng(1)
    hours = pd.date_range("2024-01-01", periods=rows, freq="7h")
    words = [f"{each:.2f}" for each in table.income]
    for place in range(0, rows, 40):
        words[place] = "error"
    return pd.DataFrame(
        {
            "price": [german(each) for each in table.price],
            "fee": [f"€ {each / 100:.2f}" for each in table.price],
            "share": [f"{each:.1f}%" for each in rng.uniform(0, 100, rows)],
            "income": words,
            "day": hours.strftime("%d.%m.%Y"),
            "at": hours.strftime("%Y-%m-%dT%H:%M:%S+02:00"),
            "customer": 100_000 + rng.permutation(rows),
            "age": table.age,
            "best": table.best,
        }
    )


def leaking():
    """What happened afterwards, in words and as a code."""
    table = clean()
    result = table.best.map({"buy": "sold", "call": "rang", "-": "none"})
    return table.assign(result=result, code=10 * (table.best == "buy") + (table.best == "call"))


def copied():
    """Every row three times."""
    return pd.concat([clean(300)] * 3, ignore_index=True)


def log(rows=200):
    """Decisions of somebody else."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "action": rng.choice(["a", "b"], rows),
            "reward": rng.integers(0, 2, rows),
            "propensity": rng.choice([0.2, 0.8], rows),
        }
    )


def offers(rows=600, seed=3):
    """Rewards of two arms."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(rows)
    noise = rng.standard_normal((2, rows))
    return pd.DataFrame({"x": x, "a": 10 + x + noise[0], "b": 10 - x + noise[1]})


def with_outlier():
    """One of them is a million."""
    table = offers()
    table.loc[7, "a"] = 1e6
    return table


def heavy_tailed():
    """Some pay thousands of times what most do."""
    rng = np.random.default_rng(4)
    table = offers()
    return table.assign(a=rng.pareto(0.8, len(table)), b=rng.pareto(0.8, len(table)))


def two_rows():
    return pd.DataFrame({"age": [20, 60], "best": ["buy", "call"]})
