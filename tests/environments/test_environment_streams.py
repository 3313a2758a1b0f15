"""What seeds worlds: a text that never changes, or results would."""

from dataclasses import dataclass

import numpy as np
import pytest

from bandstrap.environments import ENVIRONMENTS, Bernoulli, Environment, Labelled
from bandstrap.environments.table import ClassPayoffs, TableEnvironment
from bandstrap.simulation import Cell

STREAMS = {
    "bernoulli": "Bernoulli(n_arms=10, means=None)",
    "truncated-normal": "TruncatedNormal(n_arms=10, means=None, scale=0.0001)",
    "beta": "Beta(n_arms=10, means=None)",
    "triangular": "Triangular(n_arms=10, means=None, full_span=False)",
    "gaussian": "Gaussian(n_arms=10, means=None, scale=1.0)",
    "categorical": "Categorical(n_arms=10, means=None, values=(0.0, 0.5, 1.0), probabilities=None)",
    "two-arm": "TwoArm(n_arms=2, means=(0.5, 0.25))",
}
TABLE = TableEnvironment("mine", np.eye(3), ClassPayoffs(np.array([0, 1, 1]), 2))


@pytest.mark.parametrize(
    ("environment", "stream"),
    [
        *((maker(), STREAMS[name]) for name, maker in ENVIRONMENTS.items()),
        (Bernoulli(means=(0.1, 0.2)), "Bernoulli(n_arms=2, means=(0.1, 0.2))"),
        (Labelled("digits"), "Labelled(dataset='digits')"),
        (TABLE, f"OwnTable('mine', 2 arms, {TABLE.digest})"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_streams_are_those_of_the_first_release(environment: Environment, stream: str) -> None:
    assert environment.stream == stream
    cell = Cell("", "", "wb", environment, None, 1, 1)  # type: ignore[arg-type]
    assert cell.batches(0)[0].world == stream


def test_a_renamed_class_keeps_its_stream() -> None:
    @dataclass(frozen=True)
    class Coins(Bernoulli):
        seeded_as = "Bernoulli"

    @dataclass(frozen=True)
    class Own(Coins):
        """Not a rename: a class of its own."""

    assert Coins(3).stream == Bernoulli(3).stream
    assert Own(3).stream == repr(Own(3))
