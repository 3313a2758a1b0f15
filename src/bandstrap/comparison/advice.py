"""The recommendation in one sentence: the best policy, or one as good that is much cheaper."""

from dataclasses import dataclass

from bandstrap.comparison.ranking import Gap, Standing

MUCH = 2.0  # a policy must be cheaper by this factor to be preferred to a better one
LITTLE = 0.1  # share of the first's lead over the best arm that a cheaper one may lose


@dataclass(frozen=True)
class Advice:
    """Which policy to use, and why."""

    policy: str
    sentence: str


def advice(ranking: tuple[Standing, ...], gap: Gap | None, floor: float) -> Advice:
    """What follows from a ranking; `floor` is the reward per round of the best arm alone."""
    first = ranking[0]
    if first.reward.mean <= floor:
        return _none_is_better(first, floor)
    if gap is None:
        return _use(first, "; it played alone", floor)
    lead = f", {gap.difference} more than {gap.second}"
    if not first.reward.known:
        return _use(first, f"{lead} in a single run, which may be chance: use more --runs", floor)
    if gap.real:
        return _use(first, f"{lead}, the next, at {first.cost:,.0f} µs per decision", floor)
    return _among_equals(ranking, floor)


def _among_equals(ranking: tuple[Standing, ...], floor: float) -> Advice:
    """The best of those that cost about the least; times vary too much to choose more finely.

    A policy that does not differ from the first is not preferred for that alone, as few runs
    separate nothing: the worst-case loss must be small too.
    """
    first, *others = ranking
    little = LITTLE * (first.reward.mean - floor)
    tied = [each for each in others if each.tied and each.reward.low > floor]
    close = [first, *(each for each in tied if each.behind.high <= little)]
    least = min(standing.cost for standing in close)
    chosen = next(standing for standing in close if standing.cost <= MUCH * least)
    why = f" at {chosen.cost:,.0f} µs per decision; "
    if chosen is not first:
        shown = first.reward.shown
        why += (
            f"{first.policy} earned {shown(first.reward.mean)} at {first.cost:,.0f} µs, "
            f"at best {shown(chosen.behind.high)} more, which may be chance"
        )
        return _use(chosen, why, floor)
    if not tied:
        none = "no other that may be as good earns significantly more than the best arm"
        return _use(first, why + none, floor)
    names = ", ".join(each.policy for each in tied[:4]) + (" …" if len(tied) > 4 else "")
    if any(MUCH * each.cost <= first.cost for each in tied):
        return _use(first, why + f"{names} may be as good; more --runs would tell", floor)
    return _use(first, why + f"{names} may be as good, but cost at least half as much", floor)


def _use(chosen: Standing, why: str, floor: float) -> Advice:
    """With a warning if the best arm alone may be as good."""
    reward = chosen.reward
    doubt = ""
    if reward.known and reward.low <= floor:
        doubt = f"; but that is not significantly more than the best arm ({reward.shown(floor)})"
    return Advice(chosen.policy, f"Use {chosen.policy}: {reward} per round{why}{doubt}.")


def _none_is_better(first: Standing, floor: float) -> Advice:
    return Advice(
        first.policy,
        f"None earns more than always pulling the best arm ({first.reward.shown(floor)} per round) "
        f"in this many rounds; the nearest is {first.policy} with {first.reward}: try more "
        "--rounds, or columns that say more.",
    )
