"""Budgeted networks: constant cost, every resampling scheme, learning, and rough contexts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.models import Budgeted, Model, NetworkHeads, NeuralNetwork, SharedNetwork
from bandstrap.models.base import draw_scores
from bandstrap.models.features import CLIP, RunningScale
from bandstrap.models.network.replay import Replay
from bandstrap.models.network.shared import LangevinNetwork
from bandstrap.policies import ContextualBootstrap, ContextualEpsilonGreedy, Langevin
from bandstrap.policies.base import Policy
from bandstrap.priors import EigenExamples, NoExamples
from bandstrap.problem import Problem, Support
from bandstrap.resampling import (
    DoubleOrNothing,
    Exponential,
    GaussianNoise,
    Multinomial,
    NoResampling,
    Poisson,
    Resampling,
)

BUDGETED = Budgeted(NeuralNetwork(hidden=16, batch=4), examples=16)
SHARED = SharedNetwork(hidden=16, examples=16)
HEADS = NetworkHeads(SHARED, heads=4)
ARM_HEADS = NetworkHeads(BUDGETED, heads=4)
MODELS = [BUDGETED, SHARED, HEADS, ARM_HEADS]
NAMES = ["budgeted", "shared", "heads", "arm-heads"]
SCHEMES = [
    Exponential(), Multinomial(), Poisson(), DoubleOrNothing(), GaussianNoise(0.3), NoResampling(),
]  # fmt: skip


def play(
    policy: Policy[Any],
    context: Callable[[np.random.Generator], np.ndarray],
    right: Callable[[np.ndarray], int],
    rounds: int,
    n_arms: int = 2,
    seed: int = 0,
) -> tuple[np.ndarray, Any]:
    """Rewards by round, 1 for the right arm, and the state at the end."""
    rng = np.random.default_rng(seed)
    width = context(rng).size
    state = policy.start(Problem(n_arms, width, Support.binary()))
    rewards = np.zeros(rounds)
    for t in range(rounds):
        x = context(rng)
        arms = policy.select(state, x[None], rng)
        rewards[t] = float(arms[0] == right(x))
        policy.update(state, x[None], arms, rewards[t : t + 1], rng)
    return rewards, state


def square(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(-1, 1, 2)


def xor(x: np.ndarray) -> int:
    return int(x[0] * x[1] > 0)


@pytest.mark.parametrize(
    "policy",
    [
        ContextualEpsilonGreedy(Budgeted(NeuralNetwork(hidden=50))),
        ContextualEpsilonGreedy(SharedNetwork(hidden=50)),
        ContextualBootstrap(Exponential(), Budgeted(NeuralNetwork(hidden=50)), NoExamples()),
        ContextualBootstrap(Exponential(), NetworkHeads(Budgeted()), NoExamples()),
        ContextualBootstrap(Multinomial(), SharedNetwork(hidden=50), NoExamples()),
        ContextualBootstrap(Exponential(), NetworkHeads(SharedNetwork(hidden=50)), NoExamples()),
        Langevin(LangevinNetwork(hidden=50)),
    ],
    ids=[
        "eg-budgeted",
        "eg-shared",
        "wb-budgeted",
        "wb-arm-heads",
        "npb-shared",
        "wb-heads",
        "langevin",
    ],
)
def test_learns_what_no_linear_model_can(policy: Policy[Any]) -> None:
    rewards, _ = play(policy, square, xor, 1200)
    assert rewards[-400:].mean() > 0.85  # a linear model stays at one half


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
@pytest.mark.parametrize("prior", [NoExamples(), EigenExamples(np.eye(2))], ids=["none", "eigen"])
def test_every_scheme_and_prior(model: Model, scheme: Resampling, prior: Any) -> None:
    policy = ContextualBootstrap(scheme, model, prior)
    first, state = play(policy, square, xor, 40, n_arms=3)
    again, other = play(policy, square, xor, 40, n_arms=3)
    np.testing.assert_array_equal(first, again)
    x = np.full((1, 2), 0.3)
    scores = policy.scores(state, x, np.random.default_rng(1))
    np.testing.assert_array_equal(scores, policy.scores(other, x, np.random.default_rng(1)))
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_cost_does_not_grow(model: Model) -> None:
    learner: Any = model.learner(Problem(3, 2), Exponential(), NoExamples())
    rng, counts = np.random.default_rng(2), []
    counter = getattr(learner, "replay", learner)
    for t in range(400):
        learner.learn(square(rng), t % 3, 1.0, None)
        before = counter.touched
        draw_scores(learner, square(rng), rng)
        counts.append(counter.touched - before)
    assert counts[3:] == [16] * 397


def test_the_newest_example_is_always_taught() -> None:
    replay, rng = Replay(Problem(2, 1), EigenExamples(np.eye(1))), np.random.default_rng(3)
    for t in range(200):
        replay.add(np.array([float(t)]), t % 2, 1.0)
        assert t in replay.pick(4, rng)[0]
    for t in range(3):  # several since the last time
        replay.add(np.array([float(t)]), 0, 1.0)
    assert {200, 201, 202} <= set(replay.pick(4, rng)[0].tolist())


def test_examples_are_what_was_added() -> None:
    replay = Replay(Problem(3, 2, Support.binary()), EigenExamples(np.eye(2)))
    rng = np.random.default_rng(4)
    added = [(rng.normal(size=2), t % 3, float(t % 2)) for t in range(9)]
    for context, arm, reward in added:
        replay.add(context, arm, reward)
    assert replay.count == 9 + 3 * 8
    contexts, arms, rewards = replay.examples(np.arange(replay.count))
    np.testing.assert_allclose(contexts[:9], replay.scale(np.array([c for c, _, _ in added])))
    assert arms[:9].tolist() == [a for _, a, _ in added]
    assert rewards[:9].tolist() == [r for _, _, r in added]
    for arm in range(3):
        mine = np.flatnonzero(arms[9:] == arm) + 9
        expected = replay.scale(replay.pseudo.contexts)
        np.testing.assert_allclose(contexts[mine], expected, atol=1e-6)
        np.testing.assert_array_equal(rewards[mine], replay.pseudo.rewards)


def test_heads_keep_their_weights() -> None:
    learner: Any = HEADS.learner(Problem(2, 2), Exponential(), NoExamples())
    rng = np.random.default_rng(5)
    for t in range(100):
        learner.learn(square(rng), t % 2, 1.0, None)
        draw_scores(learner, square(rng), rng)
        if t == 50:
            kept = learner.draws.weights[:51].copy()
    np.testing.assert_array_equal(learner.draws.weights[:51], kept)
    weights = learner.draws.weights[:100]
    assert np.unique(weights).size == 400  # each head its own
    assert weights.mean() == pytest.approx(1.0, abs=0.25)  # five standard errors


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_scale_does_not_matter(model: Model, scale: float) -> None:
    """Constant columns and any scale or offset: the same decisions up to rounding."""

    def context(rng: np.random.Generator) -> np.ndarray:
        x = square(rng)
        return np.array([scale * x[0], 7.0, 0.0, scale * (x[1] + 3.0)])

    def right(x: np.ndarray) -> int:
        return int(x[0] > 0)

    policy = ContextualBootstrap(Exponential(), model, NoExamples())
    rewards, _ = play(policy, context, right, 600)
    assert rewards[-200:].mean() > 0.85


def test_one_class_and_constant_contexts_stay_finite() -> None:
    for model in MODELS:
        policy = ContextualBootstrap(Exponential(), model, NoExamples())
        _, state = play(policy, lambda _: np.array([2.0, 0.0]), lambda _: 0, 100, n_arms=1)
        scores = policy.scores(state, np.array([[2.0, 5.0]]), np.random.default_rng(0))
        assert np.isfinite(scores).all()
        assert scores[0, 0] > 0.5


def test_running_scale_is_mean_and_spread() -> None:
    rng, scale = np.random.default_rng(6), RunningScale(3)
    rows = rng.normal(5.0, 2.0, (500, 3)) * [1.0, 1e9, 0.0]
    rows[7, 0] = 1e6  # rare and far
    for row in rows:
        scale.see(row)
    expected = (rows[:, :2] - rows[:, :2].mean(0)) / rows[:, :2].std(0)
    np.testing.assert_allclose(scale(rows)[:, :2], np.clip(expected, -CLIP, CLIP), atol=1e-5)
    assert not scale(rows)[:, 2].any()


def test_bytes_are_shares() -> None:
    rng = np.random.default_rng(7)
    pixels = rng.integers(0, 256, (50, 4)).astype(np.uint8)
    bytewise, exact = RunningScale(4), RunningScale(4)
    for row in pixels:
        bytewise.see(row)
        exact.see(row / 255.0)
    np.testing.assert_allclose(bytewise(pixels), exact(pixels / 255.0), atol=1e-4)


def test_langevin_noise_shrinks_with_history() -> None:
    """With nothing to learn, parameters wander by √(2 rate / n) times a fixed factor."""
    spreads = []
    for count in (100, 10_000):
        learner: Any = Langevin()._learner(Problem(2, 2))
        rng = np.random.default_rng(8)
        learner.learn(np.zeros(2), 0, 0.5, None)
        network, optimiser = learner._network(rng)
        before = network.flat.copy()
        optimiser.step(network.flat, np.zeros_like(before), count, rng)
        spreads.append((network.flat - before).std())
    assert spreads[0] / spreads[1] == pytest.approx(10.0, rel=0.05)


def test_refusals() -> None:
    wrong: list[Callable[[], object]] = [
        lambda: Budgeted(examples=0),
        lambda: SharedNetwork(layers=0),
        lambda: SharedNetwork(learning_rate=np.nan),
        lambda: NetworkHeads(heads=0),
    ]
    for make in wrong:
        with pytest.raises(InvalidInput):
            make()
    for model in MODELS:
        with pytest.raises(InvalidInput, match="support"):
            model.learner(Problem(2, 2, Support.real()), Exponential(), NoExamples())
    with pytest.raises(InvalidInput, match="n_features"):
        Langevin().start(Problem(2))


def test_arms_heads_keep_their_weights_as_rows_fade_and_arms_go() -> None:
    learner: Any = ARM_HEADS.learner(Problem(2, 2), Exponential(), NoExamples())
    rng = np.random.default_rng(11)
    for t in range(40):
        learner.learn(square(rng), t % 2, 1.0, None)
        draw_scores(learner, square(rng), rng)
    kept = [draws.weights[: draws.known].copy() for draws in learner.draws]
    assert [len(each) for each in kept] == [20, 20]
    assert np.unique(np.concatenate(kept)).size == 160
    for _ in range(60):  # the first ten rows of each arm count less than is remembered
        learner.discount(0.5)
        if learner.rows[0].count < 20:
            break
        for arm in (0, 1):
            learner.learn(square(rng), arm, 1.0, None)
            draw_scores(learner, square(rng), rng)
    for arm, draws in enumerate(learner.draws):
        gone = kept[arm].shape[0] - np.isin(kept[arm][:, 0], draws.weights[: draws.known, 0]).sum()
        assert gone > 0
        np.testing.assert_array_equal(draws.weights[: 20 - gone], kept[arm][gone:])
    fresh = ARM_HEADS.learner(Problem(2, 2), Exponential(), NoExamples())
    second = learner.draws[1]
    learner.remap_arms(fresh, (1, None))
    assert learner.draws[0] is second
    assert learner.draws[1].known == 0
