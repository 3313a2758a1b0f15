"""Passes over an arm's examples: margins of a direction, and gradients from residuals.

Entries come in the order: axes of the prior, their negatives, other pseudo-examples, rows. Rows
keep the type they came in; `unit` is what 1 means there (1/255 for bytes). Sums run in a fixed
order, and row by row in double precision.
"""

from bandstrap.kernels.compile import kernel
from bandstrap.kernels.convex.loss import total_of


@kernel
def _dot(x, p, d, scratch):
    """x·p, folded in four so that the loop is elementwise and can be vectorised as it stands."""
    q = d // 4
    for j in range(q):
        scratch[j] = (x[j] * p[j] + x[j + q] * p[j + q]) + (
            x[j + 2 * q] * p[j + 2 * q] + x[j + 3 * q] * p[j + 3 * q]
        )
    a = total_of(scratch, q)
    for j in range(4 * q, d):
        a += x[j] * p[j]
    return a


@kernel
def _add_rows(x, n, r, g):
    """g += xᵀ r, four rows at a time."""
    d = x.shape[1]
    even = n - n % 4
    for i in range(0, even, 4):
        r0, r1, r2, r3 = r[i], r[i + 1], r[i + 2], r[i + 3]
        for j in range(d):
            g[j] += (r0 * x[i, j] + r1 * x[i + 1, j]) + (r2 * x[i + 2, j] + r3 * x[i + 3, j])
    for i in range(even, n):
        for j in range(d):
            g[j] += r[i] * x[i, j]


@kernel
def row_margins(x, begin, end, unit, p, out, scratch, scaled):
    """out[i] = unit x_i·p + p[d] for rows begin to end."""
    d = x.shape[1]
    for j in range(d):
        scaled[j] = unit * p[j]
    for i in range(begin, end):
        out[i] = _dot(x[i], scaled, d, scratch) + p[d]


@kernel
def margins(axes, plain, x, n, unit, p, out, scratch, scaled):
    """Margins of all entries under the parameters p, the last of which is the intercept."""
    d = x.shape[1]
    a = axes.shape[0]
    for i in range(a):
        m = _dot(axes[i], p, d, scratch)
        out[i] = p[d] + m
        out[a + i] = p[d] - m
    row_margins(plain, 0, plain.shape[0], 1.0, p, out[2 * a :], scratch, scaled)
    row_margins(x, 0, n, unit, p, out[2 * a + plain.shape[0] :], scratch, scaled)


@kernel
def gradient(axes, plain, x, n, unit, bias, r, g, scratch):
    """g = Σ r_i x_i over all entries; `bias` is 1 where there is an intercept, else 0."""
    d = x.shape[1]
    a = axes.shape[0]
    pseudo = 2 * a + plain.shape[0]
    for j in range(d):
        g[j] = 0.0
    _add_rows(x, n, r[pseudo:], g)
    for j in range(d):
        g[j] *= unit
    _add_rows(plain, plain.shape[0], r[2 * a :], g)
    for i in range(a):
        scratch[i] = r[i] - r[a + i]
    _add_rows(axes, a, scratch, g)
    g[d] = bias * total_of(r, pseudo + n)
