"""Which policy to use, in sentences that follow from a ranking."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bandstrap.comparison.ranking import Gap, Standing

MUCH = 2.0  # a policy must be cheaper by this factor to be preferred to a better one
LITTLE = 0.1  # share of the first's lead over the best arm that a cheaper one may lose
SHOWN = 4  # names in a sentence


@dataclass(frozen=True)
class Rehearsal:
    """What was played: how long, what the best arm earns by itself, and what models would earn that
    are told every reward (by kind); `cause` is why little can be told, if the table shows why."""

    rounds: int
    floor: float
    arm: str = "the best arm"
    lowest: float = 0.0  # reward that is possible
    ceilings: Mapping[str, float] = field(default_factory=dict)
    cause: str = ""

    @property
    def best(self) -> tuple[str, float]:
        """The kind of model with the highest ceiling."""
        return max(self.ceilings.items(), key=lambda item: item[1])


@dataclass(frozen=True)
class Advice:
    """Which policy to use, and why: a sentence each."""

    policy: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def advice(ranking: tuple[Standing, ...], gap: Gap | None, played: Rehearsal) -> Advice:
    """What follows from a ranking."""
    first = ranking[0]
    if first.reward.mean <= played.floor:
        return Advice(first.policy, _nothing(first, played))
    chosen = recommended(ranking, played.floor)
    why = _alone(first, gap) or _why(chosen, ranking, gap, played.floor)
    sentences = (
        _use(chosen, played),
        why,
        _cheaper(chosen, ranking, played),
        _bounds(chosen, played),
    )
    return Advice(chosen.policy, tuple(filter(None, (*sentences, _doubt(chosen, played)))))


def recommended(ranking: tuple[Standing, ...], floor: float) -> Standing:
    """The first, or a much cheaper one that surely loses little.

    Of the first and those that may be as good, earn significantly more than the best arm and lose
    little even at the far end of their interval: the best that costs at most twice the cheapest.
    Times vary too much to choose more finely, and few runs separate nothing: not to differ from the
    first is no merit.
    """
    first = ranking[0]
    little = LITTLE * (first.reward.mean - floor)
    close = [first, *(each for each in _tied(ranking, floor) if each.behind.high <= little)]
    least = min(each.cost for each in close)
    return next(each for each in close if each.cost <= MUCH * least)


def _tied(ranking: tuple[Standing, ...], floor: float) -> list[Standing]:
    """Those that may be as good as the first."""
    return [each for each in ranking[1:] if each.tied and each.reward.low > floor]


def _nothing(first: Standing, played: Rehearsal) -> tuple[str, ...]:
    shown = first.reward.shown
    cause = f"; the cause may be that {played.cause}" if played.cause else ""
    return (
        f"For the first {played.rounds:,} rounds none earns more than always pulling {played.arm}: "
        f"that pays {shown(played.floor)} per round, the nearest is {first.policy} with "
        f"{first.reward}{cause}.",
        _hope(first, played),
    )


def _hope(first: Standing, played: Rehearsal) -> str:
    """Whether there is something to learn in the table."""
    if not played.ceilings:
        return "Try more --rounds, or columns that say more."
    best, most = played.best
    earns = first.reward.shown(most)
    told = f"Told every arm's reward, the best of the same models ({best}) would earn {earns}"
    if most > played.floor:
        return f"{told}: try more --rounds."
    return f"{told}, no more than that either: these columns tell too little, try others."


def _use(chosen: Standing, played: Rehearsal) -> str:
    return (
        f"For the first {played.rounds:,} rounds use {chosen.policy}: {chosen.reward} per round at "
        f"{microseconds(chosen.cost)} per decision."
    )


def _alone(first: Standing, gap: Gap | None) -> str:
    if gap is None:
        return "It played alone."
    if first.reward.known:
        return ""
    more = f"{gap.difference} more than {gap.second}"
    return f"In a single run it earned {more}, which may be chance: use more --runs."


def _why(chosen: Standing, ranking: tuple[Standing, ...], gap: Gap | None, floor: float) -> str:
    first, tied = ranking[0], _tied(ranking, floor)
    if chosen is not first:
        shown = first.reward.shown
        return (
            f"{first.policy} earned {shown(first.reward.mean)} at {microseconds(first.cost)}, at "
            f"best {shown(chosen.behind.high)} more, which may be chance."
        )
    if gap is not None and gap.real:
        return f"That is {gap.difference} more than {gap.second}, the next."
    if not tied:
        return "No other that may be as good earns significantly more than the best arm."
    names = ", ".join(each.policy for each in tied[:SHOWN]) + (" …" if len(tied) > SHOWN else "")
    if any(MUCH * each.cost <= first.cost for each in tied):
        return f"{names} may be as good; more --runs would tell."
    return f"{names} may be as good, but cost at least half as much."


def _cheaper(chosen: Standing, ranking: tuple[Standing, ...], played: Rehearsal) -> str:
    """What a cheaper one would lose, or a better one cost."""
    first = ranking[0]
    if chosen is not first:
        return f"{first.policy} means {_exchange(first, chosen, played)}."
    cheap = [
        each
        for each in ranking
        if MUCH * each.cost <= chosen.cost and each.reward.mean > played.floor
    ]
    if not cheap:
        return "Nothing that earns more than the best arm costs half as much or less."
    other = cheap[0]
    dear = f"{chosen.policy} means {_exchange(chosen, other, played)}"
    return f"The cheap alternative is {other.policy} at {microseconds(other.cost)}: {dear}."


def _exchange(dear: Standing, cheap: Standing, played: Rehearsal) -> str:
    """For example: 1 % more reward for 12 times the cost."""
    more, times = dear.reward.mean - cheap.reward.mean, dear.cost / cheap.cost
    if played.lowest >= 0 and cheap.reward.mean > 0:
        gain = f"{_percent(more / cheap.reward.mean)} more reward"
    else:
        gain = f"{dear.reward.shown(more)} more per round"
    return f"{gain} for {times:,.{0 if times >= 10 else 1}f} times the cost"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1g} %"


def _bounds(chosen: Standing, played: Rehearsal) -> str:
    shown = chosen.reward.shown
    floor = f"Always pulling {played.arm} pays {shown(played.floor)}"
    if not played.ceilings:
        return f"{floor}."
    best, most = played.best
    if most <= chosen.reward.mean:
        return f"{floor}; told every arm's reward, the same models would earn no more."
    told = f"told every arm's reward, the best of the same models ({best}) earns {shown(most)}"
    return f"{floor}; {told}."


def _doubt(chosen: Standing, played: Rehearsal) -> str:
    """A warning if the best arm alone may be as good, or if the table cannot tell."""
    cause = f"{played.cause[0].upper()}{played.cause[1:]}" if played.cause else ""
    if chosen.reward.known and chosen.reward.low <= played.floor:
        equal = "But that is not significantly more than the best arm"
        return f"{equal}; {played.cause}." if cause else f"{equal}."
    return f"{cause}." if cause else ""


def microseconds(cost: float) -> str:
    """A cost for people.

    >>> microseconds(17.4), microseconds(60_210.0)
    ('17 µs', '60 ms')
    """
    return f"{cost:,.0f} µs" if cost < 10_000 else f"{cost / 1000:,.0f} ms"
