"""One decision of a product: a draw that decides, its scores, and the votes of further draws."""

from bandstrap.kernels.argmax import argmax
from bandstrap.kernels.choose import choose_one
from bandstrap.kernels.compile import kernel
from bandstrap.kernels.direct import direct_scores


@kernel
def decide(stream, scheme, h, allowed, scale, draws, arms, scores, votes):
    """Of the first run: the arm of a full draw; it and `draws` - 1 lazy ones vote."""
    direct_scores(stream, scheme, h, scores)
    argmax(stream, scores, allowed, scale, arms)
    votes[arms[0]] += 1.0
    for _ in range(draws - 1):
        votes[choose_one(stream, scheme, h, 0, allowed[0])] += 1.0
