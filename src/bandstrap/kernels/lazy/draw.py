"""A bootstrap draw of one arm, opened only as far as it is needed.

The weight under a node is drawn before the weights inside it: Gamma(n) splits into its children by
a Beta, a multinomial count by a binomial. At any moment the draw lies in a bracket; opening nodes
narrows it, and a fully opened draw is the plain bootstrap with one weight per reward.

Two draws can be under way at once, in slots 0 and 1 of the scratch space.
"""

import numpy as np

from bandstrap.kernels.codes import EXPONENTIAL, MULTINOMIAL
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.lazy.bounds import SURE
from bandstrap.kernels.lazy.history import flush
from bandstrap.kernels.random.streams import (
    below,
    binomial,
    exponential,
    gamma,
    gamma_count,
    poisson,
)

# Columns of `bracket`. The draw is (FIXED + what the open nodes add) / TOTAL; that addition lies in
# [BOTTOM, TOP] for certain, and around MIDDLE with variance proxy DOUBT.
FLOOR, CEILING, FIXED, TOTAL, BOTTOM, TOP, MIDDLE, DOUBT, WIDEST = range(9)
WEIGHT, SLACK = range(2)  # columns of `open_weights`
STEP = 32.0  # nodes with this share of the widest node's doubt are opened together


@kernel
def _group_weight(stream, scheme, count, left, mass):
    """Total weight of `count` rewards; a multinomial shares `left` draws among `mass` rewards."""
    if scheme == EXPONENTIAL:
        return gamma(stream, count)
    if scheme == MULTINOMIAL:
        return float(binomial(stream, int(left), count / mass))
    return float(poisson(stream, count))


@kernel
def begin(stream, scheme, h, run, arm, slot):
    """Draw the weights of the known values and of the tree as a whole; return the open nodes."""
    n_tree = 0
    if h.nodes.shape[1] > 0:
        flush(h, run)
        n_tree = h.nodes[run, arm].count
    total = 0.0
    while total <= 0.0:  # Poisson weights may all be zero: such a draw has no mean, draw again
        fixed = 0.0
        total = 0.0
        mass = float(n_tree)
        for atom in range(h.values.size):
            mass += h.counts[run, arm, atom]
        left = np.round(mass)
        for atom in range(h.values.size):
            count = h.counts[run, arm, atom]
            if count > 0.0:
                last = n_tree == 0 and mass - count < 1e-9
                if last and scheme == MULTINOMIAL:
                    weight = left
                else:
                    weight = _group_weight(stream, scheme, count, left, mass)
                fixed += weight * h.values[atom]
                total += weight
                left -= weight
                mass -= count
        weight = 0.0
        if n_tree > 0:
            if scheme == MULTINOMIAL:
                weight = left
            else:
                weight = _group_weight(stream, scheme, float(n_tree), left, mass)
            total += weight
    h.bracket[slot, FIXED] = fixed
    h.bracket[slot, TOTAL] = total
    h.bracket[slot, BOTTOM:] = 0.0
    n_open = 0
    if weight > 0.0:
        n_open = _keep(scheme, h, run, slot, arm, weight, 0)
    if n_open > 0:
        h.bracket[slot, WIDEST] = h.open_weights[slot, 0, SLACK]
    _close_bracket(h, slot, n_open)
    return n_open


@kernel
def _account(h, slot, node, weight, slack, sign):
    bracket = h.bracket[slot]
    weight *= sign
    bracket[BOTTOM] += weight * node.low
    bracket[TOP] += weight * node.high
    bracket[MIDDLE] += weight * (node.sum / node.count)
    bracket[DOUBT] += sign * slack


@kernel
def _slack_of(scheme, node, weight):
    """The variance proxy of weight * (the mean drawn inside the node)."""
    spread = 0.5 * weight * (node.high - node.low)
    return spread * spread / (node.count + 1.0 if scheme == EXPONENTIAL else max(weight, 1e-300))


@kernel
def _keep(scheme, h, run, slot, at, weight, n_open):
    """Put a node on the open list, or settle it at once if its rewards are all the same."""
    node = h.nodes[run, at]
    if node.low == node.high:
        h.bracket[slot, FIXED] += weight * node.low
        return n_open
    slack = _slack_of(scheme, node, weight)
    h.open_nodes[slot, n_open] = at
    h.open_weights[slot, n_open, WEIGHT] = weight
    h.open_weights[slot, n_open, SLACK] = slack
    _account(h, slot, node, weight, slack, 1.0)
    return n_open + 1


@kernel
def _close_bracket(h, slot, n_open):
    """The tighter of the certain range and the sub-Gaussian one, on either side."""
    bracket = h.bracket[slot]
    fixed, total = bracket[FIXED], bracket[TOTAL]
    if n_open == 0:
        bracket[FLOOR] = fixed / total
        bracket[CEILING] = fixed / total
        return
    width = np.sqrt(2.0 * SURE * max(bracket[DOUBT], 0.0))
    bracket[FLOOR] = (fixed + max(bracket[BOTTOM], bracket[MIDDLE] - width)) / total
    bracket[CEILING] = (fixed + min(bracket[TOP], bracket[MIDDLE] + width)) / total


@kernel
def _open_leaf(stream, scheme, h, run, node, weight):
    """The weighted sum of a leaf's rewards, one weight each, given their total weight."""
    total = 0.0
    if scheme == EXPONENTIAL:
        mass = 0.0
        for i in range(node.count):
            share = exponential(stream)
            mass += share
            total += share * h.buckets[run, ~node.link, i]
        return total * weight / mass
    for _ in range(int(weight)):
        total += h.buckets[run, ~node.link, below(stream, node.count)]
    return total


@kernel
def _frontier(scheme, h, run, slot, at, weight, threshold, n_open):
    """List the nodes under `at` to draw together: those expected to fall below the threshold."""
    per_reward = weight / h.nodes[run, at].count
    stack = h.open_nodes[2]
    stack[0] = at
    depth = 1
    while depth > 0:
        depth -= 1
        below_at = stack[depth]
        node = h.nodes[run, below_at]
        inner = node.link >= 0
        if inner and _slack_of(scheme, node, per_reward * node.count) >= threshold:
            stack[depth] = node.link + 1
            stack[depth + 1] = node.link
            depth += 2
        else:
            h.open_nodes[slot, n_open] = below_at
            n_open += 1
    return n_open


@kernel
def _open(stream, scheme, h, run, slot, at, weight, threshold, n_open):
    """Replace a node by its frontier, sharing out its weight among it."""
    node = h.nodes[run, at]
    if node.link < 0:
        h.bracket[slot, FIXED] += _open_leaf(stream, scheme, h, run, node, weight)
        return n_open
    end = _frontier(scheme, h, run, slot, at, weight, threshold, n_open)
    if scheme == EXPONENTIAL:
        total = 0.0
        for i in range(n_open, end):
            share = gamma_count(stream, h.nodes[run, h.open_nodes[slot, i]].count)
            h.open_weights[slot, i, WEIGHT] = share
            total += share
        for i in range(n_open, end):
            h.open_weights[slot, i, WEIGHT] *= weight / total
    else:
        left = weight
        mass = node.count
        for i in range(n_open, end):
            count = h.nodes[run, h.open_nodes[slot, i]].count
            share = left if count == mass else float(binomial(stream, int(left), count / mass))
            h.open_weights[slot, i, WEIGHT] = share
            left -= share
            mass -= count
    kept = n_open
    for i in range(n_open, end):
        share = h.open_weights[slot, i, WEIGHT]
        if share > 0.0:
            kept = _keep(scheme, h, run, slot, h.open_nodes[slot, i], share, kept)
    return kept


@kernel
def narrow(stream, scheme, h, run, slot, n_open):
    """Open every node that holds much of the widest doubt; return the open nodes."""
    threshold = h.bracket[slot, WIDEST] / STEP
    end = n_open
    for i in range(n_open):
        slack = h.open_weights[slot, i, SLACK]
        if slack >= threshold:
            at = h.open_nodes[slot, i]
            weight = h.open_weights[slot, i, WEIGHT]
            h.open_weights[slot, i, WEIGHT] = 0.0
            _account(h, slot, h.nodes[run, at], weight, slack, -1.0)
            end = _open(stream, scheme, h, run, slot, at, weight, threshold, end)
    kept = 0
    widest = 0.0
    for i in range(end):
        if h.open_weights[slot, i, WEIGHT] > 0.0:
            slack = h.open_weights[slot, i, SLACK]
            h.open_nodes[slot, kept] = h.open_nodes[slot, i]
            h.open_weights[slot, kept, WEIGHT] = h.open_weights[slot, i, WEIGHT]
            h.open_weights[slot, kept, SLACK] = slack
            widest = max(widest, slack)
            kept += 1
    h.bracket[slot, WIDEST] = widest
    _close_bracket(h, slot, kept)
    return kept
