"""Verdicts on C9, C10 and C12 to C14 from the traces that are there."""

from collections.abc import Callable
from dataclasses import dataclass

from bandstrap.experiments.base import Claim, Verdict
from bandstrap.experiments.figure2.claims import (
    LINEAR,
    LOGISTIC,
    Found,
    against_ensembles,
    best_schedule,
    covtype_order,
    mnist_order,
    same_priors,
)
from bandstrap.experiments.statements import Outcome, Statement, verdict_of
from bandstrap.policies.registry import SCHEDULES

PAPER = ("eg-log", "npb-log-paper", "wb-log-paper")

_ORDERS: dict[str, tuple[str, str, Callable[..., list[Statement]]]] = {
    "covtype": (
        "C9",
        "CovType: EG, NPB, WB with logistic regression best in all rounds; linear EG, UCB, "
        "bootstraps similar and slightly worse; linear TS worst; networks like logistic",
        covtype_order,
    ),
    "mnist": (
        "C10",
        "MNIST: non-linear models far above linear UCB, the network best; NPB ≈ WB, both slightly "
        "below tuned EG",
        mnist_order,
    ),
}


@dataclass(frozen=True)
class Asked:
    """What is asked of which data set; claims that the paper makes of both are told apart."""

    dataset: str

    def named(self, claim: str) -> str:
        return claim if self.dataset == "covtype" else f"{claim}-{self.dataset}"


def verdicts(asked: Asked, found: Found) -> list[Claim]:
    """A claim for everything that the played policies can decide."""
    claims = [_order(asked, found)] if found.keys() >= {*LOGISTIC, "ucb-lin"} else []
    if found.keys() >= {"wb-log", "wb-log-random-prior"}:
        text = f"{asked.dataset}: 4d eigen and O(d) Gaussian pseudo-examples perform alike"
        claims.append(_claim(asked, asked.named("C12"), text, same_priors(found), found))
    if found.keys() >= {"wb-log", "ensemble-log"}:
        text = (
            f"{asked.dataset}: bootstrapping by warm-started optimisation is faster than the tree "
            "bootstrap of Elmachtoub et al. and better than the ensemble of Tang et al."
        )
        claims.append(_claim(asked, asked.named("C13"), text, against_ensembles(found), found))
    rivals = [name for name in SCHEDULES if name in found]
    if "eg-log" in found and rivals:
        claims.append(_schedule(asked, best_schedule(found, rivals), found))
    return claims


def _order(asked: Asked, found: Found) -> Claim:
    id_, text, order = _ORDERS[asked.dataset]
    if asked.dataset == "covtype" and not found.keys() >= {*LINEAR, "ts-lin"}:
        missing = ", ".join(sorted({*LINEAR, "ts-lin"} - found.keys()))
        return Claim(id_, text, Verdict.UNDECIDED, f"not played: {missing}")
    claim = _claim(asked, id_, text, order(found), found)
    more = f"\nReward per step (over so many rounds): {_table(found)}"
    if found.keys() >= set(PAPER):
        beside = order(found, PAPER)
        said = "; ".join(f"{statement.text} {statement.outcome.value}" for statement in beside)
        more += f"\nDrawn by the paper's own procedure instead: {verdict_of(beside)} ({said})"
    return Claim(claim.id, claim.claim, claim.verdict, claim.evidence + more)


def _schedule(asked: Asked, statements: list[Statement], found: Found) -> Claim:
    text = f"{asked.dataset}: ε-greedy with 50 / (50 + t) is the best of many schedules"
    verdict = verdict_of(statements)
    if any(statement.outcome is Outcome.FAILS for statement in statements):
        verdict = Verdict.NOT_REPRODUCED  # one better schedule is enough
    return _claim(asked, asked.named("C14"), text, statements, found, verdict)


def _claim(
    asked: Asked,
    id_: str,
    text: str,
    statements: list[Statement],
    found: Found,
    verdict: Verdict | None = None,
) -> Claim:
    verdict = verdict or verdict_of(statements)
    any_trace = next(iter(found.values()))
    said = f"{any_trace.runs} runs\n"
    if any_trace.environment != asked.dataset:
        said += (
            f"played on {any_trace.environment} in its place, which decides nothing about "
            f"{asked.dataset}; there the rules say: {verdict}\n"
        )
        verdict = Verdict.UNDECIDED
    said += "\n".join(map(str, statements))
    return Claim(id_, text, verdict, said)


def _table(found: Found) -> str:
    ordered = sorted(found.values(), key=lambda trace: -trace.reward_per_step()[-1])
    return ", ".join(
        f"{trace.policy} {trace.reward_per_step()[-1]:.4f} ({trace.rounds[-1]})"
        for trace in ordered
    )
