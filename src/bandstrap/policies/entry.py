"""What is known of a policy that has a name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bandstrap.policies.base import Policy

THE_PAPER = "Vaswani et al. (2018)"
OURS = "ours"


@dataclass(frozen=True)
class Entry:
    """A named policy, and what it is.

    `family` says how it explores (wb, npb, ts, ucb, eg …) and `model` what it fits to contexts:
    linear, logistic, network, tree, or nothing. `variant` is what sets it apart from the policy
    that the paper plays with this family and model, and is empty for that one. In `cost`, n is
    the number of rewards seen and d the number of features.
    """

    name: str
    make: Callable[..., Policy[Any]]  # takes a prior if the policy is contextual, else nothing
    family: str
    model: str
    paper: str  # a key of docs/papers.md
    sentence: str
    exact: str  # "exact", or the approximation
    cost: str  # how a decision's cost grows
    contextual: bool = False
    variant: str = ""
    joins: str = ""  # what `compare --models` calls the model that the family is joined with
    formerly: tuple[str, ...] = ()  # names that it had, the first one first

    @property
    def stream(self) -> str:
        """The name that seeds its runs: it stays when the policy is renamed."""
        return self.formerly[0] if self.formerly else self.name

    def facts(self) -> dict[str, str]:
        """What `bandstrap list` says of it."""
        return {
            "what": self.sentence,
            "paper": self.paper,
            "exact": self.exact,
            "cost": self.cost,
            "family": self.family,
            "model": self.model,
        }
