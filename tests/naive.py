"""Slow twins: the bootstrap written out in plain NumPy, one weight for each reward.

Nothing here is shared with the library. `Twin` is the reference; subclasses at the end each make
one deliberate error, so that tests can show that a comparison with the reference would notice it.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

CHUNK = 250_000  # weights drawn at once: as many as stay in the cache
RUNS, TIMES = 1000, 100  # of a policy: 100,000 choices
TWIN_DRAWS = 100_000
P = 1e-4  # which a comparison asks for


def exponential_weights(shape, rng):
    return rng.standard_exponential(shape)


def poisson_weights(shape, rng):
    """The distribution function inverted at 32 random bits: five times as fast as NumPy's own."""
    bits = rng.integers(0, 2**32, shape, dtype=np.uint32)
    limits = np.rint(2.0**32 * stats.poisson(1.0).cdf(np.arange(12))).clip(max=2**32 - 1)
    weights = np.zeros(shape, dtype=np.uint8)
    for limit in limits.astype(np.uint32):
        weights += bits >= limit
    return weights.astype(float)


def double_or_nothing_weights(shape, rng):
    return 2.0 * rng.integers(0, 2, shape, dtype=np.uint8)


def multinomial_weights(shape, rng):
    """How often each of n rewards is met in n draws with replacement."""
    size, n = shape
    cells = rng.integers(0, n, shape, dtype=np.int32) + n * np.arange(size)[:, None]
    return np.bincount(cells.ravel(), minlength=size * n).reshape(shape).astype(float)


WEIGHTS = {
    "exponential": exponential_weights,
    "multinomial": multinomial_weights,
    "poisson": poisson_weights,
    "double": double_or_nothing_weights,
}
# The weight of a fraction of a reward, for schemes whose weights are infinitely divisible.
FRACTIONS = {
    "exponential": lambda count, size, rng: rng.standard_gamma(count, size),
    "poisson": lambda count, size, rng: rng.poisson(count, size).astype(float),
}


@dataclass(frozen=True)
class Twin:
    """The bootstrap by `scheme` with pseudo-rewards at `values`, each counting `counts` times."""

    scheme: str
    values: tuple[float, ...] = (0.0, 1.0)
    counts: tuple[float, ...] = (1.0, 1.0)

    def draws(self, rewards, size, rng):
        """Bootstrapped means of one arm; infinite if it has neither rewards nor pseudo-rewards."""
        whole = np.floor(self.counts).astype(int)
        pseudo = np.repeat(self.values, whole)
        parts = [
            (value, count - int(count))
            for value, count in zip(self.values, self.counts, strict=True)
            if count != int(count)
        ]
        if len(rewards) + pseudo.size + len(parts) == 0:
            return np.full(size, np.inf)
        means = np.empty(0)
        step = max(1, CHUNK // (len(rewards) + pseudo.size + 1))
        while means.size < size:
            weighted, total = self._sums(np.array(rewards, float), pseudo, parts, step, rng)
            some = total > 0  # weights that are all zero have no mean: drawn again
            means = np.concatenate([means, weighted[some] / total[some]])
        return means[:size]

    def _sums(self, rewards, pseudo, parts, size, rng):
        history = np.concatenate([rewards, pseudo])
        weights = WEIGHTS[self.scheme]((size, history.size), rng)
        weighted, total = weights @ history, weights.sum(axis=1)
        for value, count in parts:
            weight = FRACTIONS[self.scheme](count, size, rng)
            weighted, total = weighted + weight * value, total + weight
        return weighted, total

    def scores(self, arms, size, rng):
        return np.stack([self.draws(rewards, size, rng) for rewards in arms], axis=1)

    def choices(self, arms, size, rng, allowed=None):
        """How often each arm is chosen in `size` decisions on the given rewards of each arm."""
        scores = self.scores(arms, size, rng)
        if allowed is not None:
            scores[:, ~np.asarray(allowed)] = -np.inf
        return np.bincount(self.best(scores, rng), minlength=len(arms))

    def best(self, scores, rng):
        return argmax(scores, rng)


def argmax(scores, rng):
    """The largest score in each row; of those equal up to rounding, any one."""
    top = scores.max(axis=1, keepdims=True)
    near = np.where(np.isfinite(top), 1e-11 * np.maximum(abs(top), 1e-300), 0.0)
    return np.where(scores >= top - near, rng.random(scores.shape), -1.0).argmax(axis=1)


@dataclass(frozen=True)
class BinomialTwin(Twin):
    """The paper's binomial estimator: n coins that fall as the mean of rewards in [low, high]."""

    scheme: str = "binomial"

    def draws(self, rewards, size, rng):
        low, high = self.values
        history = np.concatenate([rewards, np.repeat(self.values, np.array(self.counts, int))])
        share = (history.mean() - low) / (high - low)
        heads = (rng.random((size, history.size)) < share).sum(axis=1)
        return low + (high - low) * heads / history.size


class DroppedPseudoReward(Twin):
    """Error: the last pseudo-reward is forgotten."""

    def draws(self, rewards, size, rng):
        return Twin(self.scheme, self.values[:-1], self.counts[:-1]).draws(rewards, size, rng)


class OneTooMany(Twin):
    """Error: the rewards of an arm together weigh Gamma(n + 1) for Gamma(n)."""

    def _sums(self, rewards, pseudo, parts, size, rng):
        if rewards.size == 0:
            return super()._sums(rewards, pseudo, parts, size, rng)
        weights = rng.standard_exponential((size, rewards.size))
        weights *= rng.standard_gamma(rewards.size + 1.0, (size, 1)) / weights.sum(1, keepdims=True)
        of_pseudo = rng.standard_exponential((size, pseudo.size))
        weighted = weights @ rewards + of_pseudo @ pseudo
        return weighted, weights.sum(axis=1) + of_pseudo.sum(axis=1)


class FirstOfTies(Twin):
    """Error: of tied arms the first wins."""

    def best(self, scores, rng):
        return scores.argmax(axis=1)


def played(policy, problem, arms, runs, seed=0):
    """A state in which every run has seen the same rewards of each arm, in one random order."""
    state = policy.start(problem, runs)
    extend(policy, state, arms, seed)
    return state


def extend(policy, state, arms, seed=0):
    rng = np.random.default_rng(seed)
    order = rng.permutation(np.repeat(np.arange(len(arms)), [len(rewards) for rewards in arms]))
    left = [iter(rewards) for rewards in arms]
    for arm in order:
        reward = float(next(left[arm]))
        policy.update(state, None, np.full(state.runs, arm), np.full(state.runs, reward), rng)


def choices(policy, state, rng, times, allowed=None):
    """How often each arm is chosen in runs × `times` decisions from one state."""
    arms = [policy.select(state, None, rng, allowed) for _ in range(times)]
    return np.bincount(np.concatenate(arms), minlength=state.problem.n_arms)


def scores(policy, state, rng, times):
    return np.concatenate([policy.scores(state, None, rng) for _ in range(times)])


def homogeneity(counts, others):
    """The p-value of the chi-square test that two samples of choices have one law.

    Arms that hardly anyone chose are put together: their law is not chi-square.
    """
    table = np.array([counts, others], dtype=float)
    assert table.sum(axis=1).min() >= 50_000
    rare = table.sum(axis=0) < 20
    table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2:
        return 1.0
    return stats.chi2_contingency(table, correction=False).pvalue


def goodness(counts, probabilities):
    """The p-value of the chi-square test of choices against exact probabilities."""
    expected = np.asarray(probabilities) * np.sum(counts)
    assert expected.min() >= 5
    return stats.chisquare(counts, expected, sum_check=False).pvalue


def agree(policy, twin, problem, arms, allowed=None, draws=TWIN_DRAWS, seed=1):
    """Choices of policy and twin on one history have one law."""
    state = played(policy, problem, arms, RUNS)
    found = choices(policy, state, np.random.default_rng(seed), TIMES, allowed)
    row = None if allowed is None else allowed[0]
    expected = twin.choices(arms, draws, np.random.default_rng(seed + 1), row)
    pvalue = homogeneity(found, expected)
    assert pvalue > P, (pvalue, found / found.sum(), expected / expected.sum())
    return state
