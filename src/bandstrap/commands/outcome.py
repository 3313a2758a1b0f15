"""What a command found, for a person or for a program."""

import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console, RenderableType


class Outcome(Protocol):
    """The result of a command, in both ways in which it can be shown."""

    def as_dict(self) -> Mapping[str, object]:
        """The result as JSON has it."""

    def __rich__(self) -> RenderableType:
        """The result as a terminal shows it."""


def show(outcome: Outcome, as_json: bool) -> None:
    """Print the result, and nothing else, on standard output."""
    if as_json:
        print(json.dumps(_plain(outcome.as_dict()), indent=2, allow_nan=False))
    else:
        Console().print(outcome, crop=False)


def _plain(value: Any) -> Any:
    """The value as JSON can say it: numbers that it does not know are null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, str | Path):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy's
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
