"""Bootstrapped heads on a network: replicas that share all but their last layer."""

from dataclasses import dataclass, field

from bandstrap.errors import InvalidInput
from bandstrap.models.base import Learner, Model
from bandstrap.models.network.checks import MOST_HEADS, check_count, check_spread
from bandstrap.models.network.heads import Headed, ManyHeads
from bandstrap.models.network.shared import SharedNetwork
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import Of, Schema


@dataclass(frozen=True)
class NetworkHeads(Model):
    """A `SharedNetwork`, or `Budgeted` ones, with several outputs for each arm, each a replica.

    Each head weighs each reward once, by a draw of its own, and keeps that weight for good; a
    decision asks one head, picked at random, for each arm. Fresh weights on a small batch hardly
    move a network; heads stay apart by as much as their weights make them. The heads' weights
    for a reward are drawn together: `Multinomial` deals as many copies as there are heads. An
    approximation of the bootstrap by a fixed number of replicas. Their last layers start `spread`
    times as wide as Glorot's, so that heads disagree where there are no data yet: with narrow
    starts and no pseudo-examples they agree too soon, and arms are given up untried.

    >>> import numpy as np
    >>> from bandstrap import ContextualBootstrap, Exponential, NoExamples
    >>> model = NetworkHeads(SharedNetwork(hidden=8), heads=4)
    >>> policy = ContextualBootstrap(Exponential(), model, NoExamples())
    >>> state = policy.start(Problem(n_arms=2, n_features=3))
    >>> policy.select(state, np.ones((1, 3)), np.random.default_rng(0)).shape
    (1,)
    """

    network: Headed = field(default_factory=SharedNetwork)
    heads: int = 10
    spread: float = 3.0

    schema = Schema(network=Of(Model))

    def __post_init__(self) -> None:
        if not hasattr(self.network, "headed"):
            remedy = "give a network that can have several heads: SharedNetwork() or Budgeted()"
            raise InvalidInput("network", self.network, remedy)
        check_count("heads", self.heads, MOST_HEADS)
        check_spread(self.spread)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return self.network.headed(problem, prior, ManyHeads(resampling, self.heads, self.spread))
