"""What a model expects of all arms in rows that it was not fit to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.reward_models import Expects, Learning, as_reward_model
from bandstrap.evaluation.sample import Sample
from bandstrap.validation import require_within

__all__ = ["Predict", "cross_fit", "forward_fit", "given", "sampled"]

# What each arm is expected to pay in the rows from one place to another, (rows, arms).
Predict = Callable[[int, int], Array]
BLOCK = 4096  # neighbouring rows that are in the same fold
BLOCKS = 20  # of each fold at least, where the log is long enough
FIRST = 50  # rows of the first fit to the past
MOST_FOLDS = 100


def cross_fit(feedback: Feedback, model: Any = None, folds: int = 5) -> Predict:
    """A model of rewards for each fold of rows, fit to all others.

    Folds are of neighbouring rows, a block for each in turn. `model` is None for a quick one, a
    model of ours with `fit` and `predict`, or an estimator of scikit-learn's.

    >>> chosen, rewards = np.array([0, 1] * 50), np.array([0.0, 1.0] * 50)
    >>> predict = cross_fit(Feedback(("a", "b"), chosen, rewards))
    >>> predict(0, 1).round(1).tolist()
    [[0.1, 0.9]]
    """
    require_within(2, MOST_FOLDS, folds=folds)
    size = max(1, min(BLOCK, len(feedback) // (folds * BLOCKS)))
    others = [_learning(feedback, model) for _ in range(folds)]
    for block in range(-(-len(feedback) // size)):
        rows = _rewarded(feedback, block * size, (block + 1) * size)
        for fold, learning in enumerate(others):
            if fold != block % folds:
                learning.add(*rows)
    return _Folds(feedback, size, tuple(learning.fit() for learning in others))


@dataclass(frozen=True)
class _Folds:
    feedback: Feedback
    size: int  # of blocks
    fits: tuple[Expects, ...]

    def __call__(self, start: int, stop: int) -> Array:
        places = np.arange(start, min(stop, len(self.feedback)))
        folds = places // self.size % len(self.fits)
        contexts = _contexts(self.feedback, start, stop)
        expected = np.empty((len(places), len(self.feedback.arms)))
        for fold in np.unique(folds):
            own = folds == fold
            some = None if contexts is None else contexts[own]
            expected[own] = self.fits[fold](some, int(own.sum()))
        return expected


def forward_fit(feedback: Feedback, model: Any = None) -> Predict:
    """A model of rewards fit to earlier rows alone, again as the log grows; at first it knows 0.

    Logs of learning policies need it: what was chosen later depends on what was paid before.

    >>> chosen, rewards = np.array([0, 1] * 50), np.array([0.0, 1.0] * 50)
    >>> predict = forward_fit(Feedback(("a", "b"), chosen, rewards))
    >>> predict(0, 1).tolist(), predict(99, 100).round(1).tolist()
    ([[0.0, 0.0]], [[0.0, 1.0]])
    """
    reward_model, learning = as_reward_model(model), _learning(feedback, model)
    starts, fits, place = [0], [learning.fit()], 0
    while place < len(feedback):
        stop = max(place + 1, int(place * (1 + reward_model.growth)), FIRST)
        for start in range(place, min(stop, len(feedback)), BLOCK):
            learning.add(*_rewarded(feedback, start, min(start + BLOCK, stop)))
        place = stop
        if place < len(feedback):
            starts.append(place)
            fits.append(learning.fit())
    return _Stages(feedback, np.array(starts), tuple(fits))


@dataclass(frozen=True)
class _Stages:
    feedback: Feedback
    starts: Array  # of rows that each fit is for
    fits: tuple[Expects, ...]

    def __call__(self, start: int, stop: int) -> Array:
        stop = min(stop, len(self.feedback))
        first = int(np.searchsorted(self.starts, start, side="right")) - 1
        bounds = [start, *(each for each in self.starts[first + 1 :] if each < stop), stop]
        expected = np.empty((stop - start, len(self.feedback.arms)))
        for fit, low, high in zip(self.fits[first:], bounds, bounds[1:], strict=False):
            contexts = _contexts(self.feedback, low, high)
            expected[low - start : high - start] = fit(contexts, high - low)
        return expected


def given(q: Any, feedback: Feedback) -> Predict:
    """Expectations of your own: of each arm, of each row and arm, or a function of contexts.

    >>> feedback = Feedback(("a", "b"), np.zeros(3, int), np.zeros(3))
    >>> given([0.1, 0.2], feedback)(1, 3).tolist()
    [[0.1, 0.2], [0.1, 0.2]]
    """
    n, arms = len(feedback), len(feedback.arms)
    if callable(q):
        return lambda start, stop: np.asarray(
            q(_contexts(feedback, start, stop)), dtype=np.float64
        ).reshape(-1, arms)
    table = np.asarray(q, dtype=np.float64)
    if table.shape == (arms,):
        return lambda start, stop: np.tile(table, (min(stop, n) - start, 1))
    if table.shape != (n, arms):
        raise InvalidInput("q", table.shape, f"give shape ({arms},) or ({n}, {arms})")
    return lambda start, stop: table[start:stop]


def sampled(
    feedback: Feedback, start: int, stop: int, target: Array, q: Array | None = None
) -> Sample:
    """What estimators see of some rows: those that have a reward.

    `target` has the probabilities of all arms by the target and `q` what each is expected to pay,
    both (rows, arms).

    >>> rewards = np.array([1.0, np.nan, 0.0])
    >>> feedback = Feedback(("a", "b"), np.array([0, 1, 1]), rewards, propensities=np.full(3, 0.5))
    >>> sample = sampled(feedback, 0, 3, np.full((3, 2), 0.5), np.full((3, 2), 0.25))
    >>> sample.ratios.tolist(), sample.baseline.tolist()
    ([1.0, 1.0], [0.25, 0.25])
    """
    rewards = np.asarray(feedback.rewards[start:stop], dtype=np.float64)
    came = np.flatnonzero(~np.isnan(rewards))
    chosen = np.asarray(feedback.chosen[start:stop])[came]
    target = target[came]
    modelled = None if q is None else q[came]
    return Sample(
        rewards[came],
        _weights(feedback, start, stop)[came],
        target[np.arange(len(came)), chosen],
        None if modelled is None else modelled[np.arange(len(came)), chosen],
        None if modelled is None else np.einsum("ia,ia->i", modelled, target),
        None if feedback.counts is None else _some(feedback.counts, start, stop)[came],
        _squares(feedback, start, stop, came, target),
    )


def _weights(feedback: Feedback, start: int, stop: int) -> Array:
    """Inverse propensities; NaN if the log has none."""
    if feedback.weights is not None:
        return _some(feedback.weights, start, stop)
    if feedback.propensities is not None:
        return np.asarray(1 / _some(feedback.propensities, start, stop))
    return np.full(min(stop, len(feedback)) - start, np.nan)


def _squares(feedback: Feedback, start: int, stop: int, came: Array, target: Array) -> Array | None:
    """How large squared ratios are on average, where the log tells all probabilities."""
    if feedback.probabilities is None:
        return None
    logged = _some(feedback.probabilities, start, stop)[came]
    wanted = target > 0
    # What the logger never does but the target may: no ratio will ever show it.
    terms = np.divide(target**2, logged, out=np.zeros_like(target), where=wanted & (logged > 0))
    squares: Array = terms.sum(axis=1)
    return squares


def _learning(feedback: Feedback, model: Any) -> Learning:
    features = 0 if feedback.contexts is None else feedback.contexts.shape[1]
    return as_reward_model(model).start(len(feedback.arms), features)


def _rewarded(
    feedback: Feedback, start: int, stop: int
) -> tuple[Array | None, Array, Array, Array]:
    """Contexts, arms, rewards and counts of the rows that have a reward."""
    rewards = _some(feedback.rewards, start, stop)
    came = ~np.isnan(rewards)
    contexts = _contexts(feedback, start, stop)
    chosen = np.asarray(feedback.chosen[start:stop]).astype(np.int64)
    counts = np.ones(len(rewards))
    if feedback.counts is not None:
        counts = _some(feedback.counts, start, stop)
    return None if contexts is None else contexts[came], chosen[came], rewards[came], counts[came]


def _contexts(feedback: Feedback, start: int, stop: int) -> Array | None:
    if feedback.contexts is None or feedback.contexts.shape[1] == 0:
        return None
    return _some(feedback.contexts, start, stop)


def _some(column: Array, start: int, stop: int) -> Array:
    return np.asarray(column[start:stop], dtype=np.float64)
