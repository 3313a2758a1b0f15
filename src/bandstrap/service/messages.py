"""What is asked and answered, over HTTP and inside a process."""

from typing import Annotated, Any, ClassVar

import msgspec

from bandstrap.bandit.decision import Arm

__all__ = [
    "DecisionAnswer",
    "DecisionRequest",
    "ManyDecisions",
    "ManyRewards",
    "NamedReward",
    "Problem",
    "RewardAnswer",
    "RewardRequest",
]

MOST = 1000  # decisions or rewards in one request
LONGEST = 200  # characters of an id

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST, pattern=r"^[!-~]+$(?!\n)")]
Context = dict[str, Any] | list[float] | None


class DecisionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One decision to be made.

    `id` is the client's own: the same id and body have the same answer, however often and from
    whatever process. In the modes "shadow" and "logging" the client has decided: it says the `arm`,
    and with what `propensity`.
    """

    id: Id | None = None
    context: Context = None
    allowed: list[Arm] | None = None
    rank: Annotated[int, msgspec.Meta(ge=1)] | None = None  # how many arms, best first
    deferred: bool = False  # its window begins when it is activated
    arm: Arm | None = None
    propensity: float | None = None


class ManyDecisions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Several decisions, each by its own draw, stored together."""

    decisions: Annotated[list[DecisionRequest], msgspec.Meta(min_length=1, max_length=MOST)]


class DecisionAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A decision that is stored."""

    status: ClassVar[int] = 200
    id: str
    experiment: str
    arm: Arm
    propensity: float
    weight: float  # an unbiased inverse of the propensity, for evaluation
    method: str  # how both were found
    mode: str
    version: int  # the step that the deciding bandit had learnt up to
    time: float  # seconds since 1970
    expires: float | None = None  # until when its reward counts; None while it is deferred
    control: bool = False  # whether the control has decided, not the policy
    ranking: list[Arm] | None = None
    would: Arm | None = None  # in the shadow: what the policy would have done
    repeated: bool = False  # whether it was stored before


class RewardRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A decision's reward, and what guardrails watch."""

    reward: float
    metrics: dict[str, float] = {}


class NamedReward(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reward among several."""

    id: Id
    reward: float
    metrics: dict[str, float] = {}


class ManyRewards(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Several rewards, each with an answer of its own."""

    rewards: Annotated[list[NamedReward], msgspec.Meta(min_length=1, max_length=MOST)]


class RewardAnswer(msgspec.Struct, frozen=True):
    """A reward that is stored."""

    status: ClassVar[int] = 200
    id: str
    receipt: str  # "stored", "repeated", or "late": stored too, but not learnt
    time: float  # when it came


class Problem(msgspec.Struct, frozen=True):
    """Why something was not done, as RFC 9457 says it."""

    status: int
    title: str
    detail: str
