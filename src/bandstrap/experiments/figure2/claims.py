"""What the paper says of policies with contexts, sentence by sentence (C9, C10, C12, C13, C14).

What a word means was settled before any result was seen: alike is within 0.02 of reward per step,
slightly worse is worse by at most 0.05, far above is above by more than 0.05. How ties count was
settled before the full runs: "best" is said of ties too, no other being better.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from bandstrap.experiments.base import Claim, Verdict
from bandstrap.experiments.figure2.players import ENSEMBLE, GAUSSIAN, LINEAR, LOGISTIC, NETWORKS
from bandstrap.experiments.figure2.readings import READINGS, Reading, judged
from bandstrap.experiments.statements import (
    BETTER,
    FAR_BETTER,
    NO_WORSE,
    SAME,
    SLIGHTLY_BETTER,
    Outcome,
    Relation,
    RewardDifference,
    Rule,
    Statement,
    common_rounds,
    decided,
    reward_difference,
    verdict_of,
)
from bandstrap.policies.registry import SCHEDULES
from bandstrap.simulation import Trace

Found = Mapping[str, Trace]
Pairs = Iterable[tuple[str, str]]
EARLY = 50  # "all rounds" leaves out the first of this many parts


def at_the_end(first: Trace, second: Trace, tests: int) -> RewardDifference:
    return reward_difference(first, second)


def in_all_rounds(first: Trace, second: Trace, tests: int) -> RewardDifference:
    """The difference at the end, or the lowest of those rounds where the first is worse.

    Every recorded round is one more look: one of them refutes the sentence only by an interval that
    holds at all looks of all pairs together.
    """
    rounds = common_rounds(first, second)
    late = rounds[rounds >= rounds[-1] / EARLY]
    looks = tests * late.size
    during = [reward_difference(first, second, int(last), looks) for last in late]
    worse = [each for each in during if each.relation is Relation.WORSE]
    return min(worse, key=lambda each: each.mean, default=reward_difference(first, second))


@dataclass(frozen=True)
class Sentence:
    """A rule that the paper gives for pairs of its curves."""

    text: str
    pairs: tuple[tuple[str, str], ...]
    rule: Rule
    compared: Callable[[Trace, Trace, int], RewardDifference] = at_the_end

    def judged(self, reading: Reading, found: Found) -> Statement:
        """What comes of it if curves are played by this reading's policies."""
        pairs = [(reading.player(first), reading.player(second)) for first, second in self.pairs]
        absent = dict.fromkeys(name for pair in pairs for name in pair if name not in found)
        if absent:
            return Statement(self.text, Outcome.OPEN, f"not played: {', '.join(absent)}")
        differences = [self.compared(found[a], found[b], len(pairs)) for a, b in pairs]
        return decided(self.text, differences, self.rule)


def _sentence(text: str, pairs: Pairs, rule: Rule) -> Sentence:
    return Sentence(text, tuple(pairs), rule)


def _against(names: Iterable[str], other: str) -> Pairs:
    return [(name, other) for name in names]


_BOOTSTRAPS = ((LOGISTIC, "logistic"), (NETWORKS, "network"))
COVTYPE = (
    Sentence(
        "logistic best in all rounds",
        tuple(product(LOGISTIC, (*LINEAR, "ts-lin"))),
        NO_WORSE,
        in_all_rounds,
    ),
    _sentence("linear alike", _against(LINEAR[1:], "ucb-lin"), SAME),
    _sentence("linear slightly worse", zip(LOGISTIC, LINEAR[1:], strict=True), SLIGHTLY_BETTER),
    _sentence("linear TS worst", _against((*LOGISTIC, *LINEAR), "ts-lin"), BETTER),
    _sentence("networks like logistic", zip(NETWORKS, LOGISTIC, strict=True), SAME),
)
MNIST = (
    *(
        _sentence(f"{model} far above linear UCB", _against(names, "ucb-lin"), FAR_BETTER)
        for names, model in _BOOTSTRAPS
    ),
    _sentence("network above logistic", zip(NETWORKS, LOGISTIC, strict=True), BETTER),
    *(_sentence(f"{model} NPB and WB alike", [names[1:]], SAME) for names, model in _BOOTSTRAPS),
    *(
        _sentence(
            f"{model} bootstraps slightly worse than EG",
            [(names[0], name) for name in names[1:]],
            SLIGHTLY_BETTER,
        )
        for names, model in _BOOTSTRAPS
    ),
    _sentence(
        "other linear no better than UCB",
        [("ucb-lin", name) for name in (*LINEAR[1:], "ts-lin")],
        NO_WORSE,
    ),
)
_Claims = dict[str, tuple[str, tuple[Sentence, ...]]]
_BOTH: _Claims = {
    "C12": (
        "4d eigen and O(d) Gaussian pseudo-examples perform alike",
        (_sentence("Gaussian and eigen pseudo-examples alike", [(GAUSSIAN, "wb-log")], SAME),),
    ),
    "C13": (
        "bootstrapping by warm-started optimisation is better than the ensemble of Tang et al.",
        (_sentence("better than the ensemble", [("wb-log", ENSEMBLE)], BETTER),),
    ),
    "C14": (
        "ε-greedy with 50 / (50 + t) is the best of many schedules",
        tuple(_sentence(f"{name} no better", [("eg-log", name)], NO_WORSE) for name in SCHEDULES),
    ),
}
_C9 = (
    "CovType: EG, NPB, WB with logistic regression best in all rounds; linear EG, UCB, "
    "bootstraps similar and slightly worse; linear TS worst; networks like logistic"
)
_C10 = (
    "MNIST: non-linear models far above linear UCB, the network best; NPB ≈ WB, both "
    "slightly below tuned EG"
)
_ORDERS: dict[str, _Claims] = {"covtype": {"C9": (_C9, COVTYPE)}, "mnist": {"C10": (_C10, MNIST)}}


def verdicts(dataset: str, found: Found, every: bool = False) -> list[Claim]:
    """A claim for everything that the played policies can say something about, or for `every`."""
    claims = []
    for id_, (text, sentences) in {**_ORDERS[dataset], **_BOTH}.items():
        said = any(_played(each, reading, found) for each in sentences for reading in READINGS)
        if not (every or said):
            continue
        rule = _unrefuted if id_ == "C14" else verdict_of
        verdict, counted, lines = judged(id_, partial(_statements, sentences, found), rule)
        if id_ in _BOTH:
            text = f"{dataset}: {text}"
            id_ = id_ if dataset == "covtype" else f"{id_}-{dataset}"
        else:
            lines += [f"Reward per step (rounds): {_table(found)}"] * bool(found)
        claims.append(_on(dataset, found, Claim(id_, text, verdict, "\n".join(lines), counted)))
    return claims


def _statements(sentences: Iterable[Sentence], found: Found, reading: Reading) -> list[Statement]:
    return [sentence.judged(reading, found) for sentence in sentences]


def _unrefuted(statements: Sequence[Statement]) -> Verdict:
    """The best of many: one that is better refutes it."""
    refuted = any(statement.outcome is Outcome.FAILS for statement in statements)
    return Verdict.NOT_REPRODUCED if refuted else verdict_of(statements)


def _played(sentence: Sentence, reading: Reading, found: Found) -> bool:
    return all(reading.player(curve) in found for pair in sentence.pairs for curve in pair)


def _on(dataset: str, found: Found, claim: Claim) -> Claim:
    """The claim, undecided if another data set was played in place of the paper's."""
    if not found:
        return claim
    trace = next(iter(found.values()))
    claim = replace(claim, evidence=f"{_runs(found)}: {claim.evidence}")
    played = trace.environment
    return claim if played == dataset else claim.played_on(played, dataset)


def _runs(found: Found) -> str:
    """How many runs there are of the policies: costly ones may have fewer."""
    counts = [trace.runs for trace in found.values()]
    few, most = min(counts), max(counts)
    return f"{most} run{'s' * (most > 1)}" if few == most else f"{few} to {most} runs"


def _table(found: Found) -> str:
    ordered = sorted(found.values(), key=lambda trace: -trace.reward_per_step()[-1])
    return ", ".join(
        f"{trace.policy} {trace.reward_per_step()[-1]:.4f} ({trace.rounds[-1]})"
        for trace in ordered
    )
