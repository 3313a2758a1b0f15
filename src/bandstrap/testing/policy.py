"""What a policy promises."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.choice import best_probabilities
from bandstrap.errors import InvalidInput
from bandstrap.policies import Policy
from bandstrap.problem import Problem, Support
from bandstrap.seeding import generator
from bandstrap.storage.unpacking import Loaded, unpack
from bandstrap.testing.rules import alike, follow, packed, print_of, refuses, require, require_shape

RUNS = 4
PAIRS = 150  # of choices in two runs
OFTEN = 0.9  # how often the best arm pays; the others pay with 1 - OFTEN
MOSTLY = 0.6  # a policy that does not learn chooses the better of two arms half of the time


def ends(support: Support) -> tuple[float, float]:
    """A poor and a good reward."""
    finite = isfinite(support.low) and isfinite(support.high)
    return (support.low, support.high) if finite else (0.0, 1.0)


class World:
    """One arm in each run pays well nine times in ten, the others one time in ten."""

    def __init__(self, problem: Problem, best: Array) -> None:
        self.problem = problem
        self.best = best  # (runs,)
        self.runs = best.size

    def contexts(self, rng: Rng) -> Array | None:
        """What a decision sees: where arms have features, the first one marks the best."""
        problem = self.problem
        if problem.n_features == 0:
            return None
        if problem.per_arm:
            features = rng.standard_normal((self.runs, problem.n_arms, problem.n_features))
            features[:, :, 0] = np.arange(problem.n_arms) == self.best[:, None]
            return features
        contexts = rng.standard_normal((self.runs, problem.n_features))
        contexts[:, 0] = 1.0  # for models without an intercept
        return contexts

    def learnt(self, contexts: Contexts, arms: Array) -> Array | None:
        """What an update sees."""
        if contexts is None or not self.problem.per_arm:
            return contexts
        rows: Array = contexts[np.arange(self.runs), arms]
        return rows

    def rewards(self, arms: Array, rng: Rng) -> Array:
        poor, good = ends(self.problem.support)
        chance = np.where(arms == self.best, OFTEN, 1 - OFTEN)
        return np.where(rng.random(self.runs) < chance, good, poor)


def play(policy: Policy[Any], state: Any, world: World, rng: Rng, rounds: int) -> Array:
    """Let a policy choose and learn, in place; the arms it chose, (rounds, runs)."""
    chosen = np.empty((rounds, world.runs), dtype=np.int64)
    for turn in range(rounds):
        contexts = world.contexts(rng)
        chosen[turn] = arms = policy.select(state, contexts, rng)
        policy.update(state, world.learnt(contexts, arms), arms, world.rewards(arms, rng), rng)
    return chosen


def teach(policy: Policy[Any], state: Any, world: World, rng: Rng, rounds: int) -> None:
    """Let a policy learn each arm in turn."""
    for turn in range(rounds):
        contexts, arms = world.contexts(rng), np.full(world.runs, turn % world.problem.n_arms)
        policy.update(state, world.learnt(contexts, arms), arms, world.rewards(arms, rng), rng)


class Frozen:
    """A policy that has learnt a little in one run, and one decision that it has to make."""

    def __init__(self, policy: Policy[Any], problem: Problem, rng: Rng, rounds: int) -> None:
        world = World(problem, np.zeros(1, dtype=np.int64))
        self.policy = policy
        self.problem = problem
        self.state = policy.start(problem)
        teach(policy, self.state, world, rng, rounds)
        self.contexts = world.contexts(rng)

    def chosen(self, rng: Rng, allowed: Array, draws: int) -> Array:
        """How often `select` chooses each arm, every time as if it were the first."""
        copies = (deepcopy(self.state) for _ in range(draws))
        arms = [self.policy.select(state, self.contexts, rng, allowed) for state in copies]
        return self._counted(arms)

    def chosen_on(self, rng: Rng, allowed: Array, draws: int) -> Array:
        """How often it does when one decision follows the other."""
        state = deepcopy(self.state)
        arms = [self.policy.select(state, self.contexts, rng, allowed) for _ in range(draws)]
        return self._counted(arms)

    def best(self, rng: Rng, allowed: Array, draws: int) -> Array:
        """How often each arm has the largest score, ties at random."""
        arms = []
        for _ in range(draws):
            scores = self.policy.scores(deepcopy(self.state), self.contexts, rng)[0]
            probabilities = best_probabilities(scores, allowed[0], self.problem.support.scale)
            arms.append(rng.choice(probabilities.size, p=probabilities))
        return self._counted(arms)

    def _counted(self, arms: list[Any]) -> Array:
        return np.bincount(np.ravel(arms), minlength=self.problem.n_arms)


class Trial(NamedTuple):
    """A policy and how it is tried."""

    policy: Policy[Any]
    problem: Problem
    seed: int
    rounds: int
    draws: int
    deciding_trains: bool

    def rng(self, name: str) -> Rng:
        return generator(self.seed, "testing", name)

    def world(self, n_arms: int | None = None) -> World:
        """In run r arm r is the best, so that runs have to be kept apart."""
        problem = replace(self.problem, n_arms=n_arms or self.problem.n_arms)
        return World(problem, np.arange(RUNS) % problem.n_arms)

    def played(self, name: str, rounds: int = 12) -> tuple[Any, World, Rng]:
        """A state that has seen something, its world and random numbers to go on with."""
        world, rng = self.world(), self.rng(name)
        state = self.policy.start(self.problem, RUNS)
        play(self.policy, state, world, rng, rounds)
        return state, world, rng

    def print_of(self, value: object, what: str = "a state") -> object:
        return print_of(packed(value, self.policy, what))

    def require(self, held: bool, rule: str, found: object = None) -> None:
        require(held, self.policy, rule, found)


def check_policy(
    policy: Policy[Any],
    problem: Problem | None = None,
    *,
    seed: int = 0,
    rounds: int = 200,
    draws: int = 1000,
    deciding_trains: bool = False,
) -> None:
    """Try a policy on a problem: three arms that pay 0 or 1, unless another is given.

    A policy for contexts needs a problem that has some, like `Problem(3, n_features=2)`. The policy
    plays `rounds` rounds against two arms that pay 0.9 and 0.1 on average, and has to choose the
    better one most of the time in the last quarter. Laws of choices are compared by `draws` draws:
    fewer take less time and overlook more. Decisions must not change later ones, except where
    `deciding_trains`, as with networks that take some steps before every decision.

    >>> from bandstrap import LinUCB
    >>> check_policy(LinUCB(), Problem(3, n_features=2), draws=100)
    """
    problem = problem or Problem(3, support=Support.binary())
    if problem.n_arms < 2:
        raise InvalidInput("problem", problem, "one arm leaves nothing to choose; give more")
    trial = Trial(policy, problem, seed, rounds, draws, deciding_trains)
    for rule in RULES:
        rule(trial)


def _shapes(trial: Trial) -> None:
    policy, problem = trial.policy, trial.problem
    state = policy.start(problem, RUNS)
    has = (getattr(state, "runs", None), getattr(state, "problem", None))
    rule = "start must return a state with its runs and its problem"
    trial.require(has == (RUNS, problem), rule, has)
    world, rng = trial.world(), trial.rng("shapes")
    for _ in range(3):
        contexts = world.contexts(rng)
        scores = policy.scores(state, contexts, rng)
        require_shape(scores, (RUNS, problem.n_arms), policy, "scores")
        trial.require(not np.isnan(scores).any(), "scores must not be NaN", scores)
        arms = policy.select(state, contexts, rng)
        require_shape(arms, (RUNS,), policy, "what select returns")
        trial.require(arms.dtype.kind == "i", "select must return whole numbers", arms.dtype)
        inside = bool(((arms >= 0) & (arms < problem.n_arms)).all())
        trial.require(inside, f"select must return arms from 0 to {problem.n_arms - 1}", arms)
        rewards = world.rewards(arms, rng)
        learnt, update = world.learnt(contexts, arms), policy.update
        given = update(state, learnt, arms, rewards, rng)
        trial.require(given is None, "update must change the state in place and return None", given)


def _smallest(trial: Trial) -> None:
    """One run, and one arm."""
    world = World(replace(trial.problem, n_arms=1), np.zeros(1, dtype=np.int64))
    state = trial.policy.start(world.problem)
    arms = play(trial.policy, state, world, trial.rng("smallest"), 5)
    trial.require(not arms.any(), "of a single arm select must choose that one", arms)


def _only_allowed(trial: Trial) -> None:
    for rounds in (0, 12):
        state, world, rng = trial.played("allowed", rounds)
        for turn in range(10):
            allowed = rng.random((RUNS, trial.problem.n_arms)) < (0.5 if turn else 0.0)
            allowed[np.arange(RUNS), rng.integers(trial.problem.n_arms, size=RUNS)] = True
            mask = allowed if turn % 2 else allowed.tolist()
            arms = trial.policy.select(state, world.contexts(rng), rng, mask)
            kept = bool(allowed[np.arange(RUNS), arms].all())
            rule = "select must choose only arms that are allowed"
            trial.require(kept, rule, f"{arms} of {allowed.tolist()}")


def _same_seed(trial: Trial) -> None:
    one, other = (trial.policy.start(trial.problem, RUNS) for _ in range(2))
    world = trial.world()
    first = play(trial.policy, one, world, trial.rng("seed"), 30)
    second = play(trial.policy, other, world, trial.rng("seed"), 30)
    rule = "the same generator must give the same decisions: draw all random numbers from it"
    differ = f"another arm in round {int((first != second).any(axis=1).argmax())}"
    trial.require(bool((first == second).all()), rule, differ)
    one, other = (trial.print_of(each) for each in (one, other))
    trial.require(one == other, "the same generator must lead to the same state")


def _runs_apart(trial: Trial) -> None:
    """What the last run learns must not reach the first."""
    rng, world, n_arms = trial.rng("runs"), trial.world(), trial.problem.n_arms
    one, other = (trial.policy.start(trial.problem, RUNS) for _ in range(2))
    for turn in range(3 * n_arms):
        contexts, arms = world.contexts(rng), np.full(RUNS, turn % n_arms)
        rewards, seed = world.rewards(arms, rng), int(rng.integers(2**31))
        for state, shift in ((one, 0), (other, 1)):
            arms[-1] = (turn + shift) % n_arms
            learnt = world.learnt(contexts, arms)
            trial.policy.update(state, learnt, arms, rewards, generator(seed, "runs"))
    contexts = world.contexts(rng)
    drawn = [trial.policy.scores(each, contexts, trial.rng("drawn"))[0] for each in (one, other)]
    rule = "what one run learns must not change what another draws"
    trial.require(drawn[0].tobytes() == drawn[1].tobytes(), rule, drawn)


def _runs_independent(trial: Trial) -> None:
    state = trial.policy.start(trial.problem, 2)
    world, rng = World(trial.problem, np.zeros(2, dtype=np.int64)), trial.rng("independent")
    teach(trial.policy, state, world, rng, trial.problem.n_arms)
    contexts = world.contexts(rng)
    if contexts is not None:
        contexts[1] = contexts[0]
    pairs = [trial.policy.select(deepcopy(state), contexts, rng) for _ in range(PAIRS)]
    first = np.array(pairs) == 0
    if first.std(axis=0).min() > 0:
        found = float(np.corrcoef(first.T)[0, 1])
        rule = "runs must choose independently: draw random numbers for each of them"
        trial.require(abs(found) < 4.5 / np.sqrt(PAIRS), rule, f"a correlation of {found:.2f}")


def _owner_of_state(trial: Trial) -> None:
    before = trial.print_of(trial.policy, "a policy")
    other = trial.policy.start(trial.problem, RUNS)
    kept = trial.print_of(other)
    trial.played("owner")
    after = trial.print_of(trial.policy, "a policy")
    trial.require(before == after, "a policy must not change: what is learnt belongs to the state")
    after = trial.print_of(other)
    trial.require(kept == after, "what one state learns must change no other state")


def _refusals(trial: Trial) -> None:
    state, world, rng = trial.played("refusals")
    support, arms = trial.problem.support, np.arange(RUNS) % trial.problem.n_arms
    contexts = world.learnt(world.contexts(rng), arms)
    poor, good = ends(support)
    rewards: list[float] = [np.nan, np.inf]
    if np.isfinite(support.high):
        rewards += [support.low - 1.0, support.high + 1.0]
    if support.values is not None:
        rewards.append((support.values[0] + support.values[1]) / 2)
    bad = [("reward", reward, arms, reward) for reward in rewards]
    bad += [("arm", arm, np.append(arms[:-1], arm), good) for arm in (-1, trial.problem.n_arms)]
    before = trial.print_of(state)
    for what, value, pulled, reward in bad:
        paid = np.append(np.full(RUNS - 1, poor), reward)

        def update(pulled: Array = pulled, paid: Array = paid) -> None:
            trial.policy.update(state, contexts, pulled, paid, rng)

        refused = refuses(update)
        trial.require(refused, f"update must refuse a {what} like {value} by InvalidInput")
        rule = f"a {what} that is refused, like {value}, must leave the state as it was"
        trial.require(trial.print_of(state) == before, rule)


def _saving(trial: Trial) -> None:
    state, world, rng = trial.played("saving")
    loaded, same_rng = unpack(packed((state, rng), trial.policy, "a state"), Loaded())
    one = play(trial.policy, state, world, rng, 12)
    other = play(trial.policy, loaded, world, same_rng, 12)
    rule = "a state that was saved and loaded must go on as if it had not been"
    trial.require(bool((one == other).all()), rule, "other decisions")
    contexts = world.contexts(rng)
    scores = [trial.policy.scores(each, contexts, deepcopy(rng)) for each in (state, loaded)]
    trial.require(scores[0].tobytes() == scores[1].tobytes(), rule, f"scores {scores}")


def _laws(trial: Trial) -> None:
    """Laws of one decision, when one arm has been tried and when all have been a few times."""
    rng, n_arms = trial.rng("laws"), trial.problem.n_arms
    for rounds, draws in ((1, max(1, trial.draws // 4)), (4 * n_arms + 1, trial.draws)):
        frozen = Frozen(trial.policy, trial.problem, rng, rounds)
        for left_out in (0, 1):
            _law(trial, frozen, np.arange(n_arms)[None] < n_arms - left_out, rng, draws)


def _law(trial: Trial, frozen: Frozen, allowed: Array, rng: Rng, draws: int) -> None:
    chosen = frozen.chosen(rng, allowed, draws)
    best = frozen.best(rng, allowed, draws)
    rule = f"select must choose the largest of scores; in {draws} draws that was {best.tolist()}"
    trial.require(alike(chosen, best), rule, chosen.tolist())
    if not trial.deciding_trains:
        later = frozen.chosen_on(rng, allowed, draws)
        rule = f"select must not change later decisions; the first is {chosen.tolist()}"
        trial.require(alike(chosen, later), rule, later.tolist())
    _probabilities(trial, frozen, allowed, chosen)


def _probabilities(trial: Trial, frozen: Frozen, allowed: Array, chosen: Array) -> None:
    state = deepcopy(frozen.state)
    known = trial.policy.probabilities(state, frozen.contexts, allowed)
    if known is None:
        return
    require_shape(known, (trial.problem.n_arms,), trial.policy, "probabilities")
    sums = abs(known.sum() - 1) < 1e-6 and known.min() > -1e-9 and not known[~allowed[0]].any()
    rule = "probabilities must sum to 1 over the arms that are allowed and be 0 for others"
    trial.require(bool(sums), rule, known.tolist())
    rule = f"select must choose as often as probabilities says, {known.round(4).tolist()}"
    trial.require(follow(chosen, known), rule, f"{chosen.tolist()} in {int(chosen.sum())} draws")


def _learns(trial: Trial) -> None:
    world = trial.world(n_arms=2)
    state = trial.policy.start(world.problem, RUNS)
    chosen = play(trial.policy, state, world, trial.rng("learns"), trial.rounds)
    late = chosen[-max(1, trial.rounds // 4) :] == world.best
    rule = f"after {trial.rounds} rounds it must mostly choose the better of two arms, in each run"
    shares = late.mean(axis=0)
    trial.require(bool(late.mean() > MOSTLY and shares.min() > 0.2), rule, f"shares {shares}")


RULES: tuple[Callable[[Trial], None], ...] = (
    _shapes,
    _smallest,
    _only_allowed,
    _same_seed,
    _owner_of_state,
    _runs_apart,
    _refusals,
    _saving,
    _laws,
    _runs_independent,
    _learns,
)
