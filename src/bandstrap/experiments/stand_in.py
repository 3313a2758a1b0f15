"""Digits in place of the paper's data: in quick runs, and in short ones that cannot get it."""

import warnings
from functools import cache

from bandstrap.environments import Labelled
from bandstrap.errors import UnreachableData
from bandstrap.experiments.base import RunSize, Settings

STAND_IN = "digits"


def world_of(dataset: str, settings: Settings) -> Labelled:
    """The data set that is played for one of the paper's; at full size no other will do."""
    name = settings.at(full=dataset, quick=STAND_IN)
    return Labelled(STAND_IN if settings.size is RunSize.SHORT and not _reachable(name) else name)


def titled(title: str, played: str, dataset: str) -> str:
    """The title, which says so if other data was played.

    >>> titled("Reward on MNIST", "digits", "mnist")
    'Reward on MNIST (played on digits in its place)'
    """
    return title if played == dataset else f"{title} (played on {played} in its place)"


@cache
def _reachable(dataset: str) -> bool:
    """Tried once: it takes a while to find that there is no network."""
    try:
        assert Labelled(dataset).data
    except UnreachableData as error:
        warnings.warn(f"{STAND_IN} stand in for {dataset}: {error}", stacklevel=2)
        return False
    return True
