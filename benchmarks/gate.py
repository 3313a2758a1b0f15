"""The gate and the ratio test of `bandstrap serve`, looked at after every decision.

"promoted" is the share of runs in which a candidate is ever promoted, at margin 0 and level 0.95,
and "median" after how many decisions. Bandits learn from the same log, which the deciding one
makes; the candidate is judged before it learns a decision.

* null: three arms pay 0.3 each, so that nobody is better. ε-greedy decides, UCB1 is the candidate.
* null, evenly: the same, where all arms are chosen alike: terms have no long tails.
* null, late: as null, where rewards are learnt 50 decisions later, and Thompson sampling.
* lift: arms pay 0.183, 0.3 and 0.417. All are chosen alike, which pays 0.3; Thompson sampling finds
  the one that pays 0.117 more, and its time to learn counts.
* lift, weights: the same, where only the chosen arm's propensity is known.
* lift, contexts: each of two arms pays 0.417 in one of two contexts and 0.183 in the other. Both
  are chosen alike, and UCB with a linear model is the candidate.
* lift, settled: as "lift, contexts", but ε-greedy decides, whose ε falls: few decisions of
  the other arm are left to learn from.

The ratio test is false in "alarms" of runs where propensities are right. Where they are wrong it
should be raised within 5,000 decisions; "logged" and "chosen" are the probabilities of the arms.
Not so for the last pair, 0.9 0.1 and 0.89 0.11: 5,000 decisions hold 5000 · KL ≈ 2.7 of evidence,
and an alarm needs log 100 ≈ 4.6.
"""

from argparse import Namespace
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bandstrap.bandit import Bandit, Propensity
from bandstrap.evaluation.diagnostics.choices import AllArms, ChosenArm
from bandstrap.evaluation.feedback import Feedback
from bandstrap.problem import Support
from bandstrap.service.config import Experiment, Gate
from bandstrap.service.judging import Facts, Lesson
from bandstrap.service.judging.ratio import ALARM
from output import Row, arguments, report

Pays = Callable[[int, Any], float]  # of an arm in a context
EVENLY = 1.0  # a floor of 1: all arms alike


class World(NamedTuple):
    """Who decides, who else would, and what arms pay."""

    name: str
    pays: tuple[float, ...] | Pays
    arms: int
    decides: str
    candidate: str
    floor: float = 0.02  # of the deciding bandit
    late: int = 0  # decisions until a reward is learnt
    contexts: bool = False
    all_known: bool = True  # whether the log tells the propensities of all arms


def by_context(arm: int, context: Any) -> float:
    return 0.417 if (arm == 0) == (context[0] > 0) else 0.183


EQUAL, RISING = (0.3, 0.3, 0.3), (0.183, 0.3, 0.417)
NULLS = (
    World("null", EQUAL, 3, "eg", "ucb1"),
    World("null, evenly", EQUAL, 3, "eg", "ucb1", EVENLY),
    World("null, late", EQUAL, 3, "eg", "ts", late=50),
)
LIFTS = (
    World("lift", RISING, 3, "eg", "ts", EVENLY),
    World("lift, weights", RISING, 3, "eg", "ts", EVENLY, all_known=False),
    World("lift, contexts", by_context, 2, "eg", "ucb-lin", EVENLY, contexts=True),
    World("lift, settled", by_context, 2, "eg", "ucb-lin", contexts=True),
)


def promoted(world: World, decisions: int, seed: int) -> int | None:
    """After how many decisions the candidate was promoted; None if it never was."""
    rng = np.random.default_rng([seed, world.arms])
    arms = tuple(range(world.arms))
    experiment = Experiment(
        "gate", arms, world.decides, seed=seed, rewards=Support.binary(), promote=Gate(),
        candidates={"candidate": world.candidate},
    )  # fmt: skip
    deciding = Bandit(
        experiment.bandit().policy, arms, seed=seed, rewards=Support.binary(),
        propensity=Propensity(floor=world.floor),
    )  # fmt: skip
    candidates = {"candidate": experiment.bandit(world.candidate)}
    facts, late = Facts(experiment), deque[tuple[Any, int, float]]()
    for number in range(decisions):
        context = [float(rng.choice([-1.0, 1.0])), 1.0] if world.contexts else None
        made = deciding.decide(context)
        deciding.drop(made)
        chance = world.pays(made.arm, context) if callable(world.pays) else world.pays[made.arm]
        reward = float(rng.random() < chance)
        it = Lesson(
            f"{seed}-{number}", float(number), made.arm, made.propensity, made.weight, reward,
            context, arms, propensities=made.propensities if world.all_known else None,
        )  # fmt: skip
        facts.lesson(it, deciding, candidates)
        if facts.verdicts():
            return number + 1
        late.append((context, made.arm, reward))
        while len(late) > world.late:
            seen, arm, paid = late.popleft()
            for bandit in (deciding, *candidates.values()):
                bandit.learn(context=seen, arm=arm, reward=paid)
    return None


def gate_row(world: World, runs: int, decisions: int) -> Row:
    found = [promoted(world, decisions, seed) for seed in range(runs)]
    never = float("inf")
    median = float(np.median([never if each is None else each for each in found]))
    return {
        "world": world.name, "runs": runs, "decisions": decisions,
        "promoted": float(np.mean([each is not None for each in found])),
        "median": None if median == never else median,
    }  # fmt: skip


def alarmed(logged: np.ndarray, chosen: np.ndarray, every: bool, decisions: int, seed: int) -> bool:
    """Whether the test is ever alarmed: as `RatioTest`, all decisions at once."""
    rng, n = np.random.default_rng([seed, 7]), len(logged)
    arms = rng.choice(n, decisions, p=chosen)
    told: dict[str, Any] = {"weights": 1 / logged[arms]}
    if every:
        told = {"probabilities": np.tile(logged, (decisions, 1))}
    feedback = Feedback(tuple(range(n)), arms, np.zeros(decisions), **told)
    test: AllArms | ChosenArm = AllArms(n) if every else ChosenArm(n)
    test.add(feedback, slice(0, decisions))
    return test.most >= ALARM


PAIRS = (
    ((0.5, 0.5), (0.5, 0.5)),
    ((0.9, 0.1), (0.9, 0.1)),
    ((0.98, 0.01, 0.01), (0.98, 0.01, 0.01)),
    ((0.5, 0.5), (0.55, 0.45)),
    ((0.4, 0.3, 0.3), (0.44, 0.28, 0.28)),
    ((0.8, 0.2), (0.72, 0.28)),
    ((0.9, 0.1), (0.89, 0.11)),
)


def ratio_rows(runs: int, decisions: int) -> list[Row]:
    return [
        {
            "logged": " ".join(map(str, logged)), "chosen": " ".join(map(str, chosen)),
            "known": "all arms" if every else "the chosen one", "runs": runs,
            "decisions": decisions,
            "alarms": float(np.mean([
                alarmed(np.array(logged), np.array(chosen), every, decisions, seed)
                for seed in range(runs)
            ])),
        }
        for logged, chosen in PAIRS for every in (True, False)
    ]  # fmt: skip


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--nulls", type=int, default=1000, help="runs of the first null world")
    parser.add_argument("--lifts", type=int, default=100, help="runs of each other world")
    parser.add_argument("--decisions", type=int, default=700, help="of a null run")
    parser.add_argument("--longest", type=int, default=1500, help="decisions of other runs")
    parser.add_argument("--ratios", type=int, default=1000, help="runs of each ratio test")
    parser.add_argument("--quick", action="store_true", help="a few runs of each")
    given: Namespace = parser.parse_args()
    if given.quick:
        given.nulls, given.lifts, given.decisions, given.longest = 6, 3, 200, 1000
        given.ratios = 40
    rows = [gate_row(NULLS[0], given.nulls, given.decisions)]
    rows += [gate_row(world, given.lifts, given.decisions) for world in NULLS[1:]]
    rows += [gate_row(world, given.lifts, given.longest) for world in LIFTS[:3]]
    rows += [gate_row(LIFTS[3], max(given.lifts // 5, 2), given.longest)]
    report(given.out, "gate", vars(given), rows, "a look after every decision, margin 0")
    report(
        given.out, "gate-ratio", vars(given), ratio_rows(given.ratios, 5000),
        "alarm at an e-value of 100, looked at after every decision",
    )  # fmt: skip


if __name__ == "__main__":
    main()
