"""How to choose: one policy per file, and a name for each that takes no further thought."""

from bandstrap.policies.base import Policy
from bandstrap.policies.contextual.bootstrap import ContextualBootstrap
from bandstrap.policies.contextual.glm_ucb import GLMUCB, GuaranteedBonus, LogBonus
from bandstrap.policies.contextual.greedy import ContextualEpsilonGreedy
from bandstrap.policies.contextual.langevin import Langevin
from bandstrap.policies.contextual.laplace_thompson import LaplaceThompson
from bandstrap.policies.contextual.lin_thompson import FixedSpread, LinThompson, PublishedSpread
from bandstrap.policies.contextual.lin_ucb import ConfidenceEllipsoid, FixedWidth, LinUCB
from bandstrap.policies.contextual.online_ensemble import OnlineEnsemble
from bandstrap.policies.contextual.shared_bootstrap import SharedBootstrap
from bandstrap.policies.contextual.tree_heuristic import TreeHeuristic
from bandstrap.policies.forced_pulls import ForcedPulls
from bandstrap.policies.registry import POLICIES
from bandstrap.policies.rewards.besa import BESA
from bandstrap.policies.rewards.beta_thompson import BetaThompson
from bandstrap.policies.rewards.binomial_bootstrap import BinomialBootstrap
from bandstrap.policies.rewards.bootstrap import Bootstrap
from bandstrap.policies.rewards.bootstrapped_thompson import (
    ArtificialHistory,
    BootstrappedThompson,
    UniformRewards,
)
from bandstrap.policies.rewards.dirichlet_thompson import DirichletThompson
from bandstrap.policies.rewards.epsilon_greedy import EpsilonGreedy
from bandstrap.policies.rewards.gaussian_thompson import GaussianThompson
from bandstrap.policies.rewards.giro import Giro
from bandstrap.policies.rewards.kl_ucb import KLUCB
from bandstrap.policies.rewards.online_bootstrap import OnlineBootstrap
from bandstrap.policies.rewards.perturbed_history import PerturbedHistory
from bandstrap.policies.rewards.ucb1 import UCB1
from bandstrap.policies.schedules import Constant, Decay
from bandstrap.policies.state import State

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
