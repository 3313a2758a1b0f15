"""The rewards of every arm of every run, kept so that a bootstrap draw need not walk them.

Three layers, coarse to fine:

* ``moments``: count, mean, sum of squared deviations, smallest and largest reward of an arm.
  Most decisions are settled by these alone (see ``bounds``).
* ``counts``: how often each of a few known values occurred. Pseudo-rewards live here, and so do all
  rewards when their support is finite.
* a radix tree over the remaining rewards: a node knows count, sum and range of what is under it.
  It branches on the highest bit in which its rewards differ as ordered floats, so it is at most 64
  deep whatever the rewards are and in whatever order they come.

Rewards wait in a short queue before they enter the tree: most are never looked at one by one
in between, and filling a tree in bursts keeps it in the cache.
"""

from typing import NamedTuple

import numpy as np
from numba import uint64

from bandstrap.kernels.compile import kernel
from bandstrap.storage.schema import ArrayOf, Grows, declare

MOST_REWARDS = 1e12  # of an arm: more would take draws seconds, and years to come
BUCKET = 32  # rewards a leaf holds before it splits
QUEUE = 64  # rewards a run may hold back from its tree

# Columns of `moments`, a cache line per arm. The last three are what `choose` has learnt: a draw
# reaches KNOWN_LEVEL with probability exp(-|KNOWN_RATE|) at most, which is Chernoff's bound at
# KNOWN_TILT unless that is 0; a rate not worth thinning with is kept as a negative number.
COUNT, MEAN, SQUARES, LOW, HIGH, KNOWN_LEVEL, KNOWN_RATE, KNOWN_TILT = range(8)
NODES, BUCKETS = range(2)  # columns of `used`

NODE = np.dtype(  # half a cache line, so that two children share one
    [
        ("low", "f8"),
        ("high", "f8"),
        ("sum", "f8"),
        ("count", "i4"),
        ("link", "i4"),  # inner node: its left child, the right one follows; leaf: ~bucket
    ]
)


class History(NamedTuple):
    """Arrays with a leading `runs` axis; the last six are scratch space of one decision."""

    moments: np.ndarray  # (runs, arms, 8)
    values: np.ndarray  # (atoms,)
    counts: np.ndarray  # (runs, arms, atoms)
    nodes: np.ndarray  # (runs, nodes) of NODE; node `a` is the root of arm `a`
    buckets: np.ndarray  # (runs, buckets, BUCKET)
    used: np.ndarray  # (runs, 2)
    queue: np.ndarray  # (runs, QUEUE)
    queue_arms: np.ndarray  # (runs, QUEUE)
    queued: np.ndarray  # (runs,)
    flat: np.ndarray  # (rewards,) all rewards of one arm
    gains: np.ndarray  # (rewards,) how far each of them is above a level
    terms: np.ndarray  # (rewards,) what each of them adds to a sum
    bracket: np.ndarray  # (2, 9) see `draw`
    open_nodes: np.ndarray  # (3, nodes) a list per slot, and a stack
    open_weights: np.ndarray  # (2, nodes, 2) weight and slack


declare(
    History,
    moments=ArrayOf(np.float64, "runs", "arms", 8, finite=False),
    values=ArrayOf(np.float64, "atoms", fixed=True),
    counts=ArrayOf(np.float64, "runs", "arms", "atoms", low=0.0, high=MOST_REWARDS, added=True),
    nodes=ArrayOf(NODE, "runs", Grows("nodes")),
    buckets=ArrayOf(np.float64, "runs", Grows("buckets"), BUCKET),
    used=ArrayOf(np.int64, "runs", 2, low=0),
    queue=ArrayOf(np.float64, "runs", QUEUE),
    queue_arms=ArrayOf(np.int64, "runs", QUEUE, low=0),
    queued=ArrayOf(np.int64, "runs", low=0, high=QUEUE),
    flat=ArrayOf(np.float64, Grows("flat"), finite=False),
    gains=ArrayOf(np.float64, Grows("flat"), finite=False),
    terms=ArrayOf(np.float64, Grows("flat"), finite=False),
    bracket=ArrayOf(np.float64, 2, 9, finite=False),
    open_nodes=ArrayOf(np.int64, 3, Grows("open")),
    open_weights=ArrayOf(np.float64, 2, Grows("open"), 2, finite=False),
)


@kernel
def order_bits(x):
    """A float as an unsigned integer that sorts like it (0.0 and -0.0 alike)."""
    bits = np.float64(x + 0.0).view(np.uint64)
    if bits >> uint64(63):
        return ~bits
    return bits | uint64(0x8000000000000000)


@kernel
def _highest_bit(x):
    position = 0
    for step in (32, 16, 8, 4, 2, 1):
        if x >> uint64(step):
            x >>= uint64(step)
            position += step
    return position


@kernel
def _branching_bit(node):
    """The highest bit in which the rewards under a node differ."""
    return _highest_bit(order_bits(node.low) ^ order_bits(node.high))


@kernel
def note_moments(moments, reward):
    """Welford's update, with the range."""
    count = moments[COUNT] + 1.0
    deviation = reward - moments[MEAN]
    mean = moments[MEAN] + deviation / count
    moments[COUNT] = count
    moments[MEAN] = mean
    moments[SQUARES] += deviation * (reward - mean)
    moments[LOW] = min(moments[LOW], reward)
    moments[HIGH] = max(moments[HIGH], reward)
    moments[KNOWN_LEVEL] = np.inf


@kernel
def _new_leaf(h, run, node, bucket, reward):
    leaf = h.nodes[run, node]
    leaf.low = reward
    leaf.high = reward
    leaf.sum = reward
    leaf.count = 1
    leaf.link = ~bucket
    h.buckets[run, bucket, 0] = reward


@kernel
def _insert_above(h, run, at, reward, bits):
    """Branch off above node `at`, all of whose rewards differ from this one in a higher bit."""
    node = h.nodes[run, at]
    bit = _highest_bit(bits ^ order_bits(node.low))
    pair = h.used[run, NODES]
    bucket = h.used[run, BUCKETS]
    h.used[run, NODES] = pair + 2
    h.used[run, BUCKETS] = bucket + 1
    side = np.int64((bits >> uint64(bit)) & uint64(1))
    h.nodes[run, pair + 1 - side] = node
    _new_leaf(h, run, pair + side, bucket, reward)
    node.low = min(node.low, reward)
    node.high = max(node.high, reward)
    node.sum += reward
    node.count += 1
    node.link = pair


@kernel
def _put(h, run, at, bucket, reward):
    leaf = h.nodes[run, at]
    if leaf.count == 0:
        leaf.low = reward
        leaf.high = reward
    else:
        leaf.low = min(leaf.low, reward)
        leaf.high = max(leaf.high, reward)
    h.buckets[run, bucket, leaf.count] = reward
    leaf.sum += reward
    leaf.count += 1


@kernel
def _split(h, run, at):
    """Turn a full leaf with differing rewards into an inner node with two leaves."""
    node = h.nodes[run, at]
    bit = _branching_bit(node)
    pair = h.used[run, NODES]
    h.used[run, NODES] = pair + 2
    right_bucket = h.used[run, BUCKETS]
    h.used[run, BUCKETS] = right_bucket + 1
    left_bucket = ~node.link
    for side in range(2):
        child = h.nodes[run, pair + side]
        child.count = 0
        child.sum = 0.0
        child.link = ~(left_bucket if side == 0 else right_bucket)
    for i in range(BUCKET):
        reward = h.buckets[run, left_bucket, i]
        if (order_bits(reward) >> uint64(bit)) & uint64(1):
            _put(h, run, pair + 1, right_bucket, reward)
        else:  # never overtakes the reader: at most i rewards went left before this one
            _put(h, run, pair, left_bucket, reward)
    node.link = pair


@kernel
def _outside(node, reward):
    """Whether a reward differs from those under an inner node in a higher bit than they do."""
    if node.low <= reward <= node.high:
        return False
    bit = uint64(_branching_bit(node))
    return ((order_bits(reward) ^ order_bits(node.low)) >> bit) >> uint64(1) != uint64(0)


@kernel
def _side(h, run, node, reward):
    """0 if a reward belongs to the left child, 1 if to the right one."""
    if reward >= h.nodes[run, node.link + 1].low:
        return 1
    if reward <= h.nodes[run, node.link].high:
        return 0
    return np.int64((order_bits(reward) >> uint64(_branching_bit(node))) & uint64(1))


@kernel
def insert(h, run, arm, reward):
    at = arm
    while True:
        node = h.nodes[run, at]
        if node.link < 0:
            if node.count < BUCKET:
                _put(h, run, at, ~node.link, reward)
                return
            if node.low == node.high:
                if reward == node.low:  # a repeated value needs no room, only a count
                    node.sum += reward
                    node.count += 1
                else:
                    _insert_above(h, run, at, reward, order_bits(reward))
                return
            _split(h, run, at)
        if _outside(node, reward):
            _insert_above(h, run, at, reward, order_bits(reward))
            return
        side = _side(h, run, node, reward)
        node.low = min(node.low, reward)
        node.high = max(node.high, reward)
        node.sum += reward
        node.count += 1
        at = node.link + side


@kernel
def flush(h, run):
    """Bring the queued rewards of a run into its trees."""
    for i in range(h.queued[run]):
        insert(h, run, h.queue_arms[run, i], h.queue[run, i])
    h.queued[run] = 0


@kernel
def gather(h, run, arm):
    """Copy an arm's rewards, without those kept as counts, to `flat`; return how many."""
    n = 0
    if h.flat.size == 0:  # none has come yet, or none is kept: there is no scratch space
        return n
    for i in range(h.queued[run]):
        if h.queue_arms[run, i] == arm:
            h.flat[n] = h.queue[run, i]
            n += 1
    stack = h.open_nodes[2]
    depth = 1
    stack[0] = arm
    while depth > 0:
        depth -= 1
        node = h.nodes[run, stack[depth]]
        if node.link >= 0:
            stack[depth] = node.link
            stack[depth + 1] = node.link + 1
            depth += 2
            continue
        bucket = h.buckets[run, ~node.link]
        if node.low == node.high:
            h.flat[n : n + node.count] = node.low
        else:
            for i in range(node.count):
                h.flat[n + i] = bucket[i]
        n += node.count
    return n
