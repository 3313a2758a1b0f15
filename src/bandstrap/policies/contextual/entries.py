"""The named policies that look at contexts.

They are made from a prior, which depends on the contexts. Without a further word a name means what
the paper means: `-log` is solved to its threshold of 10⁻³ and `-lin` to 10⁻⁵, `-nn` takes one pass
over the history each round; `-paper` is its stochastic optimisation, step by step. Whatever
approximates that carries another word, as in `wb-log-onestep`.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bandstrap import models
from bandstrap.policies.base import Policy
from bandstrap.policies.contextual.auto import Auto
from bandstrap.policies.contextual.bootstrap import ContextualBootstrap
from bandstrap.policies.contextual.epoch_greedy import EpochGreedy
from bandstrap.policies.contextual.gaps.falcon import FALCON
from bandstrap.policies.contextual.gaps.regcb import RegCB
from bandstrap.policies.contextual.gaps.squarecb import SquareCB
from bandstrap.policies.contextual.glm.evill import EVILL
from bandstrap.policies.contextual.glm.glm_ucb import GLMUCB
from bandstrap.policies.contextual.glm.gloc import GLOC
from bandstrap.policies.contextual.glm.laplace_thompson import LaplaceThompson
from bandstrap.policies.contextual.glm.ucb_glm import UCBGLM
from bandstrap.policies.contextual.greedy import ContextualEpsilonGreedy
from bandstrap.policies.contextual.lin.reboot import LinReBoot
from bandstrap.policies.contextual.lin.thompson import FixedSpread, LinThompson
from bandstrap.policies.contextual.lin.ucb import FixedWidth, LinUCB
from bandstrap.policies.contextual.network.langevin import Langevin
from bandstrap.policies.contextual.network.neural_linear import NeuralLinear
from bandstrap.policies.contextual.online_cover import OnlineCover
from bandstrap.policies.contextual.online_ensemble import OnlineEnsemble
from bandstrap.policies.contextual.tree_heuristic import TreeHeuristic
from bandstrap.policies.entry import BOUNDED, OURS, QUICKLY, THE_PAPER, UNIT, USUALLY, WIDELY, Entry
from bandstrap.policies.schedules import Constant, Decay, Schedule
from bandstrap.priors import AdaptiveExamples, ExamplePrior, GaussianExamples, NoExamples
from bandstrap.resampling import (
    CoinFlips,
    Exponential,
    GaussianNoise,
    GiroMultinomial,
    Multinomial,
    NoResampling,
    Resampling,
)

Maker = Callable[[ExamplePrior], Policy[Any]]

SCHEDULE = "schedule"  # the variant of a rival of eg-log's schedule
FIGURE_2 = f"{THE_PAPER}, section 5.2"
TREES = "Elmachtoub et al. (2017)"
_PSEUDO = "with 4d pseudo-examples"
_FAIR = "with the bootstraps' pseudo-examples, so that only exploration differs"
_LINEAR = models.LinearRegression()
_LOGISTIC = models.LogisticRegression()
# Pseudo-examples keep the heads of arms' own networks apart: they need no wide start for it.
_ARM_HEADS = models.NetworkHeads(models.Budgeted(), spread=0.3)
# With few pseudo-examples the penalty is what keeps many features in check.
_PENALISED = models.LogisticRegression(penalty=1e-3)
_Entry = partial(Entry, contextual=True)


def _eg(model: models.Model, schedule: Schedule | None = None) -> Maker:
    """Epsilon-greedy; it is given the bootstraps' prior, so that only exploration differs."""
    return lambda prior: ContextualEpsilonGreedy(model, schedule or Decay(50.0), prior)


def _bootstrap(resampling: Resampling, model: models.Model) -> Maker:
    return lambda prior: ContextualBootstrap(resampling, model, prior)


_wb, _npb = partial(_bootstrap, Exponential()), partial(_bootstrap, Multinomial())


def _both(word: str, model: models.Model, *facts: str, **more: Any) -> Iterator[Entry]:
    """Variants of npb-log and wb-log, and what differs in their sentences."""
    for family, make, fit in (("npb", _npb, "resampled"), ("wb", _wb, "weighted")):
        yield _Entry(
            f"{family}-log-{word}", make(model), family, "logistic",
            *(fact.format(family=family, fit=fit) for fact in facts),
            variant=word, joins=f"log-{word}", **more,
        )  # fmt: skip


def _successors(
    family: str, resampling: Resampling, paper: str, sentence: str, note: str
) -> Iterator[Entry]:
    """A scheme with pseudo-rewards of its own, on linear and on logistic regressions."""
    for word, kind, model, solved in (
        ("lin", "linear", _LINEAR, "solved to 10⁻⁵"),
        ("log", "logistic", _LOGISTIC, "solved to 10⁻³"),
    ):
        policy = ContextualBootstrap(resampling, model, NoExamples())
        yield _Entry(
            f"{family}-{word}", lambda prior, policy=policy: policy, family, kind, paper,
            sentence.format(models=f"{kind} regressions"), solved, "n d",
            variant=family, note=note, rewards=UNIT,
        )  # fmt: skip


def _paper(word: str, model: models.Model, kind: str, theirs: str) -> Iterator[Entry]:
    """The paper's own procedure with a model; ε-greedy has no pseudo-examples there."""
    makers = {"eg": lambda prior: ContextualEpsilonGreedy(model), "npb": _npb(model)}
    for family, make in (makers | {"wb": _wb(model)}).items():
        bare = "; without pseudo-examples" if family == "eg" else ""
        # Steps of the log-loss start so large that a fit forgets the draw that it began from, if
        # there are rewards of both kinds.
        wanders = kind == "linear" or family == "eg"
        yield _Entry(
            f"{family}-{word}-paper", make, family, kind, FIGURE_2,
            f"{family}-{word} by the paper's own warm-started stochastic optimisation.",
            "the paper's early stop", "n d", variant="paper", joins=f"{word}-paper",
            note=f"step by step, after scikit-learn's `{theirs}`{bare}", learns_at_random=wanders,
            draws_train=True,
        )  # fmt: skip


def _squarecb(
    word: str, kind: str, model: models.Model, learner: str, exact: str, cost: str, **more: Any
) -> Entry:
    return _Entry(
        f"squarecb-{word}", lambda prior: SquareCB(model), "squarecb", kind,
        "Foster and Rakhlin (2020)",
        f"{learner}, arms drawn the rarer the more they seem to lose.", exact, cost,
        variant="gaps", note="γ = 5 √(arms × t): the horizon for the round and the 5 are ours",
        exact_probabilities=True, **more,
    )  # fmt: skip


def _regcb(word: str, kind: str, model: models.RecursiveModel, exact: str, **more: Any) -> Entry:
    return _Entry(
        f"regcb-{word}", lambda prior: RegCB(model), "regcb", kind, "Foster et al. (2018)",
        f"The most that an arm may pay by {kind} regressions nearly as good as the best.",
        exact, "d²", variant="gaps",
        note="the optimistic variant; nearly as good is a loss of 0.03 log(arms × t) more, where "
        "the logarithm is Vowpal Wabbit's and 0.03 ours",
        exact_probabilities=True, **more,
    )  # fmt: skip


def _schedule(word: str, schedule: Schedule, sentence: str) -> Entry:
    return _Entry(
        f"eg-log-{word}", _eg(_LOGISTIC, schedule), "eg", "logistic", FIGURE_2,
        f"Epsilon-greedy with logistic regressions and {sentence}.",
        "solved to 10⁻³", "n d", variant=SCHEDULE, joins=f"log-{word}",
        note="for claim C14", exact_probabilities=True,
    )  # fmt: skip


ENTRIES = (
    _Entry(
        "ucb-lin", lambda prior: LinUCB(), "ucb", "linear", "Abbasi-Yadkori et al. (2011)",
        "OFUL: the upper end of a confidence ellipsoid around each arm's linear regression.",
        "exact", "d²", joins="lin",
        note="an ellipsoid for each arm; the union bound over arms is ours",
        exact_probabilities=True,
    ),
    _Entry(
        "ucb-lin-fixed", lambda prior: LinUCB(FixedWidth(1.0)), "ucb", "linear",
        "Li et al. (2010)", "LinUCB: linear regressions and a bonus of fixed width.",
        "exact", "d²", variant="fixed", joins="lin-fixed", note="disjoint models, alpha = 1",
        exact_probabilities=True, compared=(USUALLY, QUICKLY, WIDELY),
    ),
    _Entry(
        "ucb-lin-fixed-0.3", lambda prior: LinUCB(FixedWidth(0.3)), "ucb", "linear",
        "Li et al. (2010)", "LinUCB with a bonus of width 0.3.",
        "exact", "d²", variant="fixed", joins="lin-fixed-0.3",
        note="disjoint models, alpha = 0.3", exact_probabilities=True,
    ),
    _Entry(
        "ts-lin", lambda prior: LinThompson(), "ts", "linear", "Agrawal and Goyal (2013)",
        "Linear Thompson sampling with the width that its proof needs.",
        "exact", "d²", joins="lin",
        note="their width with the round in place of the horizon; a model for each arm",
        exact_probabilities=True,
    ),
    _Entry(
        "ts-lin-fixed", lambda prior: LinThompson(FixedSpread(1.0)), "ts", "linear",
        "Agrawal and Goyal (2013)",
        "Thompson sampling from the posterior of a linear model with unit noise.",
        "exact", "d²", variant="fixed", joins="lin-fixed", exact_probabilities=True,
        compared=(USUALLY, QUICKLY, WIDELY),
    ),
    *(
        _Entry(
            f"ts-lin-fixed-{v:g}", lambda prior, v=v: LinThompson(FixedSpread(v)), "ts", "linear",
            "Agrawal and Goyal (2013)",
            f"Thompson sampling from the posterior of a linear model with noise {v:g}.",
            "exact", "d²", variant="fixed", joins=f"lin-fixed-{v:g}", exact_probabilities=True,
        )
        for v in (0.5, 0.3)
    ),
    _Entry(
        "eg-lin", _eg(_LINEAR), "eg", "linear", FIGURE_2,
        "Epsilon-greedy with linear regressions and ε = 50 / (50 + t).",
        "solved to 10⁻⁵", "n d", joins="lin", note=_FAIR, exact_probabilities=True,
        compared=(USUALLY, QUICKLY),
    ),
    _Entry(
        "npb-lin", _npb(_LINEAR), "npb", "linear", FIGURE_2,
        "Non-parametric bootstrap of linear regressions, resampled afresh every round.",
        "solved to 10⁻⁵", "n d", joins="lin", note=_PSEUDO,
    ),
    _Entry(
        "wb-lin", _wb(_LINEAR), "wb", "linear", FIGURE_2,
        "Weighted bootstrap of linear regressions, all weights drawn afresh every round.",
        "solved to 10⁻⁵", "n d", joins="lin", note=_PSEUDO,
    ),
    _Entry(
        "wb-lin-additive", _bootstrap(GaussianNoise(), _LINEAR), "wb", "linear",
        f"{THE_PAPER}, section 4 and appendix",
        "Weighted bootstrap of linear regressions with additive normal weights.",
        "exact", "d²", variant="additive", joins="lin-additive",
        note="N(θ̂, Σ) without a walk over the history", exact_probabilities=True,
        compared=(USUALLY,),
    ),
    _Entry(
        "eg-log", _eg(_LOGISTIC), "eg", "logistic", FIGURE_2,
        "Epsilon-greedy with logistic regressions and ε = 50 / (50 + t).",
        "solved to 10⁻³", "n d", joins="log", note=_FAIR, exact_probabilities=True,
        compared=(USUALLY, QUICKLY),
    ),
    _Entry(
        "npb-log", _npb(_LOGISTIC), "npb", "logistic", FIGURE_2,
        "Non-parametric bootstrap of logistic regressions, resampled afresh every round.",
        "solved to 10⁻³", "n d", joins="log", note=_PSEUDO,
    ),
    _Entry(
        "wb-log", _wb(_LOGISTIC), "wb", "logistic", FIGURE_2,
        "Weighted bootstrap of logistic regressions, all weights drawn afresh every round.",
        "solved to 10⁻³", "n d", joins="log", note=_PSEUDO, compared=(USUALLY,),
    ),
    *_paper("lin", models.StochasticLinearRegression(), "linear", "SGDRegressor"),
    *_paper("log", models.StochasticLogisticRegression(), "logistic", "SGDClassifier"),
    *_both(
        "onestep", models.OneStep(_LOGISTIC), OURS,
        "{family}-log with a single Newton step towards each {fit} fit.",
        "one Newton step", "n d", note="weights are fresh",
    ),
    _Entry(
        "npb-log-gaussian", _npb(models.GaussianLimit(_LOGISTIC)), "npb", "logistic", OURS,
        "Logistic regressions drawn from the normal law that their bootstrap (npb) tends to.",
        "normal limit", "d²", variant="gaussian", joins="log-gaussian", exact_probabilities=True,
    ),
    _Entry(
        "wb-log-gaussian", _wb(models.GaussianLimit(_LOGISTIC)), "wb", "logistic", OURS,
        "Logistic regressions drawn from the normal law that their bootstrap (wb) tends to.",
        "normal limit", "d²", variant="gaussian", joins="log-gaussian", exact_probabilities=True,
        compared=(USUALLY, QUICKLY),
    ),
    *_both(
        "grouped", models.Grouped(_LOGISTIC), OURS,
        "{family}-log-onestep with one weight for each group of examples.",
        "grouped weights", "d²",
    ),
    _Entry(
        "wb-log-replicas", _wb(models.Replicas(models.OnlineLogistic())), "wb", "logistic",
        "Oza and Russell (2001); Eckles and Kaptein (2014)",
        "A fixed set of online logistic regressions that each weigh an example once.",
        "fixed replicas", "d", variant="replicas", joins="log-replicas",
        exact_probabilities=True, learns_at_random=True, compared=(USUALLY, QUICKLY, WIDELY),
    ),
    _Entry(
        "wb-log-adaptive",
        lambda prior: ContextualBootstrap(Exponential(), _PENALISED, AdaptiveExamples()),
        "wb", "logistic", OURS,
        "wb-log with a prior that learns how often arms pay.",
        "solved to 10⁻³", "n d", variant="adaptive", joins="log-adaptive",
        note="ten times the paper's penalty", compared=(USUALLY,),
    ),
    _Entry(
        "wb-log-gaussian-adaptive",
        lambda prior: ContextualBootstrap(
            Exponential(), models.GaussianLimit(_PENALISED), AdaptiveExamples()
        ),
        "wb", "logistic", OURS,
        "wb-log-gaussian with a prior that learns how often arms pay.",
        "normal limit", "d²", variant="gaussian-adaptive", joins="log-gaussian-adaptive",
        exact_probabilities=True, compared=(USUALLY, QUICKLY),
    ),
    _Entry(
        "wb-log-random-prior",
        lambda prior: ContextualBootstrap(Exponential(), _LOGISTIC, GaussianExamples()),
        "wb", "logistic", FIGURE_2,
        "wb-log with pseudo-examples drawn from an isotropic Gaussian.",
        "solved to 10⁻³", "n d", variant="random-prior", joins="log-random-prior",
        formerly=("wb-log-gauss-prior",),
    ),
    _Entry(
        "eg-nn", _eg(models.NeuralNetwork()), "eg", "network", FIGURE_2,
        "Epsilon-greedy with the paper's network, trained on all of history every round.",
        "one pass a round", "n d", joins="nn", note=_FAIR, learns_at_random=True, draws_train=True,
    ),
    _Entry(
        "npb-nn", _npb(models.NeuralNetwork()), "npb", "network", FIGURE_2,
        "Non-parametric bootstrap of the paper's network, on all of history every round.",
        "one pass a round", "n d", joins="nn", learns_at_random=True, draws_train=True,
    ),
    _Entry(
        "wb-nn", _wb(models.NeuralNetwork()), "wb", "network", FIGURE_2,
        "Weighted bootstrap of the paper's network, on all of history every round.",
        "one pass a round", "n d", joins="nn", learns_at_random=True, draws_train=True,
    ),
    _Entry(
        "eg-nn-budgeted", _eg(models.Budgeted()), "eg", "network", OURS,
        "Epsilon-greedy with the paper's network, trained on a few examples every round.",
        "a few examples a round", "d", variant="budgeted", joins="nn-budgeted",
        exact_probabilities=True, learns_at_random=True,
    ),
    _Entry(
        "npb-nn-budgeted", _npb(_ARM_HEADS), "npb", "network", OURS,
        "A network for each arm with resampled heads, trained on a few examples every round.",
        "fixed heads", "d", variant="budgeted", joins="nn-budgeted", learns_at_random=True,
    ),
    _Entry(
        "wb-nn-budgeted", _wb(_ARM_HEADS), "wb", "network", OURS,
        "A network for each arm with weighted heads, trained on a few examples every round.",
        "fixed heads", "d", variant="budgeted", joins="nn-budgeted", learns_at_random=True,
    ),
    _Entry(
        "eg-nn-shared", _eg(models.SharedNetwork()), "eg", "network", OURS,
        "Epsilon-greedy with one network for all arms, trained on a few examples every round.",
        "a few examples a round", "d", variant="shared", joins="nn-shared",
        exact_probabilities=True, learns_at_random=True,
    ),
    _Entry(
        "wb-nn-shared", _wb(models.SharedNetwork()), "wb", "network", OURS,
        "One network for all arms, trained on a freshly weighted batch every round.",
        "weights of a batch", "d", variant="shared", joins="nn-shared", learns_at_random=True,
        draws_train=True,
    ),
    _Entry(
        "wb-nn-heads", _wb(models.NetworkHeads()), "wb", "network", "Osband et al. (2016)",
        "One network whose heads each weigh a reward once, after bootstrapped DQN.",
        "fixed heads", "d", variant="heads", joins="nn-heads",
        note="heads keep a normal prior around their start, after Pearce et al. (2020)",
        exact_probabilities=True, learns_at_random=True,
    ),
    _Entry(
        "ensemble-nn",
        lambda prior: ContextualBootstrap(NoResampling(), models.NetworkHeads(), NoExamples()),
        "ensemble", "network", OURS,
        "One network whose heads differ only by their random start; nothing is resampled.",
        "fixed heads", "d", variant="heads", formerly=("heads-nn",),
        note="each head keeps a normal prior around its start, after Pearce et al. (2020)",
        exact_probabilities=True, learns_at_random=True, compared=(USUALLY, WIDELY),
    ),
    _Entry(
        "glm-ucb", lambda prior: GLMUCB(), "ucb", "logistic", "Filippi et al. (2010)",
        "The upper confidence bound of each arm's logistic regression, kept online.",
        "online estimate", "d²", variant="online",
        note="the bonus's factor, 1/4, is ours; `GuaranteedBonus` is theirs",
        exact_probabilities=True, compared=(USUALLY, QUICKLY),
    ),
    _Entry(
        "ucb-glm", lambda prior: UCBGLM(), "ucb", "logistic", "Li et al. (2017)",
        "UCB-GLM: the margin of each arm's logistic regression, refit every round, and a bonus.",
        "solved to 10⁻¹⁰", "n d", variant="glm",
        note="the ridge penalty, alpha = 1 and as many random rounds as an arm has parameters "
        "are ours; `LikelihoodEllipsoid` is theirs",
        exact_probabilities=True,
    ),
    _Entry(
        "gloc", lambda prior: GLOC(), "ucb", "logistic", "Jun et al. (2017)",
        "GLOC: confidence sets from the predictions of online Newton steps, one for each arm.",
        "exact", "d²", variant="gloc",
        note="the fixed radius, 1, is ours; `OnlineToConfidence` is theirs; steps that leave the "
        "ball of parameters cost d³",
        exact_probabilities=True,
    ),
    _Entry(
        "ts-laplace", lambda prior: LaplaceThompson(), "ts", "logistic",
        "Chapelle and Li (2011)",
        "Thompson sampling from a normal posterior around an online logistic regression.",
        "Laplace", "d²", variant="laplace", joins="laplace",
        note="the whole covariance and learning after each reward are ours",
        exact_probabilities=True, compared=(USUALLY, QUICKLY, WIDELY),
    ),
    _Entry(
        "ts-langevin-nn", lambda prior: Langevin(prior=prior), "ts", "network",
        "Welling and Teh (2011); Li et al. (2016)",
        "Thompson sampling of a network whose weights follow Langevin dynamics.",
        "Langevin dynamics", "d", variant="langevin", joins="langevin-nn",
        note="an approximate draw from the posterior, preconditioned",
        learns_at_random=True, draws_train=True,
    ),
    _Entry(
        "neural-linear", lambda prior: NeuralLinear(), "ts", "network", "Riquelme et al. (2018)",
        "Thompson sampling of Bayesian regressions on the last hidden layer of a network.",
        "Bayesian last layer", "d", variant="neural-linear",
        note="one step of the network a round; the layer is renewed, and all rows regressed on "
        "it, when history has grown by a tenth; the scale of the prior's noise is ours",
        rewards=UNIT, learns_at_random=True, draws_train=True, compared=(USUALLY,),
    ),
    _Entry(
        "ensemble-log", lambda prior: OnlineEnsemble(), "ensemble", "logistic",
        "Tang et al. (2015)",
        "A fixed set of online logistic regressions with Poisson weights.",
        "fixed replicas", "d", variant="online", formerly=("tang",),
        note="the number of replicas and their steps are our choice",
        exact_probabilities=True, learns_at_random=True, compared=(USUALLY, QUICKLY, WIDELY),
    ),
    _Entry(
        "epoch-greedy", lambda prior: EpochGreedy(_LOGISTIC, prior=prior), "eg", "logistic",
        "Langford and Zhang (2008)",
        "Random rounds, the only ones learnt, and after each as many greedy ones as it pays for.",
        "solved to 10⁻³", "n d", variant="epochs",
        note="their schedule for finitely many policies; its scale, 1, is ours; "
        "with the bootstraps' pseudo-examples",
        exact_probabilities=True,
    ),
    _Entry(
        "online-cover", lambda prior: OnlineCover(), "cover", "linear",
        "Agarwal et al. (2014)",
        "A few linear policies, each paid for arms that those before it leave out.",
        "online variant", "d²", variant="cover",
        note="least squares in place of stochastic steps, 8 policies and psi = 0.1 are ours; "
        "the least probability and doubly robust estimates are Vowpal Wabbit's",
        exact_probabilities=True,
    ),
    _squarecb(
        "lin", "linear", models.RecursiveLinear(),
        "Recursive least squares", "exact", "d²",
    ),
    _squarecb(
        "log", "logistic", models.RecursiveLogistic(),
        "Logistic regressions kept online", "online estimate", "d²",
    ),
    _squarecb(
        "nn", "network", models.SharedNetwork(),
        "One network for all arms", "a few examples a round", "d",
        learns_at_random=True, draws_train=True, compared=(USUALLY, WIDELY),
    ),
    _Entry(
        "falcon-log", lambda prior: FALCON(_LOGISTIC), "falcon", "logistic",
        "Simchi-Levi and Xu (2021)",
        "squarecb-log with regressions that are refit, to all rewards, when these have doubled.",
        "solved to 10⁻³", "d", variant="gaps",
        note="γ = 5 √(arms × rewards at the last refit), where 5 is ours; a decision with a refit "
        "costs n d",
        exact_probabilities=True,
    ),
    _regcb("lin", "linear", models.RecursiveLinear(), "exact"),
    _regcb(
        "log", "logistic", models.RecursiveLogistic(), "online estimate",
        compared=(USUALLY, QUICKLY),
    ),
    _Entry(
        "tree-heuristic", lambda prior: TreeHeuristic(), "ts", "tree", TREES,
        "One decision tree for each arm, and Thompson sampling within its leaves.",
        "exact on 0/1 rewards", "n d", variant="heuristic",
        note="the weighted bootstrap of a leaf on others is ours, and one pull of each arm before",
        compared=(USUALLY,),
    ),
    _Entry(
        "npb-tree",
        lambda prior: ContextualBootstrap(Multinomial(), models.DecisionTree(), NoExamples()),
        "npb", "tree", TREES,
        "TreeBootstrap: a fresh decision tree of a fresh resample for each arm every round.",
        "exact", "n d", joins="tree", formerly=("tree-bootstrap-fresh",),
        note="leaves of 5 rows, and one pull of each arm before, are our choice",
    ),
    _Entry(
        "auto", lambda prior: Auto(), "auto", "several", OURS,
        "Logistic regressions and a network learn side by side; the better predictor decides.",
        "the decider's own", "d²", variant="auto",
        note="its models are those that a budget of 2 ms a round allows",
        rewards=BOUNDED, exact_probabilities=True, learns_at_random=True, draws_train=True,
        compared=(USUALLY, WIDELY),
    ),
    *_successors(
        "giro", GiroMultinomial(), "Kveton et al. (2019a)",
        "NPB of {models} where each reward brings a 0 and a 1 in its context.",
        note="LinGiro: nothing but these pseudo-rewards, one of each; an arm never pulled is tried "
        "first",
    ),
    *_successors(
        "phe", CoinFlips(), "Kveton et al. (2020)",
        "A fit of {models} to rewards and coin flips, fresh ones in every round.",
        note="one flip for each reward is our choice; public code has two",
    ),
    _Entry(
        "reboot-lin", lambda prior: LinReBoot(), "reboot", "linear", "Wu et al. (2022)",
        "Linear regressions, and residuals of an arm's rewards under random normal weights.",
        "exact", "d²", variant="reboot",
        note="a model for each arm; with the two pseudo-residuals of `reboot`, theirs has none",
        exact_probabilities=True,
    ),
    _Entry(
        "evill-log", lambda prior: EVILL(), "evill", "logistic", "Janz et al. (2024)",
        "Logistic regressions fit with a random linear term in their loss.",
        "solved", "n d", variant="evill",
        note="scale and penalty 1 as in their code; a model for each arm is ours; with linear "
        "models it is `ts-lin-fixed`", rewards=UNIT,
    ),
    *(_schedule(f"c{c}", Decay(c), f"ε = {c} / ({c} + t)") for c in (5, 15, 150, 500)),
    *(_schedule(f"{e:g}", Constant(e), f"ε = {e:g}") for e in (0.0, 0.01, 0.05, 0.1)),
)  # fmt: skip
