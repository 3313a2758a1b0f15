"""Draws of the same history by different methods, with the same weights where they take weights."""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any, ClassVar

import numpy as np
from scipy.special import logit

from bandstrap.models import (
    GaussianLimit,
    Grouped,
    Learner,
    LogisticRegression,
    Model,
    OneStep,
    OnlineLogistic,
    Replicas,
)
from bandstrap.models.base import draw_scores
from bandstrap.models.online.stochastic import StochasticLogisticRegression
from bandstrap.priors import EigenExamples
from bandstrap.resampling import Exponential, Resampling
from bandstrap.seeding import generator
from streams import Stream, numbers

TINY = 1e-15  # margins are compared within what doubles tell apart as probabilities
PRACTICE = 1_000_000  # draws from here on have weights that no other draw has
BURN_IN = 3  # draws after which the paper's procedure no longer remembers its first start


@dataclass(frozen=True)
class Method:
    """A model, and how to read the parameters of its last draw, (arms, features + 1).

    Without that it does not weigh examples one by one, and draws one score at a time.
    """

    model: Model
    parameters: Callable[[Any], list[np.ndarray]] | None = None


def _solved(tolerance: float) -> Method:
    model = LogisticRegression(tolerance=tolerance)
    return Method(model, lambda learner: [arm.draw.theta for arm in learner.arms])


def _stepped(learner: Any) -> list[np.ndarray]:
    return [arm.draw.theta + arm.draw.step for arm in learner.all.arms]


_LOGISTIC = LogisticRegression()
SOLVED = "solved to 1e-10"
AGAIN = f"{SOLVED}, other weights"
PAPER = "paper's procedure"
TOLERANCES = {1e-3: "solved to 1e-3", 1e-6: "solved to 1e-6", 1e-10: SOLVED}
METHODS = {
    **{name: _solved(tolerance) for tolerance, name in TOLERANCES.items()},
    PAPER: Method(StochasticLogisticRegression(), lambda learner: learner.fits),
    "OneStep": Method(OneStep(_LOGISTIC), _stepped),
    "GaussianLimit": Method(GaussianLimit(_LOGISTIC)),
    "Grouped": Method(Grouped(_LOGISTIC)),
    "Replicas": Method(Replicas(OnlineLogistic())),
}


class Dealt(Resampling):
    """Exp(1) weights that depend on the draw's number and the arm alone, until set free."""

    independent: ClassVar[bool] = True

    def __init__(self, seed: int, n_arms: int) -> None:
        self.seed, self.n_arms = seed, n_arms
        self.calls = 0
        self.free = False

    @property
    def code(self) -> int | None:  # type: ignore[override]
        return Exponential.code if self.free else None

    def go_to(self, draw: int) -> None:
        self.calls = draw * self.n_arms

    def weights(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        if self.free:
            return Exponential().weights(shape, rng)
        draw, arm = divmod(self.calls, self.n_arms)
        self.calls += 1
        return generator(self.seed, draw, arm).standard_exponential(shape)


@dataclass(frozen=True, eq=False)
class History:
    """Rounds that were played, and contexts that were not."""

    rows: Stream
    arms: np.ndarray

    @property
    def count(self) -> int:
        return len(self.arms)

    def feed(self, learner: Learner, rng: np.random.Generator) -> None:
        rewards = (self.arms == self.rows.labels[: self.count]).astype(np.float64)
        for row, (arm, reward) in enumerate(zip(self.arms, rewards, strict=True)):
            learner.learn(self.rows.contexts[row], int(arm), float(reward), rng)

    def unseen(self, count: int) -> np.ndarray:
        return self.rows.contexts[self.count : self.count + count]


@dataclass(frozen=True, eq=False)
class Draws:
    """Margins (draws, contexts, arms), and CPU seconds of a decision."""

    margins: np.ndarray
    seconds: float

    @property
    def choices(self) -> np.ndarray:
        return self.margins.argmax(axis=2)

    @property
    def odds(self) -> np.ndarray:
        """How often each arm is chosen in each context, (contexts, arms)."""
        arms = np.arange(self.margins.shape[2])
        return (self.choices[..., None] == arms).mean(axis=0)


def draws_of(
    method: Method, history: History, seed: int, draws: int, contexts: int, decisions: int
) -> Draws:
    """Draws in unseen contexts: one of parameters for all of them where the method has these."""
    rng, problem = generator(seed, "draws"), history.rows.problem
    scheme = Dealt(seed, problem.n_arms)
    scheme.free = method.parameters is None
    learner = method.model.learner(problem, scheme, EigenExamples(history.rows.covariance))
    history.feed(learner, rng)
    unseen = history.unseen(contexts)
    read = _by_context if method.parameters is None else _by_draw
    margins = read(method, learner, scheme, unseen, draws, rng)
    scheme.free = True
    return Draws(margins, _decision_seconds(learner, unseen[:decisions], rng))


def _by_draw(
    method: Method,
    learner: Learner,
    scheme: Dealt,
    unseen: np.ndarray,
    draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    assert method.parameters is not None
    x = np.append(numbers(unseen), np.ones((len(unseen), 1)), axis=1)
    for practice in range(BURN_IN):
        scheme.go_to(PRACTICE + practice)
        draw_scores(learner, unseen[0], rng)
    margins = []
    for draw in range(draws):
        scheme.go_to(draw)
        draw_scores(learner, unseen[0], rng)
        margins.append(x @ np.array(method.parameters(learner)).T)
    most = logit(1 - TINY)
    return np.clip(margins, -most, most)


def _by_context(
    method: Method,
    learner: Learner,
    scheme: Dealt,
    unseen: np.ndarray,
    draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    scores = [[draw_scores(learner, context, rng) for context in unseen] for _ in range(draws)]
    return np.asarray(logit(np.clip(scores, TINY, 1 - TINY)))


def _decision_seconds(learner: Learner, contexts: np.ndarray, rng: np.random.Generator) -> float:
    allowed = np.ones(len(draw_scores(learner, contexts[0], rng)), dtype=np.bool_)
    learner.best(contexts[0], rng, allowed)  # compiles
    started = process_time()
    for context in contexts:
        learner.best(context, rng, allowed)
    return (process_time() - started) / len(contexts)


def compared(draws: Draws, solved: Draws) -> dict[str, float]:
    """How far draws are from the solved ones, in units of these draws' spread.

    Spreads and distances are root mean squares over draws, contexts and arms.
    """
    spread = np.sqrt(solved.margins.var(axis=0, ddof=1).mean())
    shift = draws.margins.mean(axis=0) - solved.margins.mean(axis=0)
    return {
        "distance": float(np.sqrt(((draws.margins - solved.margins) ** 2).mean()) / spread),
        "shift": float(np.sqrt((shift**2).mean()) / spread),
        "spread": float(np.sqrt(draws.margins.var(axis=0, ddof=1).mean()) / spread),
        "agrees": float((draws.choices == solved.choices).mean()),
        "odds differ": float(np.abs(draws.odds - solved.odds).sum(axis=1).mean() / 2),
    }
