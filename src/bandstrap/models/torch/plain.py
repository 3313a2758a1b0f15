"""Tensors as arrays and back, in dicts, lists and tuples: what is saved of them."""

from collections.abc import Callable
from typing import Any


def plain(thing: Any) -> Any:
    """Tensors as arrays that share their memory."""
    return _mapped(thing, lambda item: item.detach().numpy() if hasattr(item, "detach") else item)


def tensors(thing: Any) -> Any:
    """Arrays as tensors of their own."""
    import torch

    return _mapped(thing, lambda item: torch.tensor(item) if hasattr(item, "dtype") else item)


def _mapped(thing: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(thing, dict):
        return {key: _mapped(value, change) for key, value in thing.items()}
    if type(thing) in (list, tuple):
        return type(thing)(_mapped(item, change) for item in thing)
    return change(thing)
