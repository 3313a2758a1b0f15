"""Policies and models of the user's own: objects, or `module:Class(parameter=value)` as text.

Text is parsed, never evaluated: an import path and literals. What it names is the user's own code,
and it is imported on the user's own word.
"""

import ast
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from bandstrap.errors import BandstrapError, InvalidInput, UnknownName
from bandstrap.models import Model
from bandstrap.policies.base import Policy
from bandstrap.printable import brief, lasting

OPTIONS: dict[type, str] = {Policy: "--policy", Model: "--model"}
EXAMPLE = "as in my_policies:Mine(rate=0.5)"
LONGEST = 1000  # characters of a text
VALUE = 40  # characters of a value in a name
_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_PATH = re.compile(rf"({_DOTTED}):({_DOTTED})\s*(\(.*\))?", re.DOTALL)


class Named(NamedTuple):
    """What a text names: a class or function of a module, and what to call it with."""

    module: str
    name: str
    given: dict[str, Any] | None  # None: no parentheses


def is_path(text: str) -> bool:
    """Whether a name on the command line is one of the user's own."""
    return ":" in text


def parsed(text: str, option: str = "--policy") -> Named:
    """The parts of a text, which is not run.

    >>> parsed("mine:Soft(temperature=0.3, arms=('a', 'b'))")
    Named(module='mine', name='Soft', given={'temperature': 0.3, 'arms': ('a', 'b')})
    """
    found = _PATH.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if found is None:
        raise InvalidInput(option, text, f"write module:Class, {EXAMPLE}")
    module, name, arguments = found.groups()
    return Named(module, name, None if arguments is None else _literals(arguments, text, option))


def _literals(arguments: str, text: str, option: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"_{arguments}", mode="eval").body
        return dict(_values(call))
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        why = lasting(error.msg if isinstance(error, SyntaxError) else str(error))
        remedy = f"give parameters by name, as numbers, text, lists and so on, {EXAMPLE} ({why})"
        raise InvalidInput(option, text, remedy) from error


def _values(call: ast.expr) -> Iterator[tuple[str, Any]]:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError("one pair of parentheses is enough")
    names = [each.arg for each in call.keywords]
    if call.args or None in names or len({*names}) < len(names):
        raise ValueError("each parameter goes by its name, once")
    for each in call.keywords:
        yield str(each.arg), ast.literal_eval(each.value)


def own_by_name(things: Sequence[Any] | Mapping[str, Any], kind: type) -> dict[str, Any]:
    """Each under its name; without one under that of its class and the parameters that a text
    gives, where a second one of a class is numbered.

    >>> [*own_by_name(["bandstrap:UCB1", "bandstrap:LinUCB(penalty=2.0)"], Policy)]
    ['ucb1', 'linucb(penalty=2.0)']
    """
    if isinstance(things, Mapping):
        return {name: made(thing, kind) for name, thing in things.items()}
    found: dict[str, Any] = {}
    for thing in things:
        one = made(thing, kind)
        given = (parsed(thing).given or {}) if isinstance(thing, str) else {}
        name = variant_name(type(one), given)
        count = 1 + sum(each == name or each.startswith(f"{name}-") for each in found)
        found[name if count == 1 else f"{name}-{count}"] = one
    return found


def variant_name(kind: type, given: Mapping[str, Any]) -> str:
    """The name of an object that differs from others of its class by these parameters.

    >>> variant_name(Model, {"rate": 0.5})
    'model(rate=0.5)'
    """
    shown = ", ".join(f"{name}={brief(repr(value), VALUE)}" for name, value in given.items())
    return f"{kind.__name__.lower()}({shown})" if given else kind.__name__.lower()


def made(thing: Any, kind: type) -> Any:
    """The policy or model that an object, a class, a function or a text stands for."""
    option = OPTIONS[kind]
    if not isinstance(thing, str):
        return instance(thing, kind, option, thing)
    named = parsed(thing, option)
    return instance(imported(named, thing, option), kind, option, thing, named.given)


def imported(named: Named, text: str, option: str) -> Any:
    """What a text names, also from the current folder."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = import_module(named.module)
    except ModuleNotFoundError as error:
        absent = error.name or named.module
        where = "here or among installed packages"
        why = f"there is no module {absent!r} {where}: go to its folder, or set PYTHONPATH"
        raise InvalidInput(option, text, why) from error
    except Exception as error:  # the user's code may raise anything
        raise failed(option, text, error, "its module cannot be imported: correct it") from error
    for part in named.name.split("."):
        if not hasattr(found, part):
            names = [each for each in vars(found) if not each.startswith("_")]
            why = str(UnknownName("name", part, names))
            raise InvalidInput(option, text, f"{named.module} has no {part}; {why}")
        found = getattr(found, part)
    return found


def instance(
    thing: Any, kind: type, parameter: str, value: Any, given: Mapping[str, Any] | None = None
) -> Any:
    """A policy or model, or what a class or function returns for the given parameters."""
    if isinstance(thing, kind) and given is None:
        return thing
    if given and not callable(thing):
        raise InvalidInput(parameter, value, "it is an object: leave the parentheses out")
    try:
        one = thing(**(given or {})) if callable(thing) else thing
    except BandstrapError as error:
        if given is None:
            raise
        raise InvalidInput(parameter, value, str(error)) from error
    except Exception as error:  # the user's code may raise anything
        remedy = "give what it needs in parentheses, or name a function that returns an object"
        raise failed(parameter, value, error, remedy) from error
    if not isinstance(one, kind):
        got = getattr(one, "__name__", type(one).__name__)
        remedy = f"give a {kind.__name__}, or what returns one; {got} is none"
        raise InvalidInput(parameter, value, remedy)
    return one


def failed(parameter: str, value: Any, error: Exception, remedy: str) -> InvalidInput:
    """For what the user's or another package's code raises."""
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return InvalidInput(parameter, value, f"cannot be made ({reason}): {remedy}")
