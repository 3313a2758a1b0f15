"""How to choose: one policy per file, and a name for each that takes no further thought."""

from collections.abc import Callable
from typing import Any

from bandstrap.policies.artificial import ArtificialHistory, UniformRewards
from bandstrap.policies.base import Policy
from bandstrap.policies.besa import BESA
from bandstrap.policies.beta_thompson import BetaThompson
from bandstrap.policies.binomial_bootstrap import BinomialBootstrap
from bandstrap.policies.bootstrap import Bootstrap
from bandstrap.policies.bootstrapped_thompson import BootstrappedThompson
from bandstrap.policies.contextual_bootstrap import ContextualBootstrap
from bandstrap.policies.contextual_greedy import ContextualEpsilonGreedy
from bandstrap.policies.dirichlet_thompson import DirichletThompson
from bandstrap.policies.epsilon_greedy import EpsilonGreedy
from bandstrap.policies.forced_pulls import ForcedPulls
from bandstrap.policies.gaussian_thompson import GaussianThompson
from bandstrap.policies.giro import Giro
from bandstrap.policies.glm_ucb import GLMUCB, GuaranteedBonus, LogBonus
from bandstrap.policies.kl_ucb import KLUCB
from bandstrap.policies.langevin import Langevin
from bandstrap.policies.laplace_thompson import LaplaceThompson
from bandstrap.policies.lin_thompson import FixedSpread, LinThompson, PublishedSpread
from bandstrap.policies.lin_ucb import ConfidenceEllipsoid, FixedWidth, LinUCB
from bandstrap.policies.online_bootstrap import OnlineBootstrap
from bandstrap.policies.online_ensemble import OnlineEnsemble
from bandstrap.policies.perturbed_history import PerturbedHistory
from bandstrap.policies.schedules import Constant, Decay
from bandstrap.policies.shared_bootstrap import SharedBootstrap
from bandstrap.policies.state import State
from bandstrap.policies.tree_heuristic import TreeHeuristic
from bandstrap.policies.ucb1 import UCB1
from bandstrap.priors import PseudoRewards
from bandstrap.resampling import (
    DoubleOrNothing,
    Exponential,
    GaussianNoise,
    Multinomial,
    NoResampling,
    Poisson,
)

POLICIES: dict[str, Callable[[], Policy[Any]]] = {
    "wb": lambda: Bootstrap(Exponential()),
    "npb": lambda: Bootstrap(Multinomial()),
    "npb-binomial": BinomialBootstrap,
    "wb-additive": lambda: Bootstrap(GaussianNoise(), PseudoRewards(0, 0)),
    "wb-poisson": lambda: Bootstrap(Poisson()),
    "wb-double": lambda: Bootstrap(DoubleOrNothing()),
    "greedy": lambda: Bootstrap(NoResampling()),
    "npts": lambda: Bootstrap(Exponential(), PseudoRewards(ones=1, zeros=0)),
    "ts": BetaThompson,
    "ts-dirichlet": DirichletThompson,
    "ts-gaussian": GaussianThompson,
    "npb-forced": lambda: ForcedPulls(30),
    "eg": EpsilonGreedy,
    "ucb1": UCB1,
    "kl-ucb": KLUCB,
    "besa": BESA,
    "online-bootstrap": OnlineBootstrap,
    "bts": BootstrappedThompson,
    "giro": Giro,
    "phe": PerturbedHistory,
}

__all__ = [
    "BESA",
    "GLMUCB",
    "KLUCB",
    "POLICIES",
    "UCB1",
    "ArtificialHistory",
    "BetaThompson",
    "BinomialBootstrap",
    "Bootstrap",
    "BootstrappedThompson",
    "ConfidenceEllipsoid",
    "Constant",
    "ContextualBootstrap",
    "ContextualEpsilonGreedy",
    "Decay",
    "DirichletThompson",
    "EpsilonGreedy",
    "FixedSpread",
    "FixedWidth",
    "ForcedPulls",
    "GaussianThompson",
    "Giro",
    "GuaranteedBonus",
    "Langevin",
    "LaplaceThompson",
    "LinThompson",
    "LinUCB",
    "LogBonus",
    "OnlineBootstrap",
    "OnlineEnsemble",
    "PerturbedHistory",
    "Policy",
    "PublishedSpread",
    "SharedBootstrap",
    "State",
    "TreeHeuristic",
    "UniformRewards",
]
