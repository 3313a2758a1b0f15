"""Bandits with convex and linear models, and ways to change the files that they are saved to."""

import numpy as np

from bandstrap import (
    FALCON,
    GLMUCB,
    GLOC,
    UCBGLM,
    AdaptiveExamples,
    ArmFeatures,
    Bandit,
    ConstantEpochs,
    ContextualBootstrap,
    ContextualEpsilonGreedy,
    DoubleOrNothing,
    EigenExamples,
    EpochGreedy,
    Exponential,
    FixedSpread,
    FixedWidth,
    GaussianExamples,
    GaussianLimit,
    GaussianNoise,
    Grouped,
    LaplaceThompson,
    LikelihoodEllipsoid,
    LinearRegression,
    LinThompson,
    LinUCB,
    LogisticRegression,
    Multinomial,
    NoExamples,
    OneStep,
    OnlineCover,
    OnlineEnsemble,
    OnlineLinear,
    OnlineLogistic,
    OnlineToConfidence,
    Poisson,
    Propensity,
    RecursiveLinear,
    RecursiveLogistic,
    RegCB,
    Replicas,
    SeenExamples,
    SharedBootstrap,
    SquareCB,
    StochasticLinearRegression,
    StochasticLogisticRegression,
    Support,
)
from hostile import array_at, new_array, put_array

CONTEXTS = np.random.default_rng(7).standard_normal((240, 3))
EYE, LINEAR, LOGISTIC = EigenExamples(np.eye(3)), LinearRegression(), LogisticRegression()
ARMS = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.0]}


def bootstrapped(model, prior=EYE, resampling=None):
    return ContextualBootstrap(resampling or Exponential(), model, prior)


POLICIES = {
    "solved": bootstrapped(LOGISTIC),
    "solved, estimated axes": bootstrapped(LOGISTIC, EigenExamples(), Multinomial()),
    "solved, seen": bootstrapped(LOGISTIC, SeenExamples(3)),
    "solved, adaptive": bootstrapped(LOGISTIC, AdaptiveExamples()),
    "solved, Gaussian": bootstrapped(LOGISTIC, GaussianExamples()),
    "solved, no prior": bootstrapped(LogisticRegression(intercept=False), NoExamples()),
    "least squares": bootstrapped(LINEAR),
    "greedy": ContextualEpsilonGreedy(LINEAR, prior=EYE),
    "one step": bootstrapped(OneStep(LOGISTIC), EigenExamples(), Poisson()),
    "limit": bootstrapped(GaussianLimit(LOGISTIC)),
    "limit of noise": bootstrapped(GaussianLimit(LINEAR), EigenExamples(), GaussianNoise(0.5)),
    "grouped": bootstrapped(Grouped(LOGISTIC, groups=5), NoExamples()),
    "noise": bootstrapped(LINEAR, EYE, GaussianNoise()),
    "noise, no prior": bootstrapped(LINEAR, NoExamples(), GaussianNoise()),
    "replicas": bootstrapped(Replicas(OnlineLogistic(), 6)),
    "replicas, seen": bootstrapped(Replicas(OnlineLinear()), SeenExamples(2), DoubleOrNothing()),
    "ensemble": OnlineEnsemble(),
    "descent": bootstrapped(StochasticLogisticRegression()),
    "linear descent": bootstrapped(StochasticLinearRegression(), SeenExamples(2)),
    "lin-ts": LinThompson(),
    "lin-ts, fixed": LinThompson(FixedSpread(0.5)),
    "lin-ucb": LinUCB(),
    "lin-ucb, fixed": LinUCB(FixedWidth(0.5)),
    "glm-ucb": GLMUCB(),
    "ucb-glm": UCBGLM(LikelihoodEllipsoid()),
    "gloc": GLOC(OnlineToConfidence()),
    "cover": OnlineCover(count=3),
    "epochs": EpochGreedy(LOGISTIC, ConstantEpochs(2), EYE),
    "laplace": LaplaceThompson(),
    "gaps": SquareCB(RecursiveLinear()),
    "gap epochs": FALCON(LOGISTIC),
    "bounds": RegCB(RecursiveLogistic()),
    "shared replicas": SharedBootstrap(Exponential(), Replicas(), EigenExamples()),
    "shared": SharedBootstrap(Exponential(), LOGISTIC, EigenExamples()),
    "shared descent": SharedBootstrap(Exponential(), StochasticLogisticRegression(), NoExamples()),
}


def bandit_of(name, forgetting=None):
    arms = ArmFeatures(ARMS) if name.startswith("shared") else [*ARMS]
    settings = {"rewards": Support.binary(), "propensity": Propensity(draws=3)}
    return Bandit(POLICIES[name], arms, seed=4, forgetting=forgetting, **settings)


def played(bandit, rounds):
    """What it decided, in contexts that tell which arm pays; some rewards count half."""
    told = []
    for i in rounds:
        decision = bandit.decide(CONTEXTS[i])
        told.append((decision.arm, decision.propensity, decision.scores))
        pays = CONTEXTS[i, bandit.arms.index(decision.arm) % 3] > 0
        bandit.learn(decision, float(pays), weight=1.0 if i % 5 else 0.5)
    return told


def saved(folder, names):
    """A folder with a file of each policy after 110 rounds."""
    for name in names:
        bandit = bandit_of(name)
        played(bandit, range(110))
        bandit.save(folder / name)
    return folder


def put(value):
    """A change that puts a value in place of an attribute."""
    return lambda raw, slot: slot.put(value)


def fresh(array):
    """A change that puts an array of its own in place of another."""
    return lambda raw, slot: slot.put(new_array(raw, array))


def entry(place, value):
    """A change that puts a number into an array."""

    def change(raw, slot):
        array_at(raw, slot)[place] = value

    return change


def scaled(factor):
    """A change that multiplies an array."""

    def change(raw, slot):
        array_at(raw, slot)[...] *= factor

    return change


def resized(more, axis=0):
    """A change that makes an array longer or shorter along an axis."""

    def change(raw, slot):
        array = array_at(raw, slot)
        places = np.arange(array.shape[axis] + more) % max(array.shape[axis], 1)
        put_array(raw, slot.value[1], np.take(array, places, axis))

    return change


def item(place, value):
    """A change of an item of a list or tuple."""

    def change(raw, slot):
        slot.value[1][place] = value

    return change


def item_resized(more):
    """A change of the length of the first array in a list."""

    def change(raw, slot):
        number = next(node[1] for node in slot.value[1] if isinstance(node, list))
        array = raw.arrays[raw.places[number]["name"]]
        shape = raw.places[number]["shape"]
        whole = array.reshape(shape)
        put_array(raw, number, np.resize(whole, (shape[0] + more, *shape[1:])))

    return change


def fewer(raw, slot):
    """A list or tuple without its last item."""
    slot.value[1].pop()


def laid(**place):
    """A change of how an array lies in memory."""

    def change(raw, slot):
        raw.places[slot.value[1]].update(place)

    return change


def by_columns(raw, slot):
    """The same numbers, column by column."""
    array = array_at(raw, slot).copy()
    put_array(raw, slot.value[1], array)
    place = raw.places[slot.value[1]]
    raw.arrays[place["name"]][:] = array.ravel(order="F")
    place["strides"] = list(np.asfortranarray(array).strides)
