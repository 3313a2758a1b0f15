"""Decisions, rewards and weights as they are handed to `learn`: one alone, or a list of them."""

from math import inf
from typing import Any

from bandstrap.errors import InvalidInput
from bandstrap.problem import Support
from bandstrap.validation import LARGEST


def many_of(given: Any) -> list[Any] | None:
    """Several decisions or arms as a list; None if it is one alone."""
    if isinstance(given, str) or not hasattr(given, "__len__") or getattr(given, "ndim", 1) == 0:
        return None
    listed: list[Any] = given.tolist() if hasattr(given, "tolist") else list(given)
    return listed


def reward_of(given: Any, support: Support) -> float:
    """A reward within the support."""
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


def rewards_of(given: Any, count: int, support: Support) -> list[float]:
    """A reward for each of `count` decisions, each within the support."""
    return [reward_of(reward, support) for reward in numbers_of("reward", given, count)]


def weight_of(given: Any) -> float:
    """What a reward counts."""
    weight = _number("weight", given)
    if not 0 < weight < inf:
        raise InvalidInput("weight", given, "give positive numbers; leave out what counts nothing")
    return weight


def weights_of(given: Any, count: int) -> list[float]:
    """A weight for each; one alone is for all."""
    if many_of(given) is None:
        return [weight_of(given)] * count
    return [weight_of(weight) for weight in numbers_of("weight", given, count)]


def numbers_of(name: str, given: Any, count: int) -> list[float]:
    """So many numbers, in a list or anything like one."""
    many = list(given) if hasattr(given, "__next__") else many_of(given)
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
