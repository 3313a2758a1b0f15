"""Reward distributions that compiled code draws from, each with a parameter and a scale."""

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.random.exp import exp
from bandstrap.kernels.random.streams import exponential, normal, uniform

BERNOULLI, TRUNCATED_NORMAL, BETA, TRIANGULAR, TRIANGULAR_SPAN, NORMAL = range(6)


@kernel
def _beta(stream, mean):
    """Beta(mean, 1 - mean) by Jöhnk's method, in logarithms: shapes may be tiny."""
    if not 0.0 < mean < 1.0:
        return mean
    while True:
        x = -exponential(stream) / mean
        y = -exponential(stream) / (1.0 - mean)
        if exp(x) + exp(y) <= 1.0:
            top = max(x, y)
            return exp(x - top) / (exp(x - top) + exp(y - top))


@kernel
def _truncated_normal(stream, location, scale):
    while True:
        reward = location + scale * normal(stream)
        if 0.0 <= reward <= 1.0:
            return reward


@kernel
def _triangular_span(stream, mode):
    """The triangle over [0, 1]: either side is the larger of two uniforms, towards the mode."""
    u, v = uniform(stream), uniform(stream)
    if uniform(stream) < mode:
        return mode * max(u, v)
    return 1.0 - (1.0 - mode) * max(u, v)


@kernel
def draw_reward(stream, law, parameter, scale):
    if law == BERNOULLI:
        return 1.0 if uniform(stream) < parameter else 0.0
    if law == TRUNCATED_NORMAL:
        return _truncated_normal(stream, parameter, scale)
    if law == BETA:
        return _beta(stream, parameter)
    if law == TRIANGULAR:
        half_width = min(parameter, 1.0 - parameter)
        return parameter + half_width * (uniform(stream) - uniform(stream))
    if law == TRIANGULAR_SPAN:
        return _triangular_span(stream, parameter)
    return parameter + scale * normal(stream)


@kernel
def draw_rewards(stream, law, parameters, scale, rewards):
    for i in range(parameters.size):
        rewards[i] = draw_reward(stream, law, parameters[i], scale)


@kernel
def largest_means(means, best):
    """The largest of each run's means."""
    for run in range(best.size):
        best[run] = means[run, 0]
        for arm in range(1, means.shape[1]):
            best[run] = max(best[run], means[run, arm])


@kernel
def state_round(means, best, arms, stated, regret):
    """The means of the arms that are chosen, and regret added; False where a run cannot be so."""
    right = True
    for run in range(arms.size):
        arm = arms[run]
        if not 0 <= arm < means.shape[1]:
            return False
        stated[run] = means[run, arm]
        lost = best[run] - means[run, arm]
        right &= lost >= 0.0
        regret[run] += lost
    return right


@kernel
def pay_round(arms, rewards, stated, reward, excess):
    """Rewards added, and for each arm by how much they exceed the means that were stated."""
    for run in range(arms.size):
        reward[run] += rewards[run]
        excess[arms[run]] += rewards[run] - stated[run]
