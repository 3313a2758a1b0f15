"""What the paper says of the policies with contexts, as statements that traces decide (C9 to C14).

What a word means was settled before any result was seen: alike is within 0.02 of reward per step,
slightly worse is worse by at most 0.05, far above is above by more than 0.05.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product

from bandstrap.experiments.base import Claim, Verdict
from bandstrap.experiments.statements import (
    ALIKE,
    SLIGHTLY,
    Difference,
    Outcome,
    Statement,
    all_of,
    common_rounds,
    decided,
    reward_difference,
    seconds_per_round,
    verdict_of,
    worst,
)
from bandstrap.policies.registry import SCHEDULES
from bandstrap.simulation import Trace

Found = Mapping[str, Trace]
Rule = Callable[[Difference], Outcome]

LOGISTIC = ("eg-log", "npb-log", "wb-log")
LINEAR = ("ucb-lin", "eg-lin", "npb-lin", "wb-lin")
NETWORKS = ("eg-nn", "npb-nn", "wb-nn")
EARLY = 50  # "all rounds" leaves out the first of this many parts


def covtype_order(found: Found, logistic: tuple[str, ...] = LOGISTIC) -> list[Statement]:
    """C9."""
    linear = (*LINEAR, "ts-lin")
    pairs = list(product(logistic, linear))
    others = (*logistic, *LINEAR)
    statements = [
        _best_in_all_rounds(found, pairs),
        all_of(
            "linear slightly worse",
            _compared(found, [(logistic[i - 1], LINEAR[i]) for i in (1, 2, 3)], _slightly),
        ),
        all_of(
            "linear alike", _compared(found, [(name, LINEAR[0]) for name in LINEAR[1:]], _alike)
        ),
        all_of("linear TS worst", _compared(found, [(name, "ts-lin") for name in others], _above)),
    ]
    if found.keys() >= set(NETWORKS):
        pairs = list(zip(NETWORKS, logistic, strict=True))
        statements.append(all_of("networks like logistic", _compared(found, pairs, _alike)))
    return statements


def mnist_order(found: Found, logistic: tuple[str, ...] = LOGISTIC) -> list[Statement]:
    """C10."""
    nets = NETWORKS if found.keys() >= set(NETWORKS) else ()
    ucb = [(name, "ucb-lin") for name in (*logistic, *nets)]
    families = [logistic, nets] if nets else [logistic]
    slightly = [(eg, name) for eg, *bootstraps in families for name in bootstraps]
    statements = [all_of("non-linear far above linear UCB", _compared(found, ucb, _far))]
    if nets:
        pairs = list(zip(nets, logistic, strict=True))
        statements.append(all_of("network above logistic", _compared(found, pairs, _above)))
    alike = [(family[1], family[2]) for family in families]
    statements.append(all_of("NPB and WB alike", _compared(found, alike, _alike)))
    statements.append(all_of("both slightly worse than EG", _compared(found, slightly, _slightly)))
    rest = [("ucb-lin", name) for name in (*LINEAR[1:], "ts-lin") if name in found]
    if rest:
        statements.append(
            all_of("other linear no better than UCB", _compared(found, rest, _not_much_below))
        )
    return statements


def same_priors(found: Found) -> list[Statement]:
    """C12."""
    pairs = [("wb-log-random-prior", "wb-log")]
    return [all_of("Gaussian and eigen pseudo-examples alike", _compared(found, pairs, _alike))]


def against_ensembles(found: Found) -> list[Statement]:
    """C13, by the paper's own procedure where it was played, and by solved draws.

    Elmachtoub et al. have fresh trees of resamples in every round, and a heuristic that refits one
    tree a round; both are compared with.
    """
    ours = [name for name in ("wb-log-paper", "wb-log") if name in found]
    trees = [name for name in ("tree-heuristic", "npb-tree") if name in found]
    statements = [_faster(found[name], found[tree]) for tree in trees for name in ours]
    if not trees:
        statements = [Statement("faster than trees", Outcome.OPEN, "no tree was played")]
    pairs = [(name, "ensemble-log") for name in ours]
    better = all_of("better than the ensemble of Tang et al.", _compared(found, pairs, _above))
    return [*statements, better]


def best_schedule(found: Found, rivals: Iterable[str]) -> list[Statement]:
    """C14: 50 / (50 + t) against each of the others."""
    return [
        all_of(f"better than {name}", _compared(found, [("eg-log", name)], _above))
        for name in rivals
    ]


def _compared(
    found: Found, pairs: Iterable[tuple[str, str]], rule: Rule
) -> list[tuple[Difference, Outcome]]:
    compared = []
    for first, second in pairs:
        last = int(common_rounds(found[first], found[second])[-1])
        difference = reward_difference(found[first], found[second], last)
        compared.append((difference, decided(rule(difference), last)))
    return compared


def _above(each: Difference) -> Outcome:
    return each.above(0.0)


def _far(each: Difference) -> Outcome:
    return each.above(SLIGHTLY)


def _alike(each: Difference) -> Outcome:
    return each.between(-ALIKE, ALIKE)


def _slightly(each: Difference) -> Outcome:
    return each.between(0.0, SLIGHTLY)


def _not_much_below(each: Difference) -> Outcome:
    return each.above(-ALIKE)


def _best_in_all_rounds(found: Found, pairs: list[tuple[str, str]]) -> Statement:
    """Above at the end; ahead on average at every recorded round past the early ones."""
    outcomes, closest = [], []
    for first, second in pairs:
        rounds = common_rounds(found[first], found[second])
        late = rounds[rounds >= rounds[-1] / EARLY]
        both = found[first], found[second]
        during = [reward_difference(*both, last, tests=len(pairs)) for last in late]
        said = [_above(reward_difference(*both)), *map(_ahead, during)]
        outcomes += [decided(each, rounds[-1]) for each in said]
        closest.append(min(during, key=lambda each: each.mean))
    least = min(closest, key=lambda each: each.mean)
    numbers = ", ".join(str(reward_difference(found[a], found[b])) for a, b in pairs)
    numbers += f"; least: {least}"
    return Statement("logistic best in all rounds", worst(outcomes), numbers)


def _ahead(each: Difference) -> Outcome:
    """Early rounds differ by chance, so that being ahead on average is enough."""
    if each.mean > 0:
        return Outcome.HOLDS
    return Outcome.FAILS if each.high < 0 else Outcome.OPEN


def _faster(ours: Trace, theirs: Trace) -> Statement:
    """CPU time over the rounds that both have played."""
    last = int(min(ours.rounds[-1], theirs.rounds[-1]))
    one, other = (seconds_per_round(trace, last) for trace in (ours, theirs))
    outcome = decided(Outcome.HOLDS if one < other else Outcome.FAILS, last)
    numbers = f"{1e3 * one:.2f} against {1e3 * other:.2f} ms a round over {last} rounds"
    return Statement(f"{ours.policy} faster than {theirs.policy}", outcome, numbers)


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


def verdicts(dataset: str, found: Found) -> list[Claim]:
    """A claim for everything that the played policies can decide."""
    claims = [_order(dataset, found)] if found.keys() >= {*LOGISTIC, "ucb-lin"} else []
    if found.keys() >= {"wb-log", "wb-log-random-prior"}:
        text = f"{dataset}: 4d eigen and O(d) Gaussian pseudo-examples perform alike"
        claims.append(_claim(dataset, _named(dataset, "C12"), text, same_priors(found), found))
    if found.keys() >= {"wb-log", "ensemble-log"}:
        text = (
            f"{dataset}: bootstrapping by warm-started optimisation is faster than the tree "
            "bootstrap of Elmachtoub et al. and better than the ensemble of Tang et al."
        )
        claims.append(
            _claim(dataset, _named(dataset, "C13"), text, against_ensembles(found), found)
        )
    rivals = [name for name in SCHEDULES if name in found]
    if "eg-log" in found and rivals:
        claims.append(_schedule(dataset, best_schedule(found, rivals), found))
    return claims


def _named(dataset: str, claim: str) -> str:
    """The id of a claim that the paper makes of both data sets."""
    return claim if dataset == "covtype" else f"{claim}-{dataset}"


def _order(dataset: str, found: Found) -> Claim:
    id_, text, order = _ORDERS[dataset]
    if dataset == "covtype" and not found.keys() >= {*LINEAR, "ts-lin"}:
        missing = ", ".join(sorted({*LINEAR, "ts-lin"} - found.keys()))
        return Claim(id_, text, Verdict.UNDECIDED, f"not played: {missing}")
    claim = _claim(dataset, id_, text, order(found), found)
    more = f"\nReward per step (over so many rounds): {_table(found)}"
    if found.keys() >= set(PAPER):
        beside = order(found, PAPER)
        said = "; ".join(f"{statement.text} {statement.outcome.value}" for statement in beside)
        more += f"\nDrawn by the paper's own procedure instead: {verdict_of(beside)} ({said})"
    return Claim(claim.id, claim.claim, claim.verdict, claim.evidence + more)


def _schedule(dataset: str, statements: list[Statement], found: Found) -> Claim:
    text = f"{dataset}: ε-greedy with 50 / (50 + t) is the best of many schedules"
    verdict = verdict_of(statements)
    if any(statement.outcome is Outcome.FAILS for statement in statements):
        verdict = Verdict.NOT_REPRODUCED  # one better schedule is enough
    return _claim(dataset, _named(dataset, "C14"), text, statements, found, verdict)


def _claim(
    dataset: str,
    id_: str,
    text: str,
    statements: list[Statement],
    found: Found,
    verdict: Verdict | None = None,
) -> Claim:
    verdict = verdict or verdict_of(statements)
    any_trace = next(iter(found.values()))
    said = f"{any_trace.runs} runs\n"
    if any_trace.environment != dataset:
        said += (
            f"played on {any_trace.environment} in its place, which decides nothing about "
            f"{dataset}; there the rules say: {verdict}\n"
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
