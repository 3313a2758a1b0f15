"""An environment of one's own is played as it is written, or refused: regret is never wrong."""

from dataclasses import dataclass

import numpy as np
import pytest

from bandstrap import Bootstrap, InvalidInput, Policy, Problem, State, Support, simulate
from bandstrap.environments import Bernoulli, Environment, Round
from bandstrap.simulation import Cell, Runner
from bandstrap.testing import check_environment


@dataclass(frozen=True)
class First(Policy[State]):
    """Always arm 0, so that regret follows from the means alone."""

    def _start(self, problem, runs):
        return State(problem, runs)

    def _scores(self, state, contexts, rng):
        return np.tile(np.eye(state.problem.n_arms)[0], (state.runs, 1))

    def _update(self, state, contexts, arms, rewards, rng, weights=None):
        pass


class World:
    def __init__(self, runs):
        self.means = np.tile([0.7, 0.3], (runs, 1))
        self.rounds = 0


@dataclass(frozen=True)
class Switching(Environment):
    """Two arms that change places after round `at`."""

    at: int = 500

    @property
    def problem(self):
        return Problem(2, support=Support.binary())

    def start(self, runs, rng):
        return World(runs)

    def look(self, world, played):
        world.means = np.tile([0.7, 0.3] if played < self.at else [0.3, 0.7], (len(world.means), 1))
        return Round(None, world.means, world.means.max(axis=1))

    def pull(self, world, chosen, rng):
        paid = rng.random(chosen.size) < world.means[np.arange(chosen.size), chosen]
        return paid.astype(float)


class Sinking(Switching):
    """Arm 0 loses a thousandth with every pull, in place, after the reward is drawn."""

    def look(self, world, played):
        return Round(None, world.means, world.means.max(axis=1))

    def pull(self, world, chosen, rng):
        paid = super().pull(world, chosen, rng)
        world.rounds += 1
        world.means[:, 0] = 0.7 - 0.001 * world.rounds
        return paid


class Walking(Switching):
    """Drifts in `look`, by the world's own count: each round must be looked at once."""

    def look(self, world, played):
        assert world.rounds == played
        world.rounds += 1
        return super().look(world, world.rounds - 1)


@pytest.mark.parametrize("at", [1, 137, 500, 999])
def test_regret_follows_means_that_change(at):
    trace = simulate(First(), Switching(at), 1000, runs=3)
    np.testing.assert_allclose(trace.regret[:, -1], 0.4 * (1000 - at))
    expected = 0.4 * np.maximum(trace.rounds - at, 0)
    np.testing.assert_allclose(trace.regret, np.tile(expected, (3, 1)), atol=1e-9)


def test_regret_is_that_of_the_round_though_the_pull_changes_the_world():
    trace = simulate(First(), Sinking(), 600, runs=3)
    lost = np.maximum(0.0, 0.3 - (0.7 - 0.001 * np.arange(600)))
    np.testing.assert_allclose(trace.regret[:, -1], lost.sum())
    check_environment(Sinking())


def test_every_round_is_looked_at_once():
    simulate(First(), Walking(), 300, runs=3)
    check_environment(Switching(at=50))


class Generous(Bernoulli):
    """Pays 1 whatever is pulled; kernels would draw from the law of its base."""

    def look(self, world, played):
        return Round(None, np.ones_like(world.means), np.ones(len(world.means)))

    def pull(self, world, chosen, rng):
        return np.ones(chosen.size)


def test_a_subclass_of_ours_is_played_as_it_is_written():
    trace = simulate(Bootstrap(), Generous(means=(0.2, 0.1)), 50, runs=4)
    assert (trace.reward == trace.rounds).all()
    assert not trace.regret.any()


class Forgotten(Bernoulli):
    """`look` drifts and `pull` does not."""

    def look(self, world, played):
        means = world.means * 0.5 ** (played / 100)
        return Round(None, means, means.max(axis=1))


def test_rewards_of_other_means_are_refused_whatever_the_policy():
    for policy in (Bootstrap(), First()):
        with pytest.raises(InvalidInput, match=r"Forgotten.pull = .* means that look returns"):
            simulate(policy, Forgotten(means=(0.9, 0.1)), 1000, runs=20)


@pytest.mark.parametrize("mean", [0.0, 1e-4, 0.5, 1.0])
def test_right_rewards_are_never_refused(mean):
    class Own(Bernoulli):
        def pull(self, world, chosen, rng):
            return super().pull(world, chosen, rng)

    for seed in range(3):
        simulate(Bootstrap(), Own(means=(mean, 0.3)), 300, runs=100, seed=seed)


class Late(Switching):
    """Breaks its promise long after the first rounds."""

    def look(self, world, played):
        seen = super().look(world, played)
        return seen._replace(best=seen.best - (played > 200))


class Shrinking(Switching):
    def look(self, world, played):
        seen = super().look(world, played)
        return seen._replace(means=seen.means[:, :1]) if played > 200 else seen


class Contexts(Switching):
    def look(self, world, played):
        return super().look(world, played)._replace(contexts=np.zeros((len(world.means), 1)))


class Counting(Switching):
    def pull(self, world, chosen, rng):
        object.__setattr__(self, "pulls", getattr(self, "pulls", 0) + 1)
        return super().pull(world, chosen, rng)


class Listing(Switching):
    def pull(self, world, chosen, rng):
        return list(super().pull(world, chosen, rng))


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (Late, r"Late.look = .* best must be the largest of means"),
        (Shrinking, r"Shrinking.look = 'shape \(2, 1\)': the means must be .* shape \(2, 2\)"),
        (Contexts, r"Contexts.look = .* contexts of a round must be None"),
        (Counting, r"environment = 'Counting': it changes as it is played"),
        (Listing, r"Listing.pull = .* what pull returns must be an array"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_broken_rule_is_one_error_that_names_it(kind, rule):
    with pytest.raises(InvalidInput, match=rule):
        simulate(First(), kind(), 500, runs=2)


def test_cells_are_guarded_too():
    cell = Cell("mine", "late", "first", Late(), First(), 500, runs=2)
    with pytest.raises(InvalidInput, match="best must be the largest"):
        Runner().run([cell])


def test_a_class_without_a_repr_has_the_same_worlds_every_time():
    class Plain(Environment):
        problem = Problem(2, support=Support.binary())

        def start(self, runs, rng):
            world = World(runs)
            world.means = rng.random((runs, 2))
            return world

        def look(self, world, played):
            return Round(None, world.means, world.means.max(axis=1))

        pull = Switching.pull

    one, other = (simulate(First(), Plain(), 20, runs=5) for _ in range(2))
    assert (one.reward == other.reward).all()
    assert (one.regret == other.regret).all()
    assert "0x" not in Plain().stream
