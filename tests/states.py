"""Policies played on a small Bernoulli problem, and their states compared byte by byte."""

import json

import numpy as np

from bandstrap import Problem, Support
from bandstrap.storage.packing import pack

ARMS, RUNS = 4, 50
BINARY = Support.binary()
ONE = np.ones(RUNS)
ZERO = np.zeros(RUNS, dtype=np.int64)


def rng_of(seed):
    return np.random.default_rng(seed)


def play(policy, rounds=40, runs=RUNS, seed=0, problem=None):
    """Choices of so many rounds of a Bernoulli problem, and the state after them."""
    problem = problem or Problem(ARMS, support=BINARY)
    rng = rng_of(seed)
    means = np.linspace(0.2, 0.8, problem.n_arms)
    state, chosen = policy.start(problem, runs), []
    for _ in range(rounds):
        arms = policy.select(state, None, rng)
        rewards = (rng.random(runs) < means[arms]).astype(float)
        policy.update(state, None, arms, rewards, rng)
        chosen.append(arms)
    return np.array(chosen), state


def arrays(thing):
    """All arrays of a state by name, at any depth, without scratch space."""
    found = {}
    if isinstance(thing, np.ndarray):
        return {"": thing}
    if hasattr(thing, "_asdict"):
        items = thing._asdict().items()
    elif hasattr(thing, "__dict__"):
        items = vars(thing).items()
    else:
        return {"": np.array(thing)} if isinstance(thing, (int, float)) else {}
    for name, value in items:
        if name not in {"flat", "bracket", "open_nodes", "open_weights", "problem"}:
            found.update({f"{name}.{rest}": array for rest, array in arrays(value).items()})
    return found


def same(state, other):
    one, two = arrays(state), arrays(other)
    assert one.keys() == two.keys()
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in _pairs(one, two))


def _pairs(one, two):
    return [(one[name], two[name]) for name in one]


def everything(bandit):
    """What a bandit has learnt and will decide, but for the ids that it gives."""
    packed = pack(bandit)
    return _without_ids(json.loads(packed.text)["tree"]), {
        name: array.tobytes() for name, array in packed.arrays.items()
    }


def _without_ids(node):
    """Neither those of decisions nor the numbers of nodes."""
    if isinstance(node, dict):
        left_out = ("epoch", "epochs", "begun", "ids", "_position")
        return {name: _without_ids(it) for name, it in node.items() if name not in left_out}
    if isinstance(node, list):
        is_node = node and isinstance(node[0], str) and isinstance(node[-1], int)
        return [_without_ids(it) for it in (node[:-1] if is_node else node)]
    return node
