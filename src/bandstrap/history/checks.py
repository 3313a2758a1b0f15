"""What must hold in a saved history before kernels, which check nothing, walk it."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.kernels.lazy import history as kept
from bandstrap.problem import Support
from bandstrap.storage.schema import require

Rewards = tuple[np.ndarray, np.ndarray, np.ndarray]  # arms, values, and how often each counts

CLOSE = 1e-6  # relative: running sums and sums at once differ by rounding
SIGN = np.uint64(1 << 63)


def check_room(arrays: kept.History, rounds: int, room: int) -> None:
    """The next `room` rewards fit, and decisions have scratch space for those already there."""
    nodes, buckets = arrays.nodes.shape[1], arrays.buckets.shape[1]
    if arrays.flat.size == 0:
        idle = not arrays.queued.any() and not arrays.nodes["count"].any()
        require(idle and rounds == room == 0, "rewards have no room")
        return
    coming = room + arrays.queued
    require((arrays.used[:, kept.NODES] + 4 * coming <= nodes).all(), "nodes have no room")
    require((arrays.used[:, kept.BUCKETS] + 2 * coming <= buckets).all(), "buckets have no room")
    require(rounds + room <= arrays.flat.size, "rewards have no room")
    require(arrays.open_nodes.shape[1] >= 2 * nodes, "open nodes have no room")


def check_trees(arrays: kept.History) -> None:
    """Every node is reached once, from the root of its arm, and describes what is under it."""
    n_arms = arrays.moments.shape[1]
    require(arrays.nodes.shape[1] >= n_arms <= arrays.buckets.shape[1], "an arm has no root")
    for run in range(arrays.moments.shape[0]):
        n_nodes, n_buckets = arrays.used[run].tolist()
        require(n_arms <= n_nodes <= arrays.nodes.shape[1], "used is beyond the nodes")
        require(n_arms <= n_buckets <= arrays.buckets.shape[1], "used is beyond the buckets")
        nodes, buckets = arrays.nodes[run, :n_nodes], arrays.buckets[run, :n_buckets]
        _check_links(nodes, n_arms, n_buckets)
        _check_inner(nodes)
        _check_leaves(nodes, buckets)
        waiting = arrays.queue_arms[run, : arrays.queued[run]]
        require((waiting < n_arms).all(), "a reward waits for no arm")


def _check_links(nodes: Array, n_arms: int, n_buckets: int) -> None:
    links = nodes["link"].astype(np.int64)
    pairs, taken = links[links >= 0], ~links[links < 0]
    require((nodes.size - n_arms) == 2 * pairs.size, "a node has no parent")
    expected = np.arange(n_arms, nodes.size, 2)
    require(np.array_equal(np.sort(pairs), expected), "nodes do not divide up their children")
    require(np.array_equal(np.sort(taken), np.arange(n_buckets)), "leaves share a bucket")
    level, reached = np.arange(n_arms), 0
    while level.size:
        reached += level.size
        inner = links[level]
        inner = inner[inner >= 0]
        level = np.concatenate([inner, inner + 1])
    require(reached == nodes.size, "nodes go round in circles")


def _check_inner(nodes: Array) -> None:
    """Children differ in the highest bit in which anything under the node does."""
    inner = nodes[nodes["link"] >= 0]
    left, right = nodes[inner["link"]], nodes[inner["link"] + 1]
    counts = left["count"].astype(np.int64) + right["count"]
    require((left["count"] > 0).all() and (right["count"] > 0).all(), "a leaf is empty")
    require((inner["count"] == counts).all(), "a node's count is not that of its children")
    require((inner["low"] == left["low"]).all(), "a node's range is not that of its children")
    require((inner["high"] == right["high"]).all(), "a node's range is not that of its children")
    apart = _ordered(inner["low"]) ^ _ordered(inner["high"])
    near = _ordered(left["high"]) ^ _ordered(right["low"])
    require((left["high"] < right["low"]).all(), "children overlap")
    require((_top_bit(apart) == _top_bit(near)).all(), "children are split at another bit")
    for each in (left, right):
        within = _ordered(each["low"]) ^ _ordered(each["high"])
        require((_top_bit(within) < _top_bit(apart)).all(), "children are split at another bit")


def _check_leaves(nodes: Array, buckets: Array) -> None:
    leaves = nodes[nodes["link"] < 0]
    require((leaves["count"] >= 0).all(), "a leaf has a negative count")
    require(np.isfinite(leaves["sum"]).all(), "a sum is not finite")
    repeated = leaves["count"] > kept.BUCKET
    require((leaves["low"] == leaves["high"])[repeated].all(), "a leaf is too full")
    some = leaves[(leaves["count"] > 0) & ~repeated]
    rewards = buckets[~some["link"].astype(np.int64)]
    there = np.arange(kept.BUCKET) < some["count"][:, None]
    low = np.where(there, rewards, np.inf).min(axis=1, initial=np.inf)
    high = np.where(there, rewards, -np.inf).max(axis=1, initial=-np.inf)
    same = (some["low"] == low).all() and (some["high"] == high).all()
    require(same, "a leaf's range is not that of its rewards")
    empty = leaves[leaves["count"] == 0]
    require(not empty["sum"].any(), "an empty leaf has a sum")
    close = _close(nodes["sum"], nodes["count"] * nodes["low"], nodes["count"] * nodes["high"])
    require(close, "a sum is beyond its rewards")


def check_moments(arrays: kept.History) -> None:
    """Moments agree with the rewards; otherwise the search for a draw might never end."""
    moments = arrays.moments
    known = moments[..., [kept.COUNT, kept.MEAN, kept.SQUARES, kept.KNOWN_RATE, kept.KNOWN_TILT]]
    _check_finite(known, known[..., [0, 2]])
    require((moments[..., kept.KNOWN_LEVEL] > -np.inf).all(), "a level is not a number")
    for run in range(len(moments)):
        _check_run(moments[run], _rewards(arrays, run))


def _check_run(moments: Array, rewards: Rewards) -> None:
    arms, values, counts = rewards
    total = np.bincount(arms, counts, len(moments))
    low, high = np.full(len(moments), np.inf), np.full(len(moments), -np.inf)
    np.minimum.at(low, arms, values)
    np.maximum.at(high, arms, values)
    require((np.abs(moments[:, kept.COUNT] - total) <= CLOSE * total).all(), "a count is wrong")
    require(np.array_equal(moments[:, [kept.LOW, kept.HIGH]].T, [low, high]), "a range is wrong")
    some = total > 0
    mean = np.zeros(len(moments))
    mean[some] = np.bincount(arms, counts * values, len(moments))[some] / total[some]
    width = np.zeros(len(moments))
    width[some] = (high - low)[some] + CLOSE * np.maximum(abs(low), abs(high))[some]
    means = np.abs(moments[:, kept.MEAN] - mean)[some] <= CLOSE * width[some]
    require(means.all(), "a mean is wrong")
    squares = np.bincount(arms, counts * (values - mean[arms]) ** 2, len(moments))
    allowance = CLOSE * (squares + total * width * width)
    require((np.abs(moments[:, kept.SQUARES] - squares) <= allowance).all(), "a spread is wrong")


def check_counts(arrays: kept.History) -> None:
    """For histories that keep moments alone."""
    known = arrays.moments[..., [kept.COUNT, kept.MEAN, kept.SQUARES]]
    _check_finite(known, known[..., [0, 2]])


def _check_finite(moments: Array, positive: Array) -> None:
    held = np.isfinite(moments).all() and (positive >= 0).all()
    require(held, "moments are not finite or negative")


def check_support(arrays: kept.History, support: Support, keeps_moments: bool) -> None:
    """Rewards lie where the problem says."""
    if keeps_moments:
        count, mean = arrays.moments[..., kept.COUNT], arrays.moments[..., kept.MEAN]
        require(_close(mean[count > 0], support.low, support.high), "a mean is beyond the rewards")
        return
    for run in range(len(arrays.moments)):
        _, values, _ = _rewards(arrays, run, known=False)
        inside = (values >= support.low) & (values <= support.high)
        require(inside.all(), "a reward is beyond the support")


def _rewards(arrays: kept.History, run: int, known: bool = True) -> Rewards:
    """All rewards of a run; walked level by level, which ends whatever the links say."""
    queued = arrays.queued[run]
    parts = [(arrays.queue_arms[run, :queued], arrays.queue[run, :queued], np.ones(queued))]
    if known:
        arms, atoms = np.nonzero(arrays.counts[run])
        parts.append((arms, arrays.values[atoms], arrays.counts[run, arms, atoms]))
    level = owners = np.arange(arrays.moments.shape[1] if arrays.nodes.shape[1] else 0)
    while level.size:
        nodes = arrays.nodes[run, level]
        leaf = (nodes["link"] < 0) & (nodes["count"] > 0)
        parts += _in_leaves(arrays.buckets[run], owners[leaf], nodes[leaf])
        inner = nodes["link"] >= 0
        links = nodes["link"][inner].astype(np.int64)
        level, owners = np.concatenate([links, links + 1]), np.tile(owners[inner], 2)
    arms, values, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    return arms.astype(np.int64), values, counts


def _in_leaves(buckets: Array, owners: Array, leaves: Array) -> list[Rewards]:
    many = leaves["count"] > kept.BUCKET
    few, own = leaves[~many], owners[~many]
    there = np.arange(kept.BUCKET) < few["count"][:, None]
    values = buckets[~few["link"].astype(np.int64)][there]
    repeated = (owners[many], leaves["low"][many], leaves["count"][many].astype(np.float64))
    return [(np.repeat(own, few["count"]), values, np.ones(values.size)), repeated]


def _close(values: Array, low: Array | float, high: Array | float) -> bool:
    """Whether values lie within their range, but for rounding."""
    slack = CLOSE * np.maximum(1e-300, np.maximum(np.abs(low), np.abs(high)))
    return bool(((values >= low - slack) & (values <= high + slack)).all())


def _ordered(values: Array) -> Array:
    """Floats as integers that sort like them, as kernels see them."""
    bits = (np.ascontiguousarray(values) + 0.0).view(np.uint64)
    return np.where(bits & SIGN, ~bits, bits | SIGN)


def _top_bit(bits: Array) -> Array:
    """The place of the highest bit set, -1 where none is."""
    place = np.full(bits.shape, -1, dtype=np.int64)
    for step in range(64):
        place[(bits >> np.uint64(step)) & np.uint64(1) > 0] = step
    return place
