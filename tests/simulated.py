"""Cells that several tests simulate, and when two traces are the same."""

from bandstrap import Bootstrap, Multinomial
from bandstrap.environments import Bernoulli, Beta
from bandstrap.simulation import Cell

MEANS = Bernoulli(means=(0.3, 0.6, 0.5))


def same(one, two):
    """Everything but the time it took, byte for byte."""
    return all(
        getattr(one, name).tobytes() == getattr(two, name).tobytes()
        for name in ("rounds", "regret", "reward")
    )


def cells(runs=1100, horizon=40):
    return [
        Cell("test", "bernoulli", "wb", MEANS, Bootstrap(), horizon, runs),
        Cell("test", "bernoulli", "npb", MEANS, Bootstrap(Multinomial()), horizon, runs),
        Cell("test", "beta", "wb", Beta(3), Bootstrap(), horizon, runs),
    ]
