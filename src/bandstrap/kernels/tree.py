"""Growing a regression tree on weighted rows: exact splits, sorted once.

Columns come with the order of their rows. A split keeps that order on both sides, so nothing is
sorted again. A column that is constant within a node is constant in all nodes below it, and is
neither searched nor split there: its order goes stale and is never asked for more than that.
"""

import numpy as np

from bandstrap.kernels.compile import kernel


@kernel
def _sums(rows, rewards, weights):
    """Weight, weighted reward, and whether all rewards are alike."""
    weight, total, alike = 0.0, 0.0, True
    for i in rows:
        weight += weights[i]
        total += weights[i] * rewards[i]
        alike = alike and rewards[i] == rewards[rows[0]]
    return weight, total, alike


@kernel
def _best_cut(column, order, rewards, weights, weight, total, leaf):
    """The gain of the best cut of one column and the last position on its left; -inf if none."""
    best, place = -np.inf, -1
    left_weight, left_total = 0.0, 0.0
    for k in range(order.size - 1):
        i = order[k]
        left_weight += weights[i]
        left_total += weights[i] * rewards[i]
        if column[order[k + 1]] > column[i] and left_weight >= leaf:
            right_weight = weight - left_weight
            if right_weight < leaf:
                break
            right_total = total - left_total
            gain = left_total * left_total / left_weight + right_total * right_total / right_weight
            if gain > best:
                best, place = gain, k
    return best, place


@kernel
def _threshold(low, high):
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


@kernel
def _partition(order, goes_left, spare):
    """Those that go left first, both sides in their order; returns how many those are."""
    n, held = 0, 0
    for i in order:
        if goes_left[i]:
            order[n] = i
            n += 1
        else:
            spare[held] = i
            held += 1
    for k in range(held):
        order[n + k] = spare[k]
    return n


@kernel
def _split(columns, orders, rows, goes_left, spare, first, last, feature, threshold):
    """Split a node's rows and the orders of its columns; returns how many rows go left."""
    for i in rows[first:last]:
        goes_left[i] = columns[feature, i] <= threshold
    for f in range(columns.shape[0]):
        order = orders[f, first:last]
        if columns[f, order[0]] != columns[f, order[-1]]:
            _partition(order, goes_left, spare)
    return _partition(rows[first:last], goes_left, spare)


@kernel
def _search(columns, orders, first, last, rewards, weights, weight, total, leaf):
    """The feature and threshold of a node's best cut; the feature is -1 if there is none."""
    best, feature, threshold = -np.inf, -1, 0.0
    for f in range(columns.shape[0]):
        column, order = columns[f], orders[f, first:last]
        if column[order[0]] == column[order[-1]]:
            continue
        gain, place = _best_cut(column, order, rewards, weights, weight, total, leaf)
        if gain > best:
            best, feature = gain, f
            threshold = _threshold(column[order[place]], column[order[place + 1]])
    return feature, threshold


@kernel
def grow(columns, orders, rows, rewards, weights, leaf, depth, scratch, nodes, values):
    """Grow a tree; `nodes` gets (feature, left, right) and `values` (threshold, mean) of each node.

    Returns how many nodes there are. A leaf's children are -1.
    """
    goes_left, spare, stack = scratch
    count, waiting = 1, 1
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, rows.size, 0
    while waiting > 0:
        waiting -= 1
        node, first, last = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        level = stack[waiting, 3]
        weight, total, alike = _sums(rows[first:last], rewards, weights)
        nodes[node, 0], nodes[node, 1], nodes[node, 2] = -1, -1, -1
        values[node, 0], values[node, 1] = 0.0, total / weight
        if alike or level >= depth or weight < 2.0 * leaf:
            continue
        feature, threshold = _search(
            columns, orders, first, last, rewards, weights, weight, total, leaf
        )
        if feature < 0:
            continue
        left = _split(columns, orders, rows, goes_left, spare, first, last, feature, threshold)
        nodes[node, 0], nodes[node, 1], nodes[node, 2] = feature, count, count + 1
        values[node, 0] = threshold
        for side in range(2):
            stack[waiting, 0] = count + side
            stack[waiting, 1] = first + left * side
            stack[waiting, 2] = first + left if side == 0 else last
            stack[waiting, 3] = level + 1
            waiting += 1
        count += 2
    return count


@kernel
def find_leaves(nodes, values, contexts, leaves):
    """The leaf that each context falls into."""
    for i in range(contexts.shape[0]):
        node = 0
        while nodes[node, 1] >= 0:
            below = contexts[i, nodes[node, 0]] <= values[node, 0]
            node = nodes[node, 1] if below else nodes[node, 2]
        leaves[i] = node
