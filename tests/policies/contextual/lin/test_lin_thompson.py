import numpy as np
from scipy import stats

from bandstrap.policies.contextual.lin.thompson import FixedSpread, LinThompson, PublishedSpread
from bandstrap.problem import Problem


def test_draws_are_the_posteriors_and_independent_between_arms() -> None:
    rng = np.random.default_rng(0)
    policy = LinThompson(FixedSpread(0.6), penalty=2.0)
    problem = Problem(2, 3)
    state = policy.start(problem)
    contexts = rng.normal(size=(25, 3))
    rewards = rng.random(25)
    for x, reward in zip(contexts, rewards, strict=True):
        policy.update(state, x[None], np.array([1]), np.array([reward]))
    x = np.array([[0.5, -0.5, 2.0]])
    draws = np.array([policy.scores(state, x, rng)[0] for _ in range(20_000)])
    probe = np.append(x[0], 1.0)
    rows = np.column_stack([contexts, np.ones(25)])
    inverse = np.linalg.inv(2 * np.eye(4) + rows.T @ rows)
    mean = probe @ inverse @ rows.T @ rewards
    for arm, (centre, variance) in enumerate(
        [(0.0, probe @ probe / 2), (mean, probe @ inverse @ probe)]
    ):
        normal = stats.norm(centre, 0.6 * np.sqrt(variance))
        assert stats.kstest(draws[:, arm], normal.cdf).pvalue > 1e-4
    assert abs(np.corrcoef(draws.T)[0, 1]) < 4 / np.sqrt(20_000)


def test_the_published_spread_follows_rounds_and_parameters() -> None:
    policy = LinThompson(PublishedSpread(delta=0.2, noise=0.5))
    state = policy.start(Problem(2, 3))
    x = np.zeros((1, 3))
    for _ in range(9):
        policy.update(state, x, np.array([0]), np.array([0.5]))
    draws = np.array([policy.scores(state, x, np.random.default_rng(i))[0] for i in range(4000)])
    v = 0.5 * np.sqrt(9 * 4 * np.log(10 / 0.2))
    # Arm 1 is unseen: xᵀA⁻¹x = 1 by its constant; arm 0 has seen the constant nine times.
    np.testing.assert_allclose(draws.std(axis=0), [v / np.sqrt(10), v], rtol=0.05)
