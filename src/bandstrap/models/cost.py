"""Warnings of what refits to pseudo-examples will cost, before anybody waits for them."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from time import perf_counter

import numpy as np

from bandstrap.arrays import Rng
from bandstrap.priors import PseudoExamples

MANY = 200  # pseudo-examples of an arm that are worth a measurement
FEW = 8  # pseudo-examples to fit to first, which may compile something
SLOW = 1e-3  # seconds; less is not worth a warning
TOLD: set[tuple[str, int, int, int]] = set()  # warnings given in this process
# Which draw makes all fits, and what that means for the others.
EVERY = "every draw", "a round takes one draw, a decision of a Bandit many (see Propensity)"
FIRST = "the first draw", "later ones do so again as its `refit` says"
SILENT = ContextVar("SILENT", default=False)


class CostWarning(UserWarning):
    """A decision takes long because a model is fit to many pseudo-examples."""


@contextmanager
def no_cost_warnings() -> Iterator[None]:
    """No warnings in the block: the process that started the work gives them."""
    token = SILENT.set(True)
    try:
        yield
    finally:
        SILENT.reset(token)


def unused() -> Rng:
    """Random numbers that no decision uses."""
    return np.random.default_rng(0)


def warn_of_cost(
    model: str,
    fit: Callable[[int], object],
    pseudo: PseudoExamples,
    fits: int,
    schedule: tuple[str, str] = EVERY,
) -> None:
    """Warn once of the cost of `fits` fits to all pseudo-examples; `fit(n)` fits to the first n."""
    known = (model, *pseudo.contexts.shape, fits)
    if pseudo.count < MANY or SILENT.get() or known in TOLD:
        return
    TOLD.add(known)
    seconds = fits * _measured(fit, pseudo.count)
    if seconds < SLOW:
        return
    when, then = schedule
    warnings.warn(
        f"{model}: {when} makes {fits:,} fits, each to {pseudo.count:,} pseudo-examples of "
        f"{pseudo.contexts.shape[1]:,} numbers and to what was learnt: at first about "
        f"{_said(seconds)} on this machine; {then}. Use NoExamples() or SeenExamples() as the "
        "prior, or fewer columns",
        CostWarning,
        stacklevel=2,
    )


def _measured(fit: Callable[[int], object], count: int) -> float:
    """Seconds of one fit; 0 if it fails, which the first decision will report."""
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        fit(FEW)
        started = perf_counter()
        fit(count)
        return perf_counter() - started
    return 0.0


def _said(seconds: float) -> str:
    """A time in words.

    >>> _said(0.0123), _said(7.26), _said(200.0)
    ('12 ms', '7.3 s', '3.3 minutes')
    """
    number, unit = (seconds, "s") if seconds >= 1 else (1e3 * seconds, "ms")
    if seconds >= 100:
        number, unit = seconds / 60, "minutes"
    return f"{number:,.{1 if number < 10 else 0}f} {unit}"
