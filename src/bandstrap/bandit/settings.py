"""What a bandit is made from, checked when it is made and not at its first use."""

from typing import Any

from bandstrap.bandit.decision import Decision
from bandstrap.bandit.forgetting import Forgetting
from bandstrap.bandit.pending import Expiry
from bandstrap.bandit.propensity import Propensity
from bandstrap.errors import InvalidInput
from bandstrap.policies import Policy
from bandstrap.problem import Support
from bandstrap.validation import is_whole

KINDS: dict[str, tuple[type, str]] = {
    "rewards": (Support, "give Support.binary(), Support.categories(values) or "
                "Support.interval(low, high)"),
    "propensity": (Propensity, "give Propensity(draws=…, floor=…)"),
    "forgetting": (Forgetting, "give HalfLife(rewards), Window(rewards) or NoForgetting()"),
    "expiry": (Expiry, "give Expiry(decisions=…) or Expiry(seconds=…)"),
}  # fmt: skip


def check_settings(policy: Any, seed: Any, clock: Any, **others: Any) -> None:
    """Refuse what is of another kind than it is to be."""
    if not isinstance(policy, Policy):
        raise InvalidInput("policy", policy, "give a policy, such as Bootstrap()")
    for name, value in others.items():
        kind, remedy = KINDS[name]
        if value is not None and not isinstance(value, kind):
            raise InvalidInput(name, value, remedy)
    check_seed(seed)
    check_clock(clock)


def check_seed(seed: Any) -> None:
    """Refuse what is neither None nor a whole number from 0 on."""
    if seed is not None and not (is_whole(seed) and seed >= 0):
        raise InvalidInput("seed", seed, "give a whole number, 0 or more, or None")


def check_clock(clock: Any) -> None:
    """Refuse what cannot be asked for the time."""
    if not callable(clock):
        raise InvalidInput("clock", clock, "give a function that tells seconds, such as time.time")


def check_decision(decision: Any) -> None:
    """Refuse what cannot tell the scores that decided."""
    if not isinstance(decision, Decision):
        remedy = "give the Decision that decide returned: its scores are kept nowhere else"
        raise InvalidInput("decision", decision, remedy)
