"""What users hand to a bandit, checked at the door: settings, decisions, rewards and weights."""

from math import inf
from typing import Any

from bandstrap.bandit.control import Control
from bandstrap.bandit.decision import Decision
from bandstrap.bandit.forgetting import Forgetting
from bandstrap.bandit.pending import Expiry
from bandstrap.bandit.propensity import Propensity
from bandstrap.errors import InvalidInput
from bandstrap.policies import Policy
from bandstrap.problem import Support
from bandstrap.validation import LARGEST, is_whole

KINDS: dict[str, tuple[type, str]] = {
    "rewards": (Support, "give Support.binary(), Support.categories(values) or "
                "Support.interval(low, high)"),
    "propensity": (Propensity, "give Propensity(repeats=…, floor=…)"),
    "forgetting": (Forgetting, "give HalfLife(rewards), Window(rewards) or NoForgetting()"),
    "expiry": (Expiry, "give Expiry(decisions=…) or Expiry(seconds=…)"),
    "control": (Control, "give Control(share, arm=…) or Control(share, rule=…)"),
}  # fmt: skip


def check_settings(policy: Any, seed: Any, clock: Any, **others: Any) -> None:
    """Refuse settings of the wrong type at once, not when they are first used."""
    if not isinstance(policy, Policy):
        raise InvalidInput("policy", policy, "give a policy, such as Bootstrap()")
    for name, value in others.items():
        kind, remedy = KINDS[name]
        if value is not None and not isinstance(value, kind):
            raise InvalidInput(name, value, remedy)
    check_seed(seed)
    check_clock(clock)


def check_seed(seed: Any) -> None:
    """Refuse anything but None or a whole number of at least 0."""
    if seed is not None and not (is_whole(seed) and seed >= 0):
        raise InvalidInput("seed", seed, "give a whole number, 0 or more, or None")


def check_clock(clock: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(clock):
        remedy = "give a function that returns seconds, such as time.time"
        raise InvalidInput("clock", clock, remedy)


def check_decision(decision: Any) -> None:
    """Refuse anything but a `Decision`, which holds the scores that decided."""
    if not isinstance(decision, Decision):
        remedy = "give the Decision that decide returned: its scores are kept nowhere else"
        raise InvalidInput("decision", decision, remedy)


def as_list(given: Any) -> list[Any] | None:
    """Several decisions, arms or numbers as a list; None for a single one."""
    if isinstance(given, str) or not hasattr(given, "__len__") or getattr(given, "ndim", 1) == 0:
        return None
    listed: list[Any] = given.tolist() if hasattr(given, "tolist") else list(given)
    return listed


def checked_reward(given: Any, support: Support) -> float:
    """A reward in the support."""
    reward = _number("reward", given)
    if not (support.low <= reward <= support.high and abs(reward) <= LARGEST):
        raise InvalidInput(
            "reward",
            reward,
            f"rewards lie in [{support.low:g}, {support.high:g}]; declare others by "
            "Bandit(rewards=Support.interval(low, high)) or Support.real()",
        )
    if support.values is not None and reward not in support.values:
        raise InvalidInput("reward", reward, f"declared values are {support.values}")
    return reward


def checked_rewards(given: Any, count: int, support: Support) -> list[float]:
    """`count` rewards in the support."""
    return [checked_reward(reward, support) for reward in as_numbers("reward", given, count)]


def checked_weight(given: Any) -> float:
    """A positive weight."""
    weight = _number("weight", given)
    if not 0 < weight < inf:
        raise InvalidInput("weight", given, "give positive numbers; leave out rewards of weight 0")
    return weight


def checked_weights(given: Any, count: int) -> list[float]:
    """`count` weights; a single one is for all."""
    if as_list(given) is None:
        return [checked_weight(given)] * count
    return [checked_weight(weight) for weight in as_numbers("weight", given, count)]


def as_numbers(name: str, given: Any, count: int) -> list[float]:
    """`count` numbers, from a list or anything like one."""
    many = list(given) if hasattr(given, "__next__") else as_list(given)
    if many is None:
        raise InvalidInput(name, given, f"give a list of {count} numbers")
    if len(many) != count:
        raise InvalidInput(name, len(many), f"give {count}, one for each")
    return [_number(name, each) for each in many]


def _number(name: str, given: Any) -> float:
    if type(given) is float:  # as almost always
        return given
    try:
        return float(given)
    except (TypeError, ValueError):
        raise InvalidInput(name, given, "give a number") from None
    except OverflowError:
        raise InvalidInput(name, "a number", "too large for a double; scale it down") from None
