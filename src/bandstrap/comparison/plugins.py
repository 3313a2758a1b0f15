"""Policies and models from elsewhere: installed packages, module:Class, or objects."""

import os
import sys
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from bandstrap.errors import BandstrapError, InvalidInput
from bandstrap.models import Model
from bandstrap.policies import Policy

GROUPS: dict[type, str] = {Policy: "bandstrap.policies", Model: "bandstrap.models"}
OPTIONS: dict[type, str] = {Policy: "--policy", Model: "--model"}


class Plugins(NamedTuple):
    """What installed packages offer by entry points, and the errors of those that do not load."""

    found: dict[str, Any]
    broken: dict[str, BandstrapError]


def plugins(kind: type) -> Plugins:
    """All of one kind; a broken one matters only to those who select it."""
    found = Plugins({}, {})
    for point in entry_points(group=GROUPS[kind]):
        try:
            found.found[point.name] = _loaded(point, kind)
        except BandstrapError as error:
            found.broken[point.name] = error
    return found


def _loaded(point: EntryPoint, kind: type) -> Any:
    package = point.dist.name if point.dist else "an installed package"
    whose = f"entry point {point.name!r} of {package}"
    try:
        thing = point.load()
    except Exception as error:  # others' code may raise anything
        raise _failed(whose, point.value, error, "fix or remove the package") from error
    return _instance(thing, kind, whose, point.value)


def own_by_name(things: tuple[Any, ...], kind: type) -> dict[str, Any]:
    """Each under the name of its class; a second one of a class is numbered."""
    found: dict[str, Any] = {}
    for thing in things:
        one = _instance(_imported(thing, kind), kind, OPTIONS[kind], thing)
        name = type(one).__name__.lower()
        several = sum(type(other) is type(one) for other in found.values())
        found[f"{name}-{several + 1}" if several else name] = one
    return found


def _imported(thing: Any, kind: type) -> Any:
    """What `module:Name` names, also from the current folder."""
    if not isinstance(thing, str):
        return thing
    module, _, name = thing.partition(":")
    if not (module and name):
        raise InvalidInput(OPTIONS[kind], thing, "write module:Class, as in my_policies:Mine")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise InvalidInput(OPTIONS[kind], thing, f"cannot be imported ({error})") from error


def _instance(thing: Any, kind: type, parameter: str, value: Any) -> Any:
    """A policy or model, or what a class or function returns without arguments."""
    if isinstance(thing, kind):
        return thing
    try:
        one = thing() if callable(thing) else thing
    except BandstrapError:
        raise
    except Exception as error:  # others' code may raise anything
        remedy = "name a class that needs no arguments, or a function that returns an object"
        raise _failed(parameter, value, error, remedy) from error
    if not isinstance(one, kind):
        raise InvalidInput(parameter, value, f"give a {kind.__name__}, or what returns one")
    return one


def _failed(parameter: str, value: Any, error: Exception, remedy: str) -> InvalidInput:
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return InvalidInput(parameter, value, f"cannot be made ({reason}): {remedy}")
