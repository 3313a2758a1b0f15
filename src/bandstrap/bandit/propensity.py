"""How propensities are found, and how small they may be."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bandstrap.bandit.chance import Beside, Chance, Choice, Deferred, Later
from bandstrap.errors import InvalidInput
from bandstrap.validation import is_finite, require_within

if TYPE_CHECKING:
    from bandstrap.bandit.bandit import Bandit

MOST_DRAWS = 100_000  # more would make a decision take seconds
MOST_REPEATED = 1_000_000  # draws of an arm that hardly ever wins
AFFORDABLE = 24  # draws that a decision pays for, on average, if nobody says otherwise
REPEATS = 6  # of a weight that was deferred


@dataclass(frozen=True)
class Propensity:
    """How propensities are found, and how small they may be.

    Where the policy knows the probability of each arm, it is worked out when you ask for it. Where
    only draws can tell, they go on after the one that decided until the chosen arm wins again;
    the number of draws is an estimate of 1 / propensity without bias, which `decision.weight` is.

    * `repeats`: how many such numbers are averaged, at every decision. A repeat takes as many draws
      as there are arms, on average. If None, as many as 24 draws are enough for; where even one
      takes more, or draws are costly (with contexts), `decision.weight` is deferred until you ask.
      Where counts of rewards are all that a draw needs, draws wait for you to ask too.
    * `cap`: draws of one repeat at most. It lowers the mean weight of an arm of propensity q, by a
      share of (1 - q)^cap or less: 0.005% at q = 0.001.
    * `floor`: with this probability the arm is any of those allowed, so none has probability 0.
    * `draws`: instead of repeats, the share of so many draws that the arm wins. It gives all arms'
      propensities, but weighs rare arms by rare events.

    >>> from bandstrap import Bandit, Bootstrap
    >>> bandit = Bandit(Bootstrap(), ["red", "green"], seed=1, propensity=Propensity(repeats=8))
    >>> bandit.learn(arm=["red", "green"], reward=[0.3, 0.6])
    >>> decision = bandit.decide()
    >>> decision.method, decision.weight >= 1
    ('geometric', True)
    """

    draws: int | None = None
    floor: float = 0.02
    repeats: int | None = None
    cap: int = 10_000

    def __post_init__(self) -> None:
        require_within(1, MOST_DRAWS, draws=self.draws, repeats=self.repeats, cap=self.cap)
        if (self.repeats or 1) * self.cap > MOST_REPEATED:
            remedy = f"repeats times cap may be at most {MOST_REPEATED:,}: a decision would hang"
            raise InvalidInput("repeats", self.repeats, remedy)
        if not (is_finite(self.floor) and 0 < self.floor <= 1):
            raise InvalidInput("floor", self.floor, "give a probability above 0, such as 0.001")
        if self.draws is not None and self.repeats is not None:
            raise InvalidInput("repeats", self.repeats, "give repeats or draws, not both")

    def chance(
        self, bandit: "Bandit", choice: Choice, first: int, beside: Beside
    ) -> Chance | Later | Deferred:
        """How probable a decision's arm was, as far as that is found out now.

        The arm `first` has won the draw that decided; others take the random numbers `beside`.
        """
        if self.draws is not None:
            return choice.voted(beside.stream(), first, self.draws)
        repeats = self.repeats or AFFORDABLE // choice.floor.arms
        recall = choice.state.recall(choice.policy)
        if recall is not None:
            choice = choice._replace(state=None)  # which will have learnt more
            return Later(recall, choice, beside, max(repeats, 1), self.cap)
        if self.repeats is None and (choice.policy.costly or repeats == 0):
            return Deferred(bandit)
        return choice.counted(beside.stream(), repeats, self.cap)
