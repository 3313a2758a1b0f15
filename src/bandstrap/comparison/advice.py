"""The answer in one sentence: the best, or one as good that costs much less."""

from dataclasses import dataclass

from bandstrap.comparison.ranking import Gap, Standing

MUCH = 2.0  # a policy has to be cheaper by this factor to be preferred to a better one
LITTLE = 0.1  # of what the first earns above the best arm: what a cheaper one may earn less


@dataclass(frozen=True)
class Advice:
    """Which policy to use, and why."""

    policy: str
    sentence: str


def advice(ranking: tuple[Standing, ...], gap: Gap | None, floor: float) -> Advice:
    """What follows from a ranking; `floor` is what the best arm earns without any policy."""
    first = ranking[0]
    if first.reward.mean <= floor:
        return _none_is_better(first, floor)
    if gap is None:
        return _use(first, "; it played alone", floor)
    if not first.reward.known:
        why = (
            f", {gap.difference} more than {gap.second} in a single run, which says nothing of "
            "chance: ask for more --runs"
        )
        return _use(first, why, floor)
    if gap.real:
        why = (
            f", {gap.difference} more than {gap.second}, the next, at {first.cost:,.0f} µs a "
            "decision"
        )
        return _use(first, why, floor)
    return _among_equals(ranking, floor)


def _among_equals(ranking: tuple[Standing, ...], floor: float) -> Advice:
    """The best of those that cost about the least: times vary too much to decide by less.

    Not to be told from the first is not enough to be preferred to it, as few runs tell nobody
    apart: what is lost at worst has to be little.
    """
    first, *others = ranking
    little = LITTLE * (first.reward.mean - floor)
    tied = [each for each in others if each.tied and each.reward.low > floor]
    close = [first, *(each for each in tied if each.behind.high <= little)]
    least = min(standing.cost for standing in close)
    chosen = next(standing for standing in close if standing.cost <= MUCH * least)
    why = f" at {chosen.cost:,.0f} µs a decision; "
    if chosen is not first:
        why += (
            f"{first.policy} earned {first.reward.shown(first.reward.mean)} at {first.cost:,.0f} "
            f"µs, which is {first.reward.shown(chosen.behind.high)} more at best, and may be chance"
        )
        return _use(chosen, why, floor)
    if not tied:
        none = "no other that may be as good earns more than the best arm beyond chance"
        return _use(first, why + none, floor)
    names = ", ".join(each.policy for each in tied[:4]) + (" …" if len(tied) > 4 else "")
    if any(MUCH * each.cost <= first.cost for each in tied):
        return _use(first, why + f"{names} may be as good, which more --runs would tell", floor)
    return _use(first, why + f"{names} may be as good and cost no less than half of that", floor)


def _use(chosen: Standing, why: str, floor: float) -> Advice:
    """With a warning where one might as well not look at rows at all."""
    reward = chosen.reward
    doubt = (
        "; but that is not beyond chance more than always pulling the best arm "
        f"({reward.shown(floor)})"
        if reward.known and reward.low <= floor
        else ""
    )
    return Advice(chosen.policy, f"Use {chosen.policy}: {reward} a round{why}{doubt}.")


def _none_is_better(first: Standing, floor: float) -> Advice:
    return Advice(
        first.policy,
        f"None earns more than always pulling the best arm ({first.reward.shown(floor)} a round) "
        f"in this many rounds; the nearest is {first.policy} with {first.reward}: try more "
        "--rounds, or columns that tell more.",
    )
