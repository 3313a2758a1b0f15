import numpy as np
import pytest
from scipy import optimize, special

from bandstrap.errors import InvalidInput
from bandstrap.models.base import draw_scores
from bandstrap.models.online.replicas import OnlineLinear, OnlineLogistic, ReplicaLearner, Replicas
from bandstrap.priors import GaussianExamples, NoExamples
from bandstrap.problem import Problem, Support
from bandstrap.resampling import DoubleOrNothing, Exponential, Multinomial, Poisson

TRUTH = np.array([1.0, -0.5, 0.3])


def data(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rows, 3))
    rewards = (rng.random(rows) < special.expit(contexts @ TRUTH - 0.4)).astype(float)
    return contexts, rewards


def taught(
    contexts: np.ndarray,
    rewards: np.ndarray,
    model: Replicas | None = None,
    resampling: object = None,
) -> ReplicaLearner:
    model = model or Replicas()
    problem = Problem(2, contexts.shape[1], Support.interval(0, 1))
    learner = model.learner(problem, resampling or Exponential(), NoExamples())
    rng = np.random.default_rng(1)
    for context, reward in zip(contexts, rewards, strict=True):
        learner.learn(context, 0, reward, rng)
    return learner


def weighted_fit(contexts: np.ndarray, rewards: np.ndarray, weights: np.ndarray) -> np.ndarray:
    rows = np.column_stack([contexts, np.ones(len(contexts))])

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        margins = rows @ theta
        value = weights @ (np.logaddexp(0, margins) - rewards * margins)
        return value, rows.T @ (weights * (special.expit(margins) - rewards))

    return optimize.minimize(loss, np.zeros(rows.shape[1]), jac=True, tol=1e-10).x


def test_each_replica_follows_its_own_weighted_fit() -> None:
    contexts, rewards = data(3000)
    learner = taught(contexts, rewards)
    weights = learner.weights[0][:3000, :10]
    fits = np.array([weighted_fit(contexts, rewards, weights[:, r]) for r in range(10)]).T
    learnt = learner.theta[0][:, :10]
    spread = fits.std(axis=1).mean()
    # Closer to its own fit than replicas are to one another, and it is its own that it follows.
    assert np.sqrt(np.mean((learnt - fits) ** 2)) < 0.7 * spread
    others = np.roll(fits, 1, axis=1)
    assert np.mean((learnt - fits) ** 2) < 0.4 * np.mean((learnt - others) ** 2)


def test_a_linear_replica_finds_least_squares() -> None:
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(3000, 3))
    rewards = np.clip(0.5 + contexts @ [0.1, -0.05, 0.0] + 0.1 * rng.normal(size=3000), 0, 1)
    learner = taught(contexts, rewards, Replicas(OnlineLinear()))
    mean = learner.theta[0][:, :10].mean(axis=1)
    np.testing.assert_allclose(mean, [0.1, -0.05, 0.0, 0.5], atol=0.01)


@pytest.mark.parametrize("resampling", [Exponential(), Poisson(), DoubleOrNothing()])
def test_weights_are_the_schemes_and_stay(resampling: object) -> None:
    contexts, rewards = data(200)
    learner = taught(contexts, rewards, resampling=resampling)
    first = learner.weights[0][:200].copy()
    learner.learn(contexts[0], 0, 1.0, np.random.default_rng(5))
    np.testing.assert_array_equal(learner.weights[0][:200], first)
    assert first[:, :10].mean() == pytest.approx(1.0, abs=0.1)
    assert first[:, :10].var() == pytest.approx(1.0, abs=0.2)
    correlation = np.corrcoef(first[:, :10].T) - np.eye(10)
    assert np.abs(correlation).max() < 4.5 / np.sqrt(200)


def test_a_weight_of_zero_teaches_nothing_and_two_replicas_alike_stay_alike() -> None:
    class Fixed(Exponential):
        def weights(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
            return np.broadcast_to(np.array([0.0, 1.0, 1.0, 2.0])[:, None], shape)

    contexts, rewards = data(50)
    learner = taught(contexts, rewards, Replicas(count=4), Fixed())
    theta = learner.theta[0]
    np.testing.assert_array_equal(theta[:, 0], 0.0)
    np.testing.assert_array_equal(theta[:, 1], theta[:, 2])
    assert (theta[:, 1] != theta[:, 3]).all()


@pytest.mark.parametrize("scale", [1e-12, 1e12])
@pytest.mark.parametrize("model", [OnlineLinear(), OnlineLogistic()])
def test_the_scale_of_a_feature_does_not_matter(scale: float, model: object) -> None:
    contexts, rewards = data(500)
    factors = np.array([1.0, scale, 1.0])
    plain = taught(contexts, rewards, Replicas(model))
    scaled = taught(contexts * factors, rewards, Replicas(model))
    expected = plain.theta[0] / np.append(factors, 1.0)[:, None]
    np.testing.assert_allclose(scaled.theta[0], expected, rtol=1e-6)


def test_bytes_learn_as_their_shares_do() -> None:
    contexts = np.random.default_rng(0).integers(0, 256, (100, 3)).astype(np.uint8)
    rewards = (contexts[:, 0] > 128).astype(float)
    as_bytes = taught(contexts, rewards)
    as_floats = taught(contexts / 255.0, rewards)
    np.testing.assert_allclose(as_bytes.theta, as_floats.theta, rtol=1e-9)
    rng, again = np.random.default_rng(3), np.random.default_rng(3)
    np.testing.assert_allclose(
        draw_scores(as_bytes, contexts[0], rng), draw_scores(as_floats, contexts[0] / 255.0, again)
    )


def test_a_decision_asks_one_replica_for_all_arms() -> None:
    contexts, rewards = data(100)
    learner = taught(contexts, rewards)
    rng = np.random.default_rng(0)
    for context, reward in zip(contexts, 1 - rewards, strict=True):
        learner.learn(context, 1, reward, rng)
    probe = np.append(contexts[0], 1.0)
    known = special.expit(np.einsum("aik,i->ka", learner.theta, probe)[:10])
    asked = set()
    for _ in range(200):
        scores = draw_scores(learner, contexts[0], rng)
        asked.add(int(np.abs(known - scores).sum(axis=1).argmin()))
        assert np.abs(known - scores).sum(axis=1).min() < 1e-12
    assert asked == set(range(10))
    assert learner.best(contexts[0], rng, np.array([False, True])) == 1


def test_without_pseudo_examples_new_arms_come_first_and_with_them_all_are_modelled() -> None:
    contexts, rewards = data(20)
    rng = np.random.default_rng(0)
    learner = taught(contexts, rewards)
    assert draw_scores(learner, contexts[0], rng)[1] == 1.0
    assert learner.best(contexts[0], rng, np.ones(2, dtype=bool)) == 1
    modelled = Replicas().learner(Problem(2, 3), Exponential(), GaussianExamples())
    assert (draw_scores(modelled, contexts[0], rng) < 1).all()


def test_what_cannot_be_is_refused() -> None:
    problem = Problem(2, 3)
    with pytest.raises(InvalidInput, match="Exponential"):
        Replicas().learner(problem, Multinomial(), NoExamples())
    with pytest.raises(InvalidInput, match="rescale"):
        Replicas().learner(Problem(2, 3, Support.real()), Exponential(), NoExamples())
    with pytest.raises(InvalidInput, match="generator"):
        Replicas().learner(problem, Exponential(), NoExamples()).learn(np.ones(3), 0, 1.0, None)
    for make in (
        lambda: Replicas(count=0),
        lambda: OnlineLogistic(rate=0),
        lambda: OnlineLinear(replay=-1),
    ):
        with pytest.raises(InvalidInput, match="give"):
            make()
