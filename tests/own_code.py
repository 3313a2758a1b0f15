"""A folder with a policy of a user's own, in a module that nothing else can import."""

import sys
from contextlib import contextmanager
from itertools import count

import pytest

HELPERS = """
import numpy as np

FIRST = np.inf


def noise(rng, scale, shape):
    return rng.gumbel(scale=scale, size=shape)
"""

POLICIES = """
from dataclasses import dataclass

import numpy as np
from bandstrap import InvalidInput, Policy, State

import {helpers}
from {helpers} import noise


class Means(State):
    def __init__(self, problem, runs):
        super().__init__(problem, runs)
        self.count = np.zeros((runs, problem.n_arms))
        self.mean = np.zeros((runs, problem.n_arms))


@dataclass(frozen=True)
class Soft(Policy[Means]):
    temperature: float = 0.1
    words: tuple = ()

    def __post_init__(self):
        if self.temperature <= 0:
            raise InvalidInput("temperature", self.temperature, "give a positive number")

    def _start(self, problem, runs):
        return Means(problem, runs)

    def _scores(self, state, contexts, rng):
        drawn = noise(rng, self.temperature, state.mean.shape)
        return np.where(state.count > 0, state.mean + drawn, {helpers}.FIRST)

    def _update(self, state, contexts, arms, rewards, rng, weights=None):
        pulled = np.arange(state.runs), arms
        state.count[pulled] += 1
        state.mean[pulled] += (rewards - state.mean[pulled]) / state.count[pulled]


@dataclass(frozen=True)
class Needy(Soft):
    def __post_init__(self):
        raise RuntimeError("no licence")


@dataclass(frozen=True)
class Plain(Soft):
    def _start(self, problem, runs):
        if problem.n_features:
            raise InvalidInput("n_features", problem.n_features, "it takes no contexts")
        return super()._start(problem, runs)


class NoPolicy:
    pass


def made(temperature=0.2):
    return Soft(temperature)


ready = Soft(0.7)
"""

_number = count()


@contextmanager
def own_folder(folder):
    """The name of a new module in a folder, which is the current one."""
    number = next(_number)
    module, helpers = f"own_policies_{number}", f"own_helpers_{number}"
    (folder / f"{helpers}.py").write_text(HELPERS)
    (folder / f"{module}.py").write_text(POLICIES.format(helpers=helpers))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", [*sys.path])
        yield module
