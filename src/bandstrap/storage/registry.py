"""The classes that a file may name, by their names in files.

A class belongs here if its objects are part of what is saved, declares its fields (see
`storage.schema`), and does nothing when it is made but check them. No class here starts processes,
reads paths or the network. Modules are imported only when a file names a class of theirs.
"""

from functools import cache
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T", bound=type)

# By module, as files name it.
CLASSES: dict[str, str] = {
    "bandstrap.bandit.arm_features": "ArmFeatures",
    "bandstrap.bandit.arms": "Arms",
    "bandstrap.bandit.bandit": "Bandit",
    "bandstrap.bandit.contexts": "Contexts",
    "bandstrap.bandit.forgetting": "HalfLife NoForgetting Window",
    "bandstrap.bandit.lockin": "Watchman",
    "bandstrap.bandit.memory": "Fading Memory Paned Rhythm",
    "bandstrap.bandit.pending": "Expiry Pending Waiting",
    "bandstrap.bandit.propensity": "Propensity",
    "bandstrap.columns.columns": "Columns",
    "bandstrap.environments.labelled": "Rows",
    "bandstrap.environments.own_table": "PaidRows",
    "bandstrap.environments.stationary": "Arms",
    "bandstrap.fractions": "FractionalRewards",
    "bandstrap.history": "RewardHistory",
    "bandstrap.kernels.direct": "Fractions",
    "bandstrap.kernels.history": "History",
    "bandstrap.models.budget": "Budgeted BudgetedLearner",
    "bandstrap.models.convex_arm": "ConvexArm",
    "bandstrap.models.convex_arms": "ConvexArms",
    "bandstrap.models.convex_draw": "ConvexDraw",
    "bandstrap.models.convex_examples": "ConvexExamples",
    "bandstrap.models.convex_learner": "ConvexLearner",
    "bandstrap.models.eigen": "Eigenbasis",
    "bandstrap.models.ellipsoid": "Ellipsoids",
    "bandstrap.models.estimator": "EstimatorModel",
    "bandstrap.models.estimator_ensemble": "EnsembleLearner Renewal",
    "bandstrap.models.estimator_fit": "Fitter",
    "bandstrap.models.estimator_fresh": "FreshLearner",
    "bandstrap.models.estimator_learner": "Moment",
    "bandstrap.models.estimator_online": "Mark OnlineLearner",
    "bandstrap.models.features": "Rows",
    "bandstrap.models.gaussian_limit": "GaussianLimit GaussianLimitLearner",
    "bandstrap.models.grouped": "Grouped GroupedLearner",
    "bandstrap.models.heads": "FreshDraws KeptDraws ManyHeads OneHead",
    "bandstrap.models.importance": "Importance",
    "bandstrap.models.linear": "LinearRegression",
    "bandstrap.models.logistic": "LogisticRegression",
    "bandstrap.models.network": "NeuralNetwork",
    "bandstrap.models.network_heads": "NetworkHeads",
    "bandstrap.models.network_langevin": "LangevinNetwork Wander",
    "bandstrap.models.network_layers": "Layers",
    "bandstrap.models.network_optimiser": "Adam",
    "bandstrap.models.network_replay": "Replay",
    "bandstrap.models.network_scale": "RunningScale",
    "bandstrap.models.network_shared": "SharedLearner SharedNetwork",
    "bandstrap.models.noisy": "NoisyLearner",
    "bandstrap.models.one_step": "OneStep OneStepLearner",
    "bandstrap.models.refit": "RefitLearner",
    "bandstrap.models.refits": "Every EveryRound Growth Online",
    "bandstrap.models.replicas": "OnlineLinear OnlineLogistic ReplicaLearner Replicas",
    "bandstrap.models.shared_replicas": "SharedReplicas",
    "bandstrap.models.stochastic": "StochasticLinearRegression StochasticLogisticRegression",
    "bandstrap.models.stochastic_learner": "StochasticLearner",
    "bandstrap.models.torch_examples": "TorchExamples",
    "bandstrap.models.torch_learner": "TorchLearner",
    "bandstrap.models.torch_model": "Bound TorchModel adam",
    "bandstrap.models.torch_modules": "Sizes",
    "bandstrap.models.tree": "DecisionTree Tree",
    "bandstrap.policies.artificial": "UniformRewards",
    "bandstrap.policies.besa": "BESA",
    "bandstrap.policies.beta_thompson": "BetaThompson",
    "bandstrap.policies.binomial_bootstrap": "BinomialBootstrap",
    "bandstrap.policies.bootstrap": "Bootstrap BootstrapState FadingState",
    "bandstrap.policies.bootstrapped_thompson": "BootstrappedThompson",
    "bandstrap.policies.contextual.epoch_greedy": (
        "ConstantEpochs EpochGreedy EpochState GrowingEpochs"
    ),
    "bandstrap.policies.contextual.glm.gloc": "FixedRadius GLOC GLOCLearner OnlineToConfidence",
    "bandstrap.policies.contextual.glm.ucb_glm": "LikelihoodEllipsoid UCBGLM UCBGLMLearner",
    "bandstrap.policies.contextual.online_cover": "OnlineCover OnlineCoverLearner",
    "bandstrap.policies.contextual_bootstrap": "ContextualBootstrap",
    "bandstrap.policies.contextual_greedy": "ContextualEpsilonGreedy",
    "bandstrap.policies.dirichlet_thompson": "DirichletThompson",
    "bandstrap.policies.epsilon_greedy": "EpsilonGreedy",
    "bandstrap.policies.forced_pulls": "ForcedPulls ForcedState",
    "bandstrap.policies.gaussian_thompson": "GaussianThompson MeanState",
    "bandstrap.policies.giro": "Giro GiroState",
    "bandstrap.policies.glm_ucb": "GLMUCB GLMUCBLearner GuaranteedBonus LogBonus",
    "bandstrap.policies.kl_ucb": "KLUCB",
    "bandstrap.policies.langevin": "Langevin",
    "bandstrap.policies.laplace_thompson": "LaplaceLearner LaplaceThompson",
    "bandstrap.policies.learners": "LearnerState",
    "bandstrap.policies.contextual.lin_reboot": "LinReBoot LinReBootLearner",
    "bandstrap.policies.lin_thompson": "FixedSpread LinThompson LinThompsonLearner PublishedSpread",
    "bandstrap.policies.lin_ucb": "ConfidenceEllipsoid FixedWidth LinUCB LinUCBLearner",
    "bandstrap.policies.online_bootstrap": "OnlineBootstrap ReplicateState",
    "bandstrap.policies.online_ensemble": "OnlineEnsemble",
    "bandstrap.policies.perturbed_history": "PerturbedHistory",
    "bandstrap.policies.schedules": "Constant Decay",
    "bandstrap.policies.shared_bootstrap": "SharedBootstrap SharedState",
    "bandstrap.policies.tree_heuristic": "TreeHeuristic TreeLearner",
    "bandstrap.policies.ucb1": "UCB1",
    "bandstrap.priors.eigen_examples": "AxisExamples EigenExamples EstimatedExamples",
    "bandstrap.priors.gaussian_examples": "GaussianExamples",
    "bandstrap.priors.pseudo_examples": "NoExamples PseudoExamples",
    "bandstrap.priors.pseudo_rewards": "PseudoRewards PseudoRewardsAt",
    "bandstrap.priors.seen_examples": "Reservoir SeenExamples",
    "bandstrap.problem": "Problem Support",
    "bandstrap.resampling.double_or_nothing": "DoubleOrNothing",
    "bandstrap.resampling.exponential": "Exponential",
    "bandstrap.resampling.gaussian_noise": "GaussianNoise",
    "bandstrap.resampling.multinomial": "Multinomial",
    "bandstrap.resampling.none": "NoResampling",
    "bandstrap.resampling.poisson": "Poisson",
    "bandstrap.simulation.batch": "BatchResult Play",
}


# Folders that modules went into since files named them: what stood before the names of modules in
# files, the folder, and the names.
_FOLDERS = [
    ("kernels.", "kernels.lazy", "direct history"),
    ("models.", "models.online", "replicas stochastic"),
    ("models.convex_", "models.convex", "arm draw examples learner"),
    ("models.estimator_", "models.sklearn", "fit learner online"),
    ("models.network_", "models.network", "layers replay shared"),
    ("models.torch_", "models.torch", "examples learner model modules"),
    ("policies.", "policies.contextual",
     "learners online_ensemble shared_bootstrap tree_heuristic"),
    ("policies.", "policies.contextual.glm", "glm_ucb laplace_thompson"),
    ("policies.contextual.lin_", "policies.contextual.lin", "reboot"),
    ("policies.lin_", "policies.contextual.lin", "thompson ucb"),
    ("policies.", "policies.contextual.network", "langevin"),
    ("policies.", "policies.rewards",
     "besa beta_thompson binomial_bootstrap bootstrap bootstrapped_thompson "
     "dirichlet_thompson epsilon_greedy gaussian_thompson giro online_bootstrap "
     "perturbed_history"),
    ("policies.", "policies.rewards.ucb", "kl_ucb ucb1"),
    ("policies.contextual_", "policies.contextual", "bootstrap greedy"),
]  # fmt: skip

# Where all modules, or single classes, have gone. Names in files stay.
MOVED: dict[str, str] = {
    **{
        f"bandstrap.{before}{name}": f"bandstrap.{folder}.{name}"
        for before, folder, names in _FOLDERS
        for name in names.split()
    },
    "bandstrap.bandit.arm_features": "bandstrap.bandit.contexts",
    "bandstrap.bandit.lockin": "bandstrap.bandit.lock_in",
    "bandstrap.bandit.memory": "bandstrap.bandit.forgetting",
    "bandstrap.columns.columns": "bandstrap.tables.columns",
    "bandstrap.environments.own_table": "bandstrap.environments.table",
    "bandstrap.fractions": "bandstrap.history.fractions",
    "bandstrap.history": "bandstrap.history.rewards",
    "bandstrap.models.budget": "bandstrap.models.network.model",
    "bandstrap.models.convex_arms": "bandstrap.models.convex.arm",
    "bandstrap.models.ellipsoid": "bandstrap.models.online.ellipsoids",
    "bandstrap.models.estimator": "bandstrap.models.sklearn.model",
    "bandstrap.models.estimator_ensemble": "bandstrap.models.sklearn.schedules",
    "bandstrap.models.estimator_fresh": "bandstrap.models.sklearn.learner",
    "bandstrap.models.gaussian_limit": "bandstrap.models.convex.approximations",
    "bandstrap.models.grouped": "bandstrap.models.convex.approximations",
    "bandstrap.models.heads": "bandstrap.models.network.heads",
    "bandstrap.models.importance": "bandstrap.models.sklearn.learner",
    "bandstrap.models.linear": "bandstrap.models.convex.regression",
    "bandstrap.models.logistic": "bandstrap.models.convex.regression",
    "bandstrap.models.network": "bandstrap.models.network.model",
    "bandstrap.models.network_heads": "bandstrap.models.network.shared",
    "bandstrap.models.network_langevin": "bandstrap.models.network.shared",
    "bandstrap.models.network_langevin:Wander": "bandstrap.models.network.layers",
    "bandstrap.models.network_optimiser": "bandstrap.models.network.layers",
    "bandstrap.models.network_scale": "bandstrap.models.features",
    "bandstrap.models.noisy": "bandstrap.models.convex.additive",
    "bandstrap.models.one_step": "bandstrap.models.convex.approximations",
    "bandstrap.models.refits": "bandstrap.models.sklearn.schedules",
    "bandstrap.models.shared_replicas": "bandstrap.models.online.replicas",
    "bandstrap.models.stochastic_learner": "bandstrap.models.eigen",
    "bandstrap.policies.artificial": "bandstrap.policies.rewards.bootstrapped_thompson",
    "bandstrap.policies.gaussian_thompson:MeanState": "bandstrap.policies.rewards.means",
}


# What classes are called today, by the name in files, for those that were renamed. A field that was
# renamed stands in the class's `former_fields`.
RENAMED: dict[str, str] = {
    "bandstrap.bandit.contexts:Contexts": "ContextReader",
    "bandstrap.bandit.lockin:Watchman": "LockInDetector",
    "bandstrap.bandit.memory:Fading": "FadingMemory",
    "bandstrap.bandit.memory:Paned": "WindowMemory",
    "bandstrap.bandit.memory:Rhythm": "Interval",
    "bandstrap.environments.labelled:Rows": "ShuffledRows",
    "bandstrap.environments.stationary:Arms": "StationaryArms",
    "bandstrap.models.estimator_ensemble:Renewal": "RefitRecord",
    "bandstrap.models.estimator_learner:Moment": "Snapshot",
    "bandstrap.models.estimator_online:Mark": "PriorUpdate",
    "bandstrap.models.features:Rows": "Examples",
    "bandstrap.models.network_langevin:Wander": "LangevinSteps",
    "bandstrap.models.noisy:NoisyLearner": "AdditiveLearner",
    "bandstrap.models.stochastic_learner:StochasticLearner": "EigenLearner",
    "bandstrap.policies.online_bootstrap:ReplicateState": "ReplicaState",
}


def saved(kind: T) -> T:
    """Let files name a class, a policy say, by its module, without a line in `CLASSES`.

    For classes whose module is imported with the package. What is said above holds for them too.
    """
    place = kind.__module__, kind.__qualname__
    _places()[":".join(place)] = place
    return kind


@cache
def _places() -> dict[str, tuple[str, str]]:
    """The module and name of the class for each name in files."""
    listed = [(module, name) for module, names in CLASSES.items() for name in names.split()]
    places = {}
    for module, name in listed:
        key = f"{module}:{name}"
        places[key] = MOVED.get(key, MOVED.get(module, module)), RENAMED.get(key, name)
    return places


def registered(name: Any) -> Any:
    """The class, or the one function, of this name in files; None if it is not registered."""
    return _found(name) if type(name) is str and name in _places() else None


@cache
def _found(name: str) -> Any:
    module, path = _places()[name]
    return getattr(import_module(module), path)


def names() -> list[str]:
    """All registered names."""
    return [*_places()]


def name_of(thing: Any) -> str:
    """The name of a class or function in files: the one it had first."""
    return _names().get((thing.__module__, thing.__qualname__)) or (
        f"{thing.__module__}:{thing.__qualname__}"
    )


@cache
def _names() -> dict[tuple[str, str], str]:
    return {place: name for name, place in _places().items()}
