"""A named policy: one entry, from which lists, line-ups, pages and tests are made."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bandstrap.policies.base import Policy

THE_PAPER = "Vaswani et al. (2018)"
OURS = "ours"

# Rewards that a policy takes.
ANY, BOUNDED, UNIT, CATEGORIES = "any", "bounded", "in [0, 1]", "a few known values"
# What a policy may be unable to do; it says so when it is asked to.
CHANGE_ARMS, FORGET, TAKE_FRACTIONS = "change its arms", "forget by age", "take fractional weights"
# When `compare` tries a policy that nobody asked for.
USUALLY, QUICKLY, WIDELY = "usually", "in a quick run too", "on wide contexts too"


@dataclass(frozen=True)
class Entry:
    """A named policy and what is known about it.

    `family` says how it explores (wb, npb, ts, ucb, eg …) and `model` what it fits to contexts:
    linear, logistic, network, tree, several, or nothing. `variant` is how it differs from the
    policy that the paper plays with this family and model; that one has none. In `cost`, n is the
    number of rewards seen and d the number of features.
    """

    name: str
    make: Callable[..., Policy[Any]]  # takes a prior if the policy is contextual, else nothing
    family: str
    model: str
    paper: str  # as docs/papers.md cites it
    sentence: str
    exact: str  # "exact", or the approximation
    cost: str  # how a decision's cost grows
    contextual: bool = False
    variant: str = ""
    joins: str = ""  # what `compare --models` calls the model that the family is joined with
    note: str = ""  # where it is exact, and what in it is our choice: for docs/papers.md
    formerly: tuple[str, ...] = ()  # its former names, oldest first
    rewards: str = ANY  # or BOUNDED, UNIT, CATEGORIES
    exact_probabilities: bool = False  # of arms, of 0/1 rewards at least; otherwise draws tell
    learns_at_random: bool = False  # so that no two that learnt the same are equal
    draws_train: bool = False  # also after `settle`: what is drawn depends on earlier draws
    cannot: tuple[str, ...] = ()  # CHANGE_ARMS, FORGET, TAKE_FRACTIONS
    compared: tuple[str, ...] = ()  # USUALLY, QUICKLY, WIDELY

    @property
    def stream(self) -> str:
        """The name that seeds its runs: it stays when the policy is renamed."""
        return self.formerly[0] if self.formerly else self.name

    def facts(self) -> dict[str, str]:
        """What `bandstrap list` says about it."""
        shown = ("paper", "exact", "cost", "family", "model")
        return {"what": self.sentence} | {fact: getattr(self, fact) for fact in shown}
