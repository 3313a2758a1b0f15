"""Variants of a policy that differ in parameters."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import product
from typing import Any

from bandstrap.errors import BandstrapError, InvalidInput, UnknownName
from bandstrap.policies import Policy
from bandstrap.policies.own import variant_name

MOST = 10_000  # variants
INSIDE = "__"  # between a parameter and one of its own


def sweep(policy: Policy[Any], **parameters: Iterable[Any]) -> dict[str, Policy[Any]]:
    """The policy with each of the values of each parameter: a grid, by name.

    `simulate` and `compare(own=…)` take it. A parameter of a parameter goes after two underscores,
    as in `model__penalty=[0.1, 1.0]`.

    >>> from bandstrap import EpsilonGreedy, LinUCB
    >>> [*sweep(LinUCB(), penalty=[0.1, 1.0])]
    ['linucb(penalty=0.1)', 'linucb(penalty=1.0)']
    >>> [*sweep(EpsilonGreedy(), schedule__c=[5.0, 50.0]).values()][0].schedule
    Decay(c=5.0)
    """
    if not parameters:
        raise InvalidInput("parameters", {}, "name one with its values, as in penalty=[0.1, 1.0]")
    values = {name: _values(name, some) for name, some in parameters.items()}
    found: dict[str, Policy[Any]] = {}
    for chosen in product(*values.values()):
        given = dict(zip(values, chosen, strict=True))
        name = variant_name(type(policy), given)
        if name in found:
            raise InvalidInput("parameters", name, "two variants have this name: give each once")
        found[name] = _changed(policy, given)
        if len(found) > MOST:
            raise InvalidInput("parameters", [*values], f"they make more than {MOST:,} variants")
    return found


def _values(name: str, values: Any) -> list[Any]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidInput(name, values, "give a list of values")
    some = [*values]
    if not some:
        raise InvalidInput(name, some, "give at least one value")
    return some


def _changed(thing: Any, given: Mapping[str, Any]) -> Any:
    for path, value in given.items():
        thing = _with(thing, path, path.split(INSIDE), value)
    return thing


def _with(thing: Any, path: str, parts: list[str], value: Any) -> Any:
    """A copy of the thing, or of what is in it, with one other parameter."""
    if not is_dataclass(thing):
        remedy = f"{type(thing).__name__} is no dataclass: make its variants yourself"
        raise InvalidInput(path, value, remedy)
    first, *rest = parts
    known = [field.name for field in fields(thing) if field.init]
    if first not in known:
        raise UnknownName(f"parameter of {type(thing).__name__}", first, known)
    inner = _with(getattr(thing, first), path, rest, value) if rest else value
    try:
        return replace(thing, **{first: inner})  # type: ignore[type-var]
    except BandstrapError:
        raise
    except Exception as error:  # the class may be the user's own
        raise InvalidInput(path, value, f"{type(error).__name__}: {error}") from error
