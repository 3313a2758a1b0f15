"""A small history of two arms, and bootstrap draws of it, made by the library itself."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bandstrap import EigenExamples, Exponential, LinearRegression, Problem

MODEL = LinearRegression(tolerance=1e-10)
NOW = 0.55  # the context of the decision to make
VARIANCE = 0.35  # of contexts, for the pseudo-examples


@dataclass(frozen=True)
class Arm:
    """What is known of one arm: its rewards and the pseudo-examples before them."""

    name: str
    seen: tuple[tuple[float, float], ...]  # (context, reward)

    @cached_property
    def pseudo(self) -> np.ndarray:
        made = EigenExamples(np.array([[VARIANCE]])).start(Problem(2, n_features=1))
        return np.column_stack([made.contexts[:, 0], made.rewards])

    @cached_property
    def examples(self) -> np.ndarray:
        """Rewards first, then pseudo-examples: rows (context, reward)."""
        return np.concatenate([np.array(self.seen), self.pseudo])

    def fitted(self, weights: np.ndarray) -> np.ndarray:
        contexts, rewards = self.examples[:, :1], self.examples[:, 1]
        return MODEL.fit(contexts, rewards, weights, None, np.random.default_rng(0))

    def expected(self, fit: np.ndarray, at: float) -> float:
        return float(MODEL.predict(fit, np.array([[at]]))[0])


ARMS = (
    Arm(
        "blue",
        (
            (-0.90, 0.22), (-0.75, 0.34), (-0.58, 0.24), (-0.42, 0.42), (-0.22, 0.38),
            (-0.05, 0.52), (0.12, 0.45), (0.30, 0.58), (0.48, 0.52), (0.78, 0.66),
        ),
    ),
    Arm("orange", ((-0.66, 0.55), (-0.30, 0.48), (0.20, 0.60), (0.86, 0.44))),
)  # fmt: skip


@dataclass(frozen=True)
class BootstrapDraw:
    """Weights of all examples, the fits to them, and what follows; by arm."""

    weights: tuple[np.ndarray, ...]
    fits: tuple[np.ndarray, ...]

    @property
    def worth(self) -> list[float]:
        return [arm.expected(fit, NOW) for arm, fit in zip(ARMS, self.fits, strict=True)]

    @property
    def chosen(self) -> int:
        return int(np.argmax(self.worth))


def unweighted() -> BootstrapDraw:
    """The history as it is."""
    weights = tuple(np.ones(len(arm.examples)) for arm in ARMS)
    return BootstrapDraw(weights, _fits(weights))


def draws(count: int, seed: int = 37) -> list[BootstrapDraw]:
    """Draws as `ContextualBootstrap(Exponential(), LinearRegression(), EigenExamples())` makes."""
    rng, made = np.random.default_rng(seed), []
    for _ in range(count):
        weights = tuple(Exponential().weights((len(arm.examples),), rng) for arm in ARMS)
        made.append(BootstrapDraw(weights, _fits(weights)))
    return made


def _fits(weights: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    return tuple(arm.fitted(weight) for arm, weight in zip(ARMS, weights, strict=True))
