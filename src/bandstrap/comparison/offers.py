"""Policies and models of others: named by module and class, given as objects, or installed."""

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


class Installed(NamedTuple):
    """What installed packages offer by entry points, and what is wrong with some of it."""

    found: dict[str, Any]
    broken: dict[str, BandstrapError]


def installed(kind: type) -> Installed:
    """All of them; one that cannot be had stops only those who ask for it."""
    offers = Installed({}, {})
    for point in entry_points(group=GROUPS[kind]):
        try:
            offers.found[point.name] = _loaded(point, kind)
        except BandstrapError as error:
            offers.broken[point.name] = error
    return offers


def _loaded(point: EntryPoint, kind: type) -> Any:
    package = point.dist.name if point.dist else "an installed package"
    whose = f"entry point {point.name!r} of {package}"
    try:
        thing = point.load()
    except Exception as error:  # importing others' code may raise anything
        raise _unmade(whose, point.value, error, "mend or remove the package") from error
    return made(thing, kind, whose, point.value)


def by_name(things: tuple[Any, ...], kind: type) -> dict[str, Any]:
    """Each by its class; a second one of a class is numbered."""
    found: dict[str, Any] = {}
    for thing in things:
        one = made(_imported(thing, kind), kind, OPTIONS[kind], thing)
        name = type(one).__name__.lower()
        several = sum(type(other) is type(one) for other in found.values())
        found[f"{name}-{several + 1}" if several else name] = one
    return found


def _imported(thing: Any, kind: type) -> Any:
    """What `module:Name` names, from the folder one is in or from anywhere Python looks."""
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


def made(thing: Any, kind: type, parameter: str, told: Any) -> Any:
    """A policy or model, or what a class or function makes of nothing."""
    if isinstance(thing, kind):
        return thing
    try:
        one = thing() if callable(thing) else thing
    except BandstrapError:
        raise
    except Exception as error:  # others' code may raise anything
        remedy = "name a class that needs no arguments, or a function that makes one"
        raise _unmade(parameter, told, error, remedy) from error
    if not isinstance(one, kind):
        raise InvalidInput(parameter, told, f"give a {kind.__name__}, or what makes one")
    return one


def _unmade(parameter: str, told: Any, error: Exception, remedy: str) -> InvalidInput:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return InvalidInput(parameter, told, f"cannot be made ({said}): {remedy}")
