"""Every model's learner is plain: saved in the middle of a run it goes on to the same bytes."""

import inspect

import numpy as np
import pytest

from bandstrap import models
from bandstrap.environments import Labelled
from bandstrap.models import LogisticRegression, Model
from bandstrap.policies import ContextualBootstrap
from bandstrap.priors import EigenExamples, NoExamples
from bandstrap.resampling import Exponential, NoResampling
from bandstrap.storage.packing import pack
from bandstrap.storage.unpacking import Loaded, unpack

DIGITS = Labelled("digits")
CONCRETE = [
    kind
    for kind in (getattr(models, name) for name in models.__all__)
    if inspect.isclass(kind) and issubclass(kind, Model) and not inspect.isabstract(kind)
]


def made(kind):
    """A model with its defaults; those that build on another get logistic regression."""
    needed = [p for p in inspect.signature(kind).parameters.values() if p.default is p.empty]
    return kind(LogisticRegression()) if needed else kind()


def bootstrapped(kind):
    """By weights and with pseudo-examples, where the model takes them."""
    if kind.__name__.startswith("Recursive"):
        return ContextualBootstrap(NoResampling(), made(kind), NoExamples())
    return ContextualBootstrap(Exponential(), made(kind), EigenExamples(DIGITS.covariance))


def played(policy, state, world, rng, rounds):
    chosen = []
    for t in rounds:
        contexts = DIGITS.look(world, t).contexts
        arms = policy.select(state, contexts, rng)
        policy.update(state, contexts, arms, DIGITS.pull(world, arms, rng), rng)
        chosen.append(int(arms[0]))
    return chosen, policy.scores(state, contexts, rng).tobytes()


@pytest.mark.filterwarnings("ignore::bandstrap.models.cost.CostWarning")
@pytest.mark.parametrize("kind", CONCRETE)
def test_a_learner_goes_on_from_its_packed_state(kind):
    policy = bootstrapped(kind)
    rng = np.random.default_rng(2)
    state, world = policy.start(DIGITS.problem), DIGITS.start(1, rng)
    played(policy, state, world, rng, range(30))
    packed = pack((state, world, rng))
    copies = {name: array.copy() for name, array in packed.arrays.items()}
    saved = unpack(packed._replace(arrays=copies), Loaded())
    rest = range(30, 60)
    assert played(policy, *saved, rest) == played(policy, state, world, rng, rest)
