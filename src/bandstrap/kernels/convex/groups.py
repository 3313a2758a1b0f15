"""Gradients by group: example e of an arm, pseudo-examples first, belongs to group e mod groups."""

from bandstrap.kernels.compile import kernel


@kernel
def _add(x, residual, unit, bias, out):
    d = x.size
    step = residual * unit
    for j in range(d):
        out[j] += step * x[j]
    out[d] += residual * bias


@kernel
def group_pseudo(axes, axis_rewards, plain, plain_rewards, bias, means, sums):
    """Add all pseudo-examples, given the means of their entries."""
    a = axes.shape[0]
    groups = sums.shape[0]
    for i in range(a):
        for k in range(4):
            sign = 1.0 if k < 2 else -1.0
            residual = means[i if k < 2 else a + i] - axis_rewards[i, k]
            into = sums[(4 * i + k) % groups]
            _add(axes[i], sign * residual, 1.0, sign * bias, into)
    for i in range(plain.shape[0]):
        into = sums[(4 * a + i) % groups]
        _add(plain[i], means[2 * a + i] - plain_rewards[i], 1.0, bias, into)


@kernel
def group_rows(x, rewards, weights, begin, end, unit, bias, before, means, sums):
    """Add rows begin to end, given their weights, the means of all rows and how many examples
    came before."""
    for i in range(begin, end):
        residual = weights[i - begin] * (means[i] - rewards[i])
        _add(x[i], residual, unit, bias, sums[(before + i) % sums.shape[0]])
