"""How to choose: one policy per file, and a name for each that takes no further thought."""

from bandstrap.policies.base import Policy
from bandstrap.policies.contextual.auto import Auto
from bandstrap.policies.contextual.bootstrap import ContextualBootstrap
from bandstrap.policies.contextual.epoch_greedy import (
    ConstantEpochs,
    EpochGreedy,
    GrowingEpochs,
)
from bandstrap.policies.contextual.gaps.falcon import FALCON
from bandstrap.policies.contextual.gaps.regcb import RegCB
from bandstrap.policies.contextual.gaps.squarecb import SquareCB
from bandstrap.policies.contextual.gaps.weighting import Gamma
from bandstrap.policies.contextual.glm.evill import EVILL
from bandstrap.policies.contextual.glm.glm_ucb import GLMUCB, GuaranteedBonus, LogBonus
from bandstrap.policies.contextual.glm.gloc import GLOC, FixedRadius, OnlineToConfidence
from bandstrap.policies.contextual.glm.laplace_thompson import LaplaceThompson
from bandstrap.policies.contextual.glm.ucb_glm import UCBGLM, LikelihoodEllipsoid
from bandstrap.policies.contextual.greedy import ContextualEpsilonGreedy
from bandstrap.policies.contextual.lin.reboot import LinReBoot
from bandstrap.policies.contextual.lin.thompson import FixedSpread, LinThompson, PublishedSpread
from bandstrap.policies.contextual.lin.ucb import ConfidenceEllipsoid, FixedWidth, LinUCB
from bandstrap.policies.contextual.network.langevin import Langevin
from bandstrap.policies.contextual.network.neural_linear import NeuralLinear, NoisePrior
from bandstrap.policies.contextual.online_cover import OnlineCover
from bandstrap.policies.contextual.online_ensemble import OnlineEnsemble
from bandstrap.policies.contextual.shared_bootstrap import SharedBootstrap
from bandstrap.policies.contextual.tree_heuristic import TreeHeuristic
from bandstrap.policies.default import Default
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
from bandstrap.policies.rewards.online_bootstrap import OnlineBootstrap
from bandstrap.policies.rewards.perturbed_history import PerturbedHistory
from bandstrap.policies.rewards.reboot import ReBoot
from bandstrap.policies.rewards.ucb.bootstrapped_ucb import (
    BootstrappedUCB,
    PracticalCorrection,
    PublishedCorrection,
)
from bandstrap.policies.rewards.ucb.kl_ucb import KLUCB
from bandstrap.policies.rewards.ucb.ucb1 import UCB1
from bandstrap.policies.scaled_rewards import ScaledRewards
from bandstrap.policies.schedules import Constant, Decay
from bandstrap.policies.state import State

__all__ = [
    "BESA",
    "EVILL",
    "FALCON",
    "GLMUCB",
    "GLOC",
    "KLUCB",
    "POLICIES",
    "UCB1",
    "UCBGLM",
    "ArtificialHistory",
    "Auto",
    "BetaThompson",
    "BinomialBootstrap",
    "Bootstrap",
    "BootstrappedThompson",
    "BootstrappedUCB",
    "ConfidenceEllipsoid",
    "Constant",
    "ConstantEpochs",
    "ContextualBootstrap",
    "ContextualEpsilonGreedy",
    "Decay",
    "Default",
    "DirichletThompson",
    "EpochGreedy",
    "EpsilonGreedy",
    "FixedRadius",
    "FixedSpread",
    "FixedWidth",
    "ForcedPulls",
    "Gamma",
    "GaussianThompson",
    "Giro",
    "GrowingEpochs",
    "GuaranteedBonus",
    "Langevin",
    "LaplaceThompson",
    "LikelihoodEllipsoid",
    "LinReBoot",
    "LinThompson",
    "LinUCB",
    "LogBonus",
    "NeuralLinear",
    "NoisePrior",
    "OnlineBootstrap",
    "OnlineCover",
    "OnlineEnsemble",
    "OnlineToConfidence",
    "PerturbedHistory",
    "Policy",
    "PracticalCorrection",
    "PublishedCorrection",
    "PublishedSpread",
    "ReBoot",
    "RegCB",
    "ScaledRewards",
    "SharedBootstrap",
    "SquareCB",
    "State",
    "TreeHeuristic",
    "UniformRewards",
]
