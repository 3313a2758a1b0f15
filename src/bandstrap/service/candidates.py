"""A policy as the configuration gives it: its name, or a table with its parameters."""

import json
from collections.abc import Mapping
from typing import Any

from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.policies.registry import REGISTRY

__all__ = ["Told", "chosen", "draws_train", "named"]

Told = str | Mapping[str, Any]
REMEDY = 'give the name of a policy, or {policy = "…", parameters = {…}}'
FIELDS = ("policy", "parameters")


def chosen(told: Told | None) -> tuple[str | None, Mapping[str, Any]]:
    """The policy and its parameters.

    >>> chosen("ts"), chosen({"policy": "wb-lin", "parameters": {}})
    (('ts', {}), ('wb-lin', {}))
    """
    if told is None or isinstance(told, str):
        return told, {}
    if not isinstance(told, Mapping) or not isinstance(told.get("policy"), str):
        raise InvalidInput("candidates", told, REMEDY)
    for field in told:
        if field not in FIELDS:
            raise UnknownName("setting of candidates", field, FIELDS)
    parameters = told.get("parameters", {})
    if not isinstance(parameters, Mapping):
        raise InvalidInput("parameters", parameters, REMEDY)
    try:
        json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:  # the journal has to hold them
        remedy = f"give finite numbers, text, true or false ({error})"
        raise InvalidInput("parameters", parameters, remedy) from error
    return told["policy"], parameters


def named(told: Told | None) -> str | None:
    """A policy in a word, with its parameters if it has any.

    >>> named({"policy": "wb", "parameters": {"scale": 2}})
    'wb(scale=2)'
    """
    policy, parameters = chosen(told)
    given = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return f"{policy}({given})" if given else policy


def draws_train(told: Told | None) -> bool:
    """Whether a policy may train as it draws: the default one may, and so may one of the user's
    own, of which nothing is known.
    """
    policy, _ = chosen(told)
    return policy is None or policy not in REGISTRY or REGISTRY[policy].draws_train
