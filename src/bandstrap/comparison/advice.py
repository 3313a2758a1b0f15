"""The answer in one sentence: the best, or the cheapest of those that cannot be told from it."""

from dataclasses import dataclass

from bandstrap.comparison.ranking import Gap, Standing

MUCH = 2.0  # a policy has to be cheaper by this factor to be preferred to a better one


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
        return Advice(first.policy, f"Use {first.policy}: {first.reward} a round; it played alone.")
    if not first.reward.known:
        return Advice(
            first.policy,
            f"Use {first.policy}: {first.reward} a round, {gap.difference} more than {gap.second} "
            "in a single run, which says nothing of chance: ask for more --runs.",
        )
    if gap.real:
        return Advice(
            first.policy,
            f"Use {first.policy}: {first.reward} a round, {gap.difference} more than {gap.second}, "
            f"the next, at {first.cost:,.0f} µs a decision.",
        )
    return _cheapest(ranking, gap)


def _cheapest(ranking: tuple[Standing, ...], gap: Gap) -> Advice:
    """The best of those that cost about the least: times vary too much to decide by less."""
    tied = [standing for standing in ranking if standing.tied]
    least = min(standing.cost for standing in tied)
    chosen = next(standing for standing in tied if standing.cost <= MUCH * least)
    others = [standing.policy for standing in tied if standing is not chosen]
    return Advice(
        chosen.policy,
        f"Use {chosen.policy}: {chosen.reward} a round at {chosen.cost:,.0f} µs a decision; "
        f"{gap.first} and {gap.second} do not differ beyond chance ({gap.difference}), and of the "
        f"{len(tied)} policies that may be the best ({', '.join(others[:4])}"
        f"{' …' if len(others) > 4 else ''}) none costs much less.",
    )


def _none_is_better(first: Standing, floor: float) -> Advice:
    return Advice(
        first.policy,
        f"None earns more than always pulling the best arm ({floor:.4g} a round) in this many "
        f"rounds; the nearest is {first.policy} with {first.reward}: try more --rounds, or columns "
        "that tell more.",
    )
