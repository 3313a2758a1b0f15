"""Which contexts an experiment takes: those that its configuration declares."""

from collections.abc import Callable, Mapping
from typing import Any

from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.validation import is_finite, is_whole

__all__ = ["Declared", "check_context", "check_declared", "example"]

Declared = Mapping[str, str] | int | None
WIDEST = 1000  # numbers or fields of a context that nobody has declared
MOST = 100_000  # that may be declared
SHOWN = 5  # numbers of an example
EXAMPLES: dict[str, Any] = {"number": 1.5, "text": "a", "flag": True}


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and is_finite(value)


IS: dict[str, Callable[[Any], bool]] = {
    "number": _is_number,
    "text": lambda value: isinstance(value, str),
    "flag": lambda value: isinstance(value, bool),
}


def check_declared(declared: Any) -> None:
    """Refuse what declares no contexts."""
    if declared is None or (is_whole(declared) and 0 <= declared <= MOST):
        return
    if not isinstance(declared, Mapping) or not 0 < len(declared) <= MOST:
        remedy = 'give names and kinds, {age = "number", city = "text"}, or how many numbers'
        raise InvalidInput("context", declared, remedy)
    for kind in declared.values():
        if kind not in [*IS]:
            raise UnknownName("kind of context", kind, IS)


def check_context(declared: Declared, context: Any) -> None:
    """Refuse any context but those that are declared; if none are, what is too wide.

    >>> check_context({"age": "number", "city": "text"}, {"city": "Oslo", "age": 31})
    >>> check_context(2, [0.5, 1.0])
    """
    if declared is None:
        _check_width(context)
    elif isinstance(declared, Mapping):
        _check_fields(declared, context)
    else:
        _check_numbers(declared, context)


def example(declared: Declared) -> Any:
    """A context as it is declared; None if there is none.

    >>> example({"age": "number", "city": "text"})
    {'age': 1.5, 'city': 'a'}
    """
    if isinstance(declared, Mapping):
        return {name: EXAMPLES[kind] for name, kind in declared.items()}
    return [EXAMPLES["number"]] * declared if declared else None


def _check_width(context: Any) -> None:
    if context is None:
        return
    if len(context) > WIDEST:
        remedy = f"{WIDEST} are the most, unless app.toml declares the experiment's context"
        raise InvalidInput("context", f"{len(context)} numbers", remedy)
    values = context.values() if isinstance(context, Mapping) else context
    for value in values:
        if not isinstance(value, str) and value is not None and not is_finite(value):
            raise InvalidInput("context", value, "give finite numbers, text, true or false")


def _check_fields(declared: Mapping[str, str], context: Any) -> None:
    if not isinstance(context, Mapping) or context.keys() != declared.keys():
        given = [*context] if isinstance(context, Mapping) else context
        raise InvalidInput("context", given, f"give {', '.join(declared)}, as app.toml declares")
    for name, kind in declared.items():
        if not IS[kind](context[name]):
            remedy = f"app.toml declares a {kind}"
            raise InvalidInput(f"context.{name}", context[name], remedy)


def _check_numbers(declared: int, context: Any) -> None:
    if not declared:
        if context is not None:
            raise InvalidInput("context", context, "leave it out: app.toml declares none")
        return
    if not isinstance(context, list | tuple) or len(context) != declared:
        raise InvalidInput("context", context, f"give {declared} numbers, as app.toml declares")
    for value in context:
        if not _is_number(value):
            raise InvalidInput("context", value, "give finite numbers")
