"""Rankings are of what policies ended with, and show as many digits as the error has."""

import numpy as np
import pytest
from synthetic import trace

from bandstrap.experiments.ranking import Standing, by_regret, by_reward


def test_best_first_by_either_measure():
    traces = [trace("a", 0.5), trace("b", 0.7), trace("c", 0.6)]
    for ranking in (by_reward("x", traces), by_regret("x", traces)):
        assert [each.policy for each in ranking.standings] == ["b", "c", "a"]
    best = by_reward("x", traces).standings[0]
    final = traces[1].reward[:, -1] / traces[1].rounds[-1]
    assert best.mean == pytest.approx(final.mean())
    assert best.error == pytest.approx(final.std(ddof=1) / np.sqrt(5))
    assert best.rounds == 50_000


@pytest.mark.parametrize(
    ("mean", "error", "shown"),
    [
        (0.68423, 0.00123, "0.6842 ± 0.0012"),
        (105.234, 1.12, "105.2 ± 1.1"),
        (1234.5, 56.7, "1234 ± 57"),
        (2.345678, float("nan"), "2.346"),
        (1.5e139, 0.0, "1.5e+139"),
    ],
)
def test_digits(mean, error, shown):
    assert str(Standing("a", mean, error, 1.0)) == shown
