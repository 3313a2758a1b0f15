"""Experiments that run in a test: a world pays, a bandit decides, facts are told."""

import json

import numpy as np

from bandstrap.bandit import Bandit, Propensity
from bandstrap.problem import Support
from bandstrap.service.config import Experiment
from bandstrap.service.judging import Facts, Lesson


def experiment(arms=("a", "b", "c"), policy="eg", **more):
    given = {"rewards": Support.binary(), **more}
    return Experiment("news", arms, policy, **given)


def evenly(arms, seed=0, **more):
    """A bandit that chooses all arms alike."""
    given = {"rewards": Support.binary(), "propensity": Propensity(floor=1.0), **more}
    return Bandit(None, arms, seed=seed, **given)


def played(facts, deciding, candidates, pays, decisions, seed=0, start=0, **told):
    """Decide, judge, learn; returns the lessons. `told` changes what lessons say."""
    rng, lessons = np.random.default_rng([seed, start]), []
    for number in range(start, start + decisions):
        made = deciding.decide()
        deciding.drop(made)
        reward = float(rng.random() < pays[made.arm])
        it = Lesson(
            f"{seed}-{number}", float(number), made.arm, made.propensity, made.weight, reward,
            allowed=made.allowed, control=made.control, delay=1.0, metrics={"slow": 1 - reward},
            **{"propensities": made.propensities, **told},
        )  # fmt: skip
        facts.lesson(it, deciding, candidates)
        lessons.append(it)
        for bandit in (deciding, *candidates.values()):
            bandit.learn(arm=it.arm, reward=reward)
    return lessons


def again(facts):
    """As after a restart."""
    return Facts.from_dict(facts.experiment, json.loads(json.dumps(facts.to_dict())))
