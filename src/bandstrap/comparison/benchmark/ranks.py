"""Policies over many data sets: mean ranks, and which of them differ.

Friedman's test comes first, as Demšar (2006) proposed. Pairs are then compared by Wilcoxon's
signed-rank test with Holm's correction and not by mean ranks (Nemenyi), which would make a pair's
verdict depend on who else took part (Benavoli et al., 2016).
"""

from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, wilcoxon

from bandstrap.arrays import Array

LEVEL = 0.05


@dataclass(frozen=True)
class Duel:
    """Two policies over all data sets: how often the first earned more, with a p-value."""

    first: str
    second: str
    wins: int
    losses: int
    difference: float  # reward per round of the first minus the second, mean over data sets
    p: float  # two-sided, of this pair alone

    def __str__(self) -> str:
        return (
            f"{self.first} earned {self.difference:+.3f} per round against {self.second} "
            f"(more on {self.wins}, less on {self.losses} data sets, Wilcoxon p = {self.p:.2g})"
        )


@dataclass(frozen=True)
class Ranks:
    """Mean ranks, best first, and the groups in which no pair differs."""

    policies: tuple[str, ...]
    mean: tuple[float, ...]
    datasets: int
    friedman: float  # p of "all are equal"; NaN with too little data
    groups: tuple[tuple[str, ...], ...]


def ranks(policies: list[str], rewards: Array) -> Ranks:
    """Rank policies by rewards (data sets, policies).

    >>> ranks(["a", "b"], np.array([[0.9, 0.5], [0.8, 0.7]])).policies
    ('a', 'b')
    """
    mean = rankdata(-rewards, axis=1).mean(axis=0)
    order = sorted(range(len(policies)), key=lambda i: (mean[i], policies[i]))
    names = [policies[i] for i in order]
    means = tuple(float(mean[i]) for i in order)
    groups = _groups(names, _different(names, rewards[:, order]))
    return Ranks(tuple(names), means, rewards.shape[0], _friedman(rewards), groups)


def duel(first: str, second: str, rewards: dict[str, Array]) -> Duel:
    """One pair over all data sets."""
    difference = rewards[first] - rewards[second]
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    return Duel(first, second, wins, losses, float(difference.mean()), _p(difference))


def _friedman(rewards: Array) -> float:
    if rewards.shape[0] < 2 or rewards.shape[1] < 3:
        return nan
    return float(friedmanchisquare(*rewards.T).pvalue)


def _p(difference: Array) -> float:
    if not difference.any():
        return 1.0
    return float(wilcoxon(difference, method="auto").pvalue)


def _different(names: list[str], rewards: Array) -> set[frozenset[str]]:
    """The pairs that differ, by Holm's correction."""
    pairs = list(combinations(range(len(names)), 2))
    p = [_p(rewards[:, i] - rewards[:, j]) for i, j in pairs]
    found = set()
    for step, place in enumerate(np.argsort(p, kind="stable")):
        if p[place] > LEVEL / (len(pairs) - step):
            break
        i, j = pairs[place]
        found.add(frozenset((names[i], names[j])))
    return found


def _groups(names: list[str], different: set[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """The longest runs of the ranking without a pair that differs."""
    groups: list[tuple[str, ...]] = []
    end = 0
    for start in range(len(names)):
        stop = start + 1
        while stop < len(names) and not any(
            frozenset((names[i], names[stop])) in different for i in range(start, stop)
        ):
            stop += 1
        if stop > end and stop - start > 1:
            groups.append(tuple(names[start:stop]))
        end = max(end, stop)
    return tuple(groups)
