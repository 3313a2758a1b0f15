"""Why an arm was chosen: each arm's mean, spread and draw."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm, Decision
from bandstrap.policies import Policy
from bandstrap.printable import called
from bandstrap.seeding import generator


class ArmExplanation(NamedTuple):
    """An arm as its policy sees it in one context."""

    arm: Arm
    mean: float  # of its draws
    spread: float  # their standard deviation
    draw: float  # the one that decided; NaN for an arm that was added later
    share: float  # of draws in which it is the best


class Explanation(NamedTuple):
    """A decision and all arms, the highest mean first.

    >>> from bandstrap import Bandit, Bootstrap
    >>> bandit = Bandit(Bootstrap(), ["red", "green"], seed=1)
    >>> explanation = bandit.explain(bandit.decide(), draws=10)
    >>> sorted(each.arm for each in explanation.arms)
    ['green', 'red']
    """

    decision: Decision
    arms: tuple[ArmExplanation, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.decision}",
            f"{'arm':<16} {'mean':>9} {'spread':>9} {'draw':>9} {'best in':>8}",
        ]
        for each in self.arms:
            mark = " <- chosen" if each.arm == self.decision.arm else ""
            lines.append(
                f"{called(each.arm):<16} {each.mean:>9.4g} {each.spread:>9.3g} "
                f"{each.draw:>9.4g} {each.share:>8.1%}{mark}"
            )
        return "\n".join(lines)


def explain(
    policy: Policy[Any],
    state: Any,
    context: Array | None,
    decision: Decision,
    names: Sequence[Arm],
    draws: int,
) -> Explanation:
    """Draw from a copy of the state, by random numbers that no decision uses."""
    scores = draw_scores(policy, state, context, draws, decision.number)
    best = (scores == scores.max(axis=1, keepdims=True)) / draws
    best /= np.maximum((best > 0).sum(axis=1, keepdims=True), 1)
    # An arm that must be tried first scores infinity: certain, without spread.
    certain = np.isinf(scores).all(axis=0)
    finite = np.where(certain, 0.0, scores)
    means = np.where(certain, scores[0], finite.mean(axis=0))
    then = decision.scores
    arms = [
        ArmExplanation(name, float(mean), float(spread), then.get(name, np.nan), float(share))
        for name, mean, spread, share in zip(
            names, means, finite.std(axis=0), best.sum(axis=0), strict=True
        )
    ]
    return Explanation(decision, tuple(sorted(arms, key=lambda each: -each.mean)))


def draw_scores(
    policy: Policy[Any], state: Any, context: Array | None, draws: int, number: int
) -> Array:
    """Scores of all arms in `draws` draws, (draws, arms), seeded by the decision's number."""
    rng = generator(number, "explanation")
    return np.array([policy.scores(state, context, rng)[0] for _ in range(draws)])
