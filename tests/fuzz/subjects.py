"""The honest bandits that files are made from: between them they have every kind of state."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bandstrap import (
    GLMUCB,
    GLOC,
    UCBGLM,
    ArmFeatures,
    Auto,
    Bandit,
    Bootstrap,
    BootstrappedUCB,
    Budgeted,
    Constant,
    ConstantEpochs,
    ContextualBootstrap,
    ContextualEpsilonGreedy,
    Control,
    DoubleOrNothing,
    EigenExamples,
    EpochGreedy,
    Every,
    EveryRound,
    Expiry,
    Exponential,
    FixedSpread,
    FixedWidth,
    GaussianExamples,
    Growth,
    GuaranteedBonus,
    HalfLife,
    Langevin,
    LaplaceThompson,
    LikelihoodEllipsoid,
    LinearRegression,
    LinThompson,
    LinUCB,
    LogisticRegression,
    Multinomial,
    NetworkHeads,
    NeuralLinear,
    NeuralNetwork,
    NoExamples,
    NoResampling,
    Online,
    OnlineLinear,
    OnlineLogistic,
    OnlineToConfidence,
    Poisson,
    PracticalCorrection,
    Propensity,
    Replicas,
    ScaledRewards,
    SeenExamples,
    SharedBootstrap,
    SharedNetwork,
    Support,
    Window,
    from_sklearn,
)
from bandstrap.models import RepeatedRows, StochasticLinearRegression
from bandstrap.models.network.shared import LangevinNetwork
from bandstrap.policies import POLICIES
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import PseudoRewardsAt

KEPT = Path(__file__).parent / "kept"  # written by `played` of version 0.1.0, in format 1
ABC = ["a", "b", "c"]
ROWS = np.random.default_rng(7).standard_normal((40, 3))
CITIES = ("Oslo", "Rome", "Lima")
CHEAP = 20  # the cap on draws of what is dear to draw
FEW = Propensity(draws=3, cap=CHEAP)


@dataclass(frozen=True)
class Subject:
    """A bandit, how it is asked, and what it is paid."""

    make: Callable[[], Bandit]
    context: Callable[[int], Any] = lambda i: None
    between: bool = False  # whether rewards lie anywhere between 0 and 1
    values: tuple[float, ...] = (0.0, 1.0)  # that rewards have otherwise
    rounds: int = 40  # before it is saved
    many: int = 40  # rewards of one arm that are learnt at once after that
    features: Any = None  # of an arm that is added
    kept: str | None = None  # the name of a file of an earlier version that holds it after these

    def reward(self, i: int) -> float:
        """That of round `i`."""
        if self.between:
            return (i * 0.618034) % 1.0
        return self.values[len(self.values) - 1 - min(i * 7 % 3, len(self.values) - 1)]


def played(subject: Subject) -> tuple[Bandit, list[Any]]:
    """The bandit after some rounds, and the ids of decisions whose rewards are still to come."""
    kept = kept_file(subject)
    if kept is not None:
        return Bandit.load(kept), json.loads((KEPT / "waiting.json").read_text())[kept.stem]
    bandit, waiting = subject.make(), []
    for i in range(subject.rounds):
        decision = bandit.decide(subject.context(i))
        if i % 5 == 4 and subject.rounds - i < 25:
            waiting.append(decision.id)
        else:
            bandit.learn(decision, subject.reward(i))
    return bandit, waiting


def kept_file(subject: Subject) -> Path | None:
    """The file of an earlier version, if it is of one."""
    return None if subject.kept is None else KEPT / f"{subject.kept}.bandit"


def row(i: int) -> np.ndarray:
    """A context without names."""
    return ROWS[i % len(ROWS)]


def person(i: int) -> dict[str, Any]:
    """A context with names: a number, a flag and a word."""
    return {"age": float(i % 9) - 4, "member": i % 2 == 0, "city": CITIES[i % len(CITIES)]}


def _plain(name: str, support: Support | None = None, **settings: Any) -> Subject:
    rewards = support or Support.binary()
    between = rewards.values is None
    return Subject(
        lambda: Bandit(POLICIES[name](), ABC, seed=4, rewards=rewards, **settings),
        between=between,
        values=rewards.values or (),
        rounds=400 if between else 40,  # enough for trees to branch
        many=200,
    )


def _rows(policy: Callable[[], Any], **settings: Any) -> Subject:
    settings = {
        "propensity": Propensity(draws=8, cap=CHEAP),
        "rewards": Support.binary(),
    } | settings
    return Subject(lambda: Bandit(policy(), ABC, seed=4, **settings), row, rounds=20)


def _named(name: str, **settings: Any) -> Subject:
    return _rows(lambda: CONTEXTUAL[name](EigenExamples(np.eye(3))), **settings)


def _bootstrapped(model: Any, prior: Any, resampling: Any = None) -> Callable[[], Any]:
    return lambda: ContextualBootstrap(resampling or Exponential(), model, prior)


def _people() -> Bandit:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder
    from sklearn.tree import DecisionTreeRegressor

    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    pipe = make_pipeline(encoder, DecisionTreeRegressor(max_depth=2, random_state=0))
    model = from_sklearn(pipe, replicas=1, refit=Growth(2.0))
    policy = ContextualBootstrap(Exponential(), model, SeenExamples())
    return Bandit(policy, ["tea", 7], seed=4, rewards=Support.binary(), propensity=FEW)


def _estimator(refit: Any = None) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    tree = DecisionTreeRegressor(max_depth=2, random_state=0)
    model = from_sklearn(tree, replicas=2, refit=refit or Growth(2.0))
    return ContextualBootstrap(Exponential(), model, SeenExamples())


def _online_estimator() -> Any:
    from sklearn.linear_model import SGDClassifier

    model = from_sklearn(SGDClassifier(loss="log_loss"), replicas=2, refit=Online())
    return ContextualBootstrap(Poisson(), model, SeenExamples())


def _shared() -> Bandit:
    arms = ArmFeatures({"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.0]})
    policy = SharedBootstrap(Exponential(), Replicas(OnlineLogistic()), EigenExamples())
    return Bandit(policy, arms, seed=4, rewards=Support.binary())


def _members() -> Bandit:
    policy = ContextualBootstrap(Exponential(), LogisticRegression(), EigenExamples())
    return Bandit(policy, ["tea", 7], seed=4, rewards=Support.binary(), propensity=FEW)


def _expiring() -> Bandit:
    expiry = Expiry(decisions=200, seconds=1e9, reward=0.0)
    return Bandit(Bootstrap(), ABC, seed=4, rewards=Support.interval(), expiry=expiry)


class Records:
    """A log in memory."""

    def __init__(self) -> None:
        self.records: list[Any] = []

    def append(self, records: Any) -> None:
        self.records += records

    def read(self) -> Any:
        return iter(self.records)


def _logged() -> Bandit:
    return Bandit(Bootstrap(), ABC, seed=4, rewards=Support.binary(), log=Records())


def _retired() -> Bandit:
    bandit = Bandit(Bootstrap(), ABC, seed=4, rewards=Support.binary())
    bandit.retire_arm("c")
    return bandit


INTERVAL = Support.interval()
THIRDS = Support.categories((-1.0, 0.0, 0.5, 1.0))
SMALL = NeuralNetwork(hidden=4)
SHARED = SharedNetwork(hidden=4)
EYE = EigenExamples(np.eye(3))

SUBJECTS: dict[str, Subject] = {
    "wb": _plain("wb"),
    "wb-interval": _plain("wb", INTERVAL),
    "npb-interval": _plain("npb", INTERVAL),
    "wb-halflife": _plain("wb", INTERVAL, forgetting=HalfLife(20)),
    "wb-window": _plain("wb", INTERVAL, forgetting=Window(300)),
    "wb-expiry": Subject(_expiring, between=True, rounds=400, many=200),
    "wb-additive": _plain("wb-additive", INTERVAL),
    "npb-forced": _plain("npb-forced", INTERVAL),
    "npb-binomial": _plain("npb-binomial"),
    "ts": _plain("ts"),
    "ts-dirichlet": _plain("ts-dirichlet"),
    "eg": _plain("eg"),
    "kl-ucb": _plain("kl-ucb"),
    "ucb1": _plain("ucb1"),
    "besa": _plain("besa", INTERVAL),
    "giro": _plain("giro"),
    "bts": _plain("bts", INTERVAL),
    "phe": _plain("phe"),
    "online-bootstrap": _plain("online-bootstrap"),
    "reboot": _plain("reboot", INTERVAL),
    "ucb-bootstrap": _plain("ucb-bootstrap", INTERVAL),
    "ucb-bootstrap-practical": Subject(
        lambda: Bandit(BootstrappedUCB(correction=PracticalCorrection()), ABC, seed=4),
        between=True,
        rounds=60,
    ),
    "ts-gaussian-real": _plain("ts-gaussian", Support.real()),
    "wb-categories": _plain("wb", THIRDS),
    "wb-prior-at": Subject(
        lambda: Bandit(
            Bootstrap(prior=PseudoRewardsAt((-1.0, 0.5), (1.0, 2.0))), ABC, seed=4, rewards=THIRDS
        ),
        values=THIRDS.values or (),
    ),
    "ts-dirichlet-categories": _plain("ts-dirichlet", THIRDS),
    "wb-control": _plain("wb", INTERVAL, control=Control(0.2, arm="c")),
    "wb-logged": Subject(_logged),
    "wb-retired": Subject(_retired),
    "wb-log": _named("wb-log"),
    "wb-log-gaussian": _named("wb-log-gaussian"),
    "npb-log-grouped": _named("npb-log-grouped"),
    "wb-log-onestep": _named("wb-log-onestep"),
    "wb-log-replicas": _named("wb-log-replicas"),
    "npb-log-paper": _named("npb-log-paper", propensity=FEW),
    "npb-lin-paper-repeated": _rows(
        _bootstrapped(RepeatedRows(StochasticLinearRegression()), EYE, Multinomial()),
        propensity=FEW,
    ),
    "giro-lin": _named("giro-lin"),
    "phe-log": _named("phe-log"),
    "reboot-lin": _named("reboot-lin"),
    "evill-log": _named("evill-log", propensity=FEW),
    "wb-lin-additive": _named("wb-lin-additive"),
    "eg-lin": _named("eg-lin"),
    "ts-lin": _named("ts-lin"),
    "ucb-lin": _named("ucb-lin"),
    "glm-ucb": _named("glm-ucb"),
    "ucb-glm": _named("ucb-glm"),
    "gloc": _named("gloc"),
    "online-cover": _named("online-cover"),
    "epoch-greedy": _named("epoch-greedy"),
    "squarecb-log": _named("squarecb-log"),
    "falcon-log": _named("falcon-log"),
    "regcb-lin": _named("regcb-lin"),
    "neural-linear": _rows(lambda: NeuralLinear(SHARED), propensity=FEW),
    "ts-laplace": _named("ts-laplace"),
    "ensemble-log": _named("ensemble-log"),
    "auto": _rows(Auto, propensity=FEW),
    "default": Subject(lambda: Bandit(arms=ABC, seed=4, propensity=FEW), row, rounds=20),
    "tree-heuristic": _named("tree-heuristic"),
    "npb-tree": _named("npb-tree", propensity=FEW),
    "wb-nn": _rows(_bootstrapped(SMALL, EYE), propensity=FEW),
    "ensemble-nn": _rows(
        _bootstrapped(NetworkHeads(SHARED, heads=3), NoExamples(), NoResampling()), propensity=FEW
    ),
    "wb-nn-budgeted": _rows(
        _bootstrapped(NetworkHeads(Budgeted(SMALL), heads=3, spread=0.3), EYE), propensity=FEW
    ),
    "wb-sklearn": _rows(_estimator, propensity=FEW),
    "wb-sklearn-every": _rows(lambda: _estimator(Every(8)), propensity=FEW),
    "wb-sklearn-afresh": _rows(lambda: _estimator(EveryRound()), propensity=FEW),
    "wb-sklearn-online": _rows(_online_estimator, propensity=FEW),
    "wb-log-adaptive": _named("wb-log-adaptive"),
    "wb-log-gaussian-adaptive": _named("wb-log-gaussian-adaptive"),
    "wb-lin-gaussian-examples": _rows(
        _bootstrapped(LinearRegression(), GaussianExamples(), DoubleOrNothing()), propensity=FEW
    ),
    "wb-nn-shared": _named("wb-nn-shared", propensity=FEW),
    "squarecb-nn": _named("squarecb-nn", propensity=FEW),
    "ts-langevin-nn": _rows(lambda: Langevin(LangevinNetwork(hidden=4)), propensity=FEW),
    "scaled": _rows(
        lambda: ScaledRewards(LaplaceThompson()), rewards=Support.interval(-5, 20), propensity=FEW
    ),
    "wb-log-categories": _rows(
        _bootstrapped(LogisticRegression(), EYE), rewards=Support.categories((0.0, 0.5, 1.0))
    ),
    "wb-lin-real": _rows(_bootstrapped(LinearRegression(), NoExamples()), rewards=Support.real()),
    "wb-log-halflife": _named("wb-log", forgetting=HalfLife(8)),
    "wb-log-window": _named("wb-log", forgetting=Window(8)),
    "ts-lin-halflife": _named("ts-lin", forgetting=HalfLife(8)),
    "wb-sklearn-halflife": _rows(_estimator, forgetting=HalfLife(8), propensity=FEW),
    "wb-nn-window": _rows(_bootstrapped(SMALL, EYE), forgetting=Window(8), propensity=FEW),
    "wb-log-deferred": _named("wb-log", propensity=Propensity(cap=CHEAP)),
    "glm-ucb-guaranteed": _rows(lambda: GLMUCB(GuaranteedBonus(horizon=1000))),
    "eg-log-constant": _rows(
        lambda: ContextualEpsilonGreedy(LogisticRegression(), Constant(0.1), EYE)
    ),
    "wb-linear-replicas": _rows(_bootstrapped(Replicas(OnlineLinear(), 4), EYE)),
    "ucb-glm-likelihood": _rows(lambda: UCBGLM(LikelihoodEllipsoid())),
    "gloc-confidence": _rows(lambda: GLOC(OnlineToConfidence())),
    "epoch-greedy-constant": _rows(lambda: EpochGreedy(LinearRegression(), ConstantEpochs(2), EYE)),
    "ts-lin-fixed": _rows(lambda: LinThompson(FixedSpread(0.5))),
    "ucb-lin-fixed": _rows(lambda: LinUCB(FixedWidth(0.5))),
    "wb-words": Subject(_people, person, rounds=15),
    "wb-names": Subject(
        _members, lambda i: {"age": float(i % 9) - 4, "member": i % 2 == 0}, rounds=15
    ),
    "wb-arms": Subject(_shared, row, rounds=20, features=[0.5, 0.5]),
}

SUBJECTS |= {
    f"{path.stem}-format1": replace(SUBJECTS[path.stem], kept=path.stem)
    for path in sorted(KEPT.glob("*.bandit"))
}
