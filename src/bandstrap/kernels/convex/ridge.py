"""Inverses of ridge matrices, kept as U D Uᵀ and updated one observation at a time.

The inverse of A = penalty I + Σ w x xᵀ is never formed. Bierman's update of its factors subtracts
nothing that could turn a variance negative, so it holds for a million updates, for columns that are
copies of one another and for features of any size, where the Sherman–Morrison formula does not.

U is upper triangular with ones on its diagonal; its rows lie one after another in `factor`,
without the zeros. Storing rows makes Uᵀx cost only the rows where x is not zero.
"""

import numpy as np

from bandstrap.kernels.compile import kernel


@kernel
def _add_multiple(f, scale, row):
    # Slices of their own: indices that cannot be negative are what lets this loop be vectorised.
    for i in range(row.size):
        f[i] += scale * row[i]


@kernel
def transform(factor, x, f):
    """f = Uᵀx."""
    size = x.size
    f[:] = 0.0
    start = 0
    for j in range(size):
        if x[j] != 0.0:
            _add_multiple(f[j:], x[j], factor[start : start + size - j])
        start += size - j


@kernel
def norm(diagonal, f):
    """xᵀA⁻¹x from f = Uᵀx."""
    total = 0.0
    for i in range(f.size):
        total += f[i] * f[i] * diagonal[i]
    return total


@kernel
def dot(a, b):
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@kernel
def look(factors, diagonals, centres, x, f, means, squares):
    """For every arm the mean xᵀθ and the squared width xᵀA⁻¹x."""
    for arm in range(means.size):
        transform(factors[arm], x, f)
        squares[arm] = norm(diagonals[arm], f)
        means[arm] = dot(centres[arm], x)


@kernel
def _scan(row, steps, moves, k):
    """Update part of one row; `k` is the running sum of its old entries times `moves`."""
    for j in range(row.size):
        old = row[j]
        row[j] = old + k * steps[j]
        k += old * moves[j]
    return k


@kernel
def _scan_four(rows, steps, moves, ks):
    """Four rows at once: each is a chain of additions, and four chains overlap."""
    row0, row1, row2, row3 = rows
    k0, k1, k2, k3 = ks
    for j in range(row0.size):
        step = steps[j]
        move = moves[j]
        u0, u1, u2, u3 = row0[j], row1[j], row2[j], row3[j]
        row0[j] = u0 + k0 * step
        row1[j] = u1 + k1 * step
        row2[j] = u2 + k2 * step
        row3[j] = u3 + k3 * step
        k0 += u0 * move
        k1 += u1 * move
        k2 += u2 * move
        k3 += u3 * move
    return k0, k1, k2, k3


@kernel
def _corner(factor, start, size, row, first, steps, moves):
    """The columns of a row before `first`, and a view of the rest of it."""
    head = factor[start + 1 : start + first - row]
    k = _scan(head, steps[row + 1 : first], moves[row + 1 : first], moves[row])
    return k, factor[start + first - row : start + size - row]


@kernel
def _scan_rows(factor, size, steps, moves, gain):
    row = 0
    start = 0
    while row + 4 <= size:
        first = row + 4
        k0, row0 = _corner(factor, start, size, row, first, steps, moves)
        start += size - row
        k1, row1 = _corner(factor, start, size, row + 1, first, steps, moves)
        start += size - row - 1
        k2, row2 = _corner(factor, start, size, row + 2, first, steps, moves)
        start += size - row - 2
        k3, row3 = _corner(factor, start, size, row + 3, first, steps, moves)
        start += size - row - 3
        k0, k1, k2, k3 = _scan_four(
            (row0, row1, row2, row3), steps[first:], moves[first:], (k0, k1, k2, k3)
        )
        gain[row] = k0
        gain[row + 1] = k1
        gain[row + 2] = k2
        gain[row + 3] = k3
        row = first
    while row < size:
        gain[row], _ = _corner(factor, start, size, row, size, steps, moves)
        start += size - row
        row += 1


@kernel
def add(factor, diagonal, f, weight, steps, moves, gain):
    """A gains weight x xᵀ, with f = Uᵀx; fills `gain` = A⁻¹x of the old A.

    Returns the factor by which the determinant of A grew.
    """
    size = f.size
    before = 1.0
    for j in range(size):
        moves[j] = diagonal[j] * f[j]
        after = before + weight * f[j] * moves[j]
        steps[j] = -weight * f[j] / before
        diagonal[j] *= before / after
        before = after
    _scan_rows(factor, size, steps, moves, gain)
    return before


@kernel
def add_row(factor, diagonal, x, scratch, weight):
    """A gains weight x xᵀ; fills scratch[3] = A⁻¹x of the new A, and returns what `add` does."""
    f, steps, moves, gain = scratch[0], scratch[1], scratch[2], scratch[3]
    transform(factor, x, f)
    growth = add(factor, diagonal, f, weight, steps, moves, gain)
    for i in range(x.size):
        gain[i] /= growth
    return growth


@kernel
def solve(factor, diagonal, v, f, out):
    """out = A⁻¹v; f is overwritten."""
    size = v.size
    transform(factor, v, f)
    for i in range(size):
        f[i] *= diagonal[i]
    start = 0
    for i in range(size):
        out[i] = dot(factor[start : start + size - i], f[i:])
        start += size - i


@kernel
def learn_linear(factor, diagonal, centre, x, reward, scratch, weight=1.0):
    """One more reward of a linear model; returns the growth of the determinant."""
    f, steps, moves, gain = scratch[0], scratch[1], scratch[2], scratch[3]
    transform(factor, x, f)
    growth = add(factor, diagonal, f, weight, steps, moves, gain)
    step = weight * (reward - dot(centre, x)) / growth
    for i in range(x.size):
        centre[i] += step * gain[i]
    return growth


@kernel
def sigmoid(margin):
    if margin >= 0.0:
        return 1.0 / (1.0 + np.exp(-margin))
    power = np.exp(margin)
    return power / (1.0 + power)


@kernel
def residual(margin, reward):
    """reward - sigmoid(margin), without cancellation where the sigmoid is almost 1."""
    return reward * sigmoid(-margin) - (1.0 - reward) * sigmoid(margin)


@kernel
def new_margin(margin, square, reward):
    """The root m of m = margin + square (reward - sigmoid(m)), by Newton inside a bracket.

    Where steps do not shrink the bracket is halved: with a large `square` the curve has two almost
    straight pieces, and Newton alone would jump from one to the other for ever.
    """
    low = margin + square * (reward - 1.0)
    high = margin + square * reward
    m, last = margin, high - low
    for _ in range(200):
        excess = m - margin - square * residual(m, reward)
        if excess > 0.0:
            high = m
        else:
            low = m
        step = excess / (1.0 + square * sigmoid(m) * sigmoid(-m))
        if abs(step) > 0.5 * last or not (low <= m - step <= high):
            step = m - 0.5 * (low + high)
        m -= step
        last = abs(step)
        if last <= 1e-14 * (1.0 + abs(m)):
            break
    return m


@kernel
def learn_logistic(factor, diagonal, centre, x, reward, scratch, weight=1.0):
    """One more reward of a logistic model: the new mode, and the curvature there.

    The mode minimises what is known, a Gaussian, plus the log-loss of this reward; it lies on the
    line centre + s A⁻¹x, so one number has to be found.
    """
    f, steps, moves, gain = scratch[0], scratch[1], scratch[2], scratch[3]
    transform(factor, x, f)
    margin = new_margin(dot(centre, x), weight * norm(diagonal, f), reward)
    curvature = weight * sigmoid(margin) * sigmoid(-margin)
    growth = add(factor, diagonal, f, curvature, steps, moves, gain)
    step = weight * residual(margin, reward)
    for i in range(x.size):
        centre[i] += step * gain[i]
    return growth
