"""What must hold of replicas before kernels, which do not ask, step through them."""

from bandstrap.arrays import Array
from bandstrap.kernels.intrinsics import LANES
from bandstrap.models.features import Rows
from bandstrap.priors import PseudoExamples
from bandstrap.storage.schema import require


def lanes_of(count: int) -> int:
    """So many replicas, and as many without weight as kernels need beside them."""
    return count + -count % LANES


def check_untaught(arms: list[int], n_arms: int) -> None:
    """Arms that are yet to learn the pseudo-examples: each once, in order."""
    require(arms == sorted({*arms}), "an arm is to be taught twice")
    require(max(arms, default=0) < n_arms, "an arm is not there")


def check_widths(
    n_features: int, pseudo: PseudoExamples, rows: list[Rows], weights: list[Array]
) -> None:
    """All contexts are as wide, and each row has weights."""
    require(pseudo.contexts.shape[1] == n_features, "examples are of another width")
    for each, own in zip(rows, weights, strict=True):
        require(each.n_features == n_features, "rows are of another width")
        require(each.count <= len(own), "rows have no weights")
