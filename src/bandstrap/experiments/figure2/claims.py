"""What the paper says of the policies with contexts, as statements that traces decide.

What a word means was settled before any result was seen: alike is within 0.02 of reward per step,
slightly worse is worse by at most 0.05, far above is above by more than 0.05.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product

from bandstrap.experiments.statements import (
    ALIKE,
    SLIGHTLY,
    Gap,
    Outcome,
    Statement,
    all_of,
    common_rounds,
    decided,
    gap,
    seconds_per_round,
    worst,
)
from bandstrap.simulation import Trace

Found = Mapping[str, Trace]
Rule = Callable[[Gap], Outcome]

LOGISTIC = ("eg-log", "npb-log", "wb-log")
LINEAR = ("ucb-lin", "eg-lin", "npb-lin", "wb-lin")
NETWORKS = ("eg-nn", "npb-nn", "wb-nn")
EARLY = 50  # "all rounds" are those after the first of so many parts


def covtype_order(found: Found, logistic: tuple[str, ...] = LOGISTIC) -> list[Statement]:
    """C9."""
    linear = (*LINEAR, "ts-lin")
    pairs = list(product(logistic, linear))
    others = (*logistic, *LINEAR)
    statements = [
        _best_in_all_rounds(found, pairs),
        all_of(
            "linear slightly worse",
            _gaps(found, [(logistic[i - 1], LINEAR[i]) for i in (1, 2, 3)], _slightly),
        ),
        all_of("linear alike", _gaps(found, [(name, LINEAR[0]) for name in LINEAR[1:]], _alike)),
        all_of("linear TS worst", _gaps(found, [(name, "ts-lin") for name in others], _above)),
    ]
    if found.keys() >= set(NETWORKS):
        pairs = list(zip(NETWORKS, logistic, strict=True))
        statements.append(all_of("networks like logistic", _gaps(found, pairs, _alike)))
    return statements


def mnist_order(found: Found, logistic: tuple[str, ...] = LOGISTIC) -> list[Statement]:
    """C10."""
    nets = NETWORKS if found.keys() >= set(NETWORKS) else ()
    ucb = [(name, "ucb-lin") for name in (*logistic, *nets)]
    families = [logistic, nets] if nets else [logistic]
    slightly = [(eg, name) for eg, *bootstraps in families for name in bootstraps]
    statements = [all_of("non-linear far above linear UCB", _gaps(found, ucb, _far))]
    if nets:
        pairs = list(zip(nets, logistic, strict=True))
        statements.append(all_of("network above logistic", _gaps(found, pairs, _above)))
    alike = [(family[1], family[2]) for family in families]
    statements.append(all_of("NPB and WB alike", _gaps(found, alike, _alike)))
    statements.append(all_of("both slightly worse than EG", _gaps(found, slightly, _slightly)))
    rest = [("ucb-lin", name) for name in (*LINEAR[1:], "ts-lin") if name in found]
    if rest:
        statements.append(
            all_of("other linear no better than UCB", _gaps(found, rest, _not_much_below))
        )
    return statements


def same_priors(found: Found) -> list[Statement]:
    """C12."""
    pairs = [("wb-log-random-prior", "wb-log")]
    return [all_of("Gaussian and eigen pseudo-examples alike", _gaps(found, pairs, _alike))]


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
    better = all_of("better than the ensemble of Tang et al.", _gaps(found, pairs, _above))
    return [*statements, better]


def best_schedule(found: Found, rivals: Iterable[str]) -> list[Statement]:
    """C14: 50 / (50 + t) against each of the others."""
    return [
        all_of(f"better than {name}", _gaps(found, [("eg-log", name)], _above)) for name in rivals
    ]


def _gaps(found: Found, pairs: Iterable[tuple[str, str]], rule: Rule) -> list[tuple[Gap, Outcome]]:
    gaps = [gap(found[first], found[second]) for first, second in pairs]
    return [(each, decided(rule(each), each.last)) for each in gaps]


def _above(each: Gap) -> Outcome:
    return each.beyond(0.0)


def _far(each: Gap) -> Outcome:
    return each.beyond(SLIGHTLY)


def _alike(each: Gap) -> Outcome:
    return each.between(-ALIKE, ALIKE)


def _slightly(each: Gap) -> Outcome:
    return each.between(0.0, SLIGHTLY)


def _not_much_below(each: Gap) -> Outcome:
    return each.beyond(-ALIKE)


def _best_in_all_rounds(found: Found, pairs: list[tuple[str, str]]) -> Statement:
    """Above at the end; ahead on average at every recorded round past the early ones."""
    outcomes, closest = [], []
    for first, second in pairs:
        rounds = common_rounds(found[first], found[second])
        late = rounds[rounds >= rounds[-1] / EARLY]
        gaps = [gap(found[first], found[second], last, tests=len(pairs)) for last in late]
        said = [_above(gap(found[first], found[second])), *map(_ahead, gaps)]
        outcomes += [decided(each, rounds[-1]) for each in said]
        closest.append(min(gaps, key=lambda each: each.mean))
    least = min(closest, key=lambda each: each.mean)
    numbers = ", ".join(str(gap(found[first], found[second])) for first, second in pairs)
    numbers += f"; least: {least}"
    return Statement("logistic best in all rounds", worst(outcomes), numbers)


def _ahead(each: Gap) -> Outcome:
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
