"""What a model promises."""

from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models import Model
from bandstrap.policies import ContextualBootstrap
from bandstrap.priors import SeenExamples
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Exponential, Resampling
from bandstrap.seeding import generator
from bandstrap.testing.policy import check_policy
from bandstrap.testing.rules import require, require_shape

ROWS = 60
STREAMS = 3  # of random numbers, over which fits are averaged
HEAVY = 3  # what a heavy row weighs


class Trial(NamedTuple):
    model: Any
    passes: int
    tolerance: float
    seed: int

    def rng(self, *names: object) -> Rng:
        return generator(self.seed, "testing", *names)

    def require(self, held: bool, rule: str, found: object = None) -> None:
        require(held, self.model, rule, found)

    def fitted(self, examples: "Examples", stream: int = 0) -> Any:
        """A fit from nothing, and from there as often as it takes to settle."""
        fit, rng = None, self.rng("fit", stream)
        for _ in range(self.passes):
            fit = self.model.fit(examples.contexts, examples.rewards, examples.weights, fit, rng)
        return fit

    def predicted(self, examples: "Examples") -> Array:
        """What is predicted at the examples of the test, averaged over random numbers."""
        at = _examples(self).contexts
        fits = (self.fitted(examples, stream) for stream in range(STREAMS))
        mean: Array = np.mean([self.model.predict(fit, at) for fit in fits], axis=0)
        return mean

    def agree(self, one: Array, other: Array, rule: str) -> None:
        gap = float(np.abs(one - other).mean())
        rule = f"{rule}, within {self.tolerance:g} on average"
        self.require(gap <= self.tolerance, rule, f"{gap:.3g}")


class Examples(NamedTuple):
    contexts: Array
    rewards: Array
    weights: Array


def check_model(
    model: Model,
    *,
    passes: int = 1,
    tolerance: float = 0.05,
    resampling: Resampling | None = None,
    seed: int = 0,
    rounds: int = 200,
    draws: int = 200,
    deciding_trains: bool = False,
) -> None:
    """Try a model: what it makes of weights, and how it plays when it is bootstrapped.

    Fits to 0/1 rewards are compared by their predictions, which may differ by `tolerance` on
    average. A model that takes only a step towards its solution each time is fit `passes` times in
    a row. Models without `fit`, like those of `from_sklearn`, are only played. `resampling` is what
    they are bootstrapped by; `rounds`, `draws` and `deciding_trains` are those of `check_policy`.

    >>> from bandstrap import LogisticRegression
    >>> check_model(LogisticRegression(), rounds=60, draws=50)
    """
    if hasattr(model, "fit"):
        trial = Trial(model, passes, tolerance, seed)
        for rule in (_predictions, _heavy_rows, _absent_rows, _warm_start):
            rule(trial)
    policy = ContextualBootstrap(resampling or Exponential(), model, SeenExamples())
    problem = Problem(3, n_features=2, support=Support.binary())
    try:
        check_policy(
            policy, problem, seed=seed, rounds=rounds, draws=draws, deciding_trains=deciding_trains
        )
    except AssertionError as error:
        raise AssertionError(f"{type(model).__name__}, bootstrapped: {error}") from error


def _examples(trial: Trial) -> Examples:
    """Rewards that depend on the sign of a feature."""
    contexts = trial.rng("examples").standard_normal((ROWS, 2))
    rewards = (contexts[:, 0] > 0).astype(np.float64)
    return Examples(contexts, rewards, np.ones(ROWS))


def _contradicted(trial: Trial) -> Examples:
    """Every row once with its reward, and once with the opposite: only weights can tell."""
    contexts, rewards, weights = _examples(trial)
    return Examples(
        np.concatenate([contexts, contexts]),
        np.concatenate([rewards, 1.0 - rewards]),
        np.concatenate([weights, weights]),
    )


def _predictions(trial: Trial) -> None:
    examples = _examples(trial)
    one, again = (trial.fitted(examples) for _ in range(2))
    predicted = trial.model.predict(one, examples.contexts)
    require_shape(predicted, (ROWS,), trial.model, "what predict returns")
    trial.require(bool(np.isfinite(predicted).all()), "predictions must be finite", predicted[:5])
    same = trial.model.predict(again, examples.contexts)
    rule = "the same generator must give the same fit: draw all random numbers from it"
    trial.require(predicted.tobytes() == same.tobytes(), rule, f"{predicted[:2]}, {same[:2]}")
    one_row = trial.model.predict(one, examples.contexts[:1])
    rule = "a prediction must not depend on the other rows"
    trial.require(bool(np.allclose(one_row, predicted[:1], atol=1e-6)), rule, one_row)
    error = float(np.abs(trial.predicted(examples) - examples.rewards).mean())
    trial.require(error < 0.45, "a fit must predict better than chance", f"error {error:.3g}")


def _heavy_rows(trial: Trial) -> None:
    rows = _contradicted(trial)
    heavy = np.concatenate([np.full(ROWS, float(HEAVY)), np.ones(ROWS)])
    twice = Examples(*(np.repeat(column, heavy.astype(np.int64), axis=0) for column in rows))
    rule = f"a row of weight {HEAVY} must count as {HEAVY} rows"
    trial.agree(trial.predicted(rows._replace(weights=heavy)), trial.predicted(twice), rule)


def _absent_rows(trial: Trial) -> None:
    rows = _contradicted(trial)
    some = np.concatenate([np.ones(ROWS), np.zeros(ROWS)])
    weighed, left = trial.predicted(rows._replace(weights=some)), trial.predicted(_examples(trial))
    trial.agree(weighed, left, "a row of weight 0 must count as no row")


def _warm_start(trial: Trial) -> None:
    """From the fit to opposite rewards: as far from the answer as a start can be."""
    examples = _examples(trial)
    fit = trial.fitted(examples._replace(rewards=1.0 - examples.rewards))
    kept = trial.model.predict(fit, examples.contexts)
    warm, rng = fit, trial.rng("warm")
    for _ in range(2 * trial.passes):
        warm = trial.model.fit(*examples, warm, rng)
    after = trial.model.predict(fit, examples.contexts)
    rule = "fit must leave the fit that it starts from as it was"
    trial.require(kept.tobytes() == after.tobytes(), rule, f"{kept[:2]}, {after[:2]}")
    rule = "a fit from another one must end where a fit from nothing does"
    trial.agree(trial.model.predict(warm, examples.contexts), trial.predicted(examples), rule)
