"""Classes that snapshots may name in addition to our own: those that the configuration names."""

from importlib import import_module
from typing import Any

from bandstrap.errors import InvalidInput
from bandstrap.policies.base import Policy
from bandstrap.policies.own import is_path, made, parsed
from bandstrap.service.candidates import chosen
from bandstrap.service.config import ServiceConfig


def trusted_classes(config: ServiceConfig) -> list[Any]:
    """Those of policies that are named by import paths, and of `trusted`."""
    policies = {
        text
        for each in config.experiments.values()
        for text, _ in map(chosen, (each.policy, *each.candidates.values()))
        if text is not None and is_path(text)
    }
    makers = [type(made(text, Policy)) for text in sorted(policies)]  # a function may make them
    return [*makers, *map(_imported, config.trusted)]


def _imported(text: str) -> Any:
    module, name, _ = parsed(text, "trusted")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise InvalidInput("trusted", text, "there is no such class")
    return found
