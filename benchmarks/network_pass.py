"""A draw of all arms in the eigenbasis, beside the naive one, on histories of given lengths.

"ms a 1,000 rows" is what rows add to a draw without any, for each thousand of them.
"""

from time import process_time

import numpy as np

from bandstrap.datasets import available
from bandstrap.environments.labelled import Labelled
from bandstrap.models import (
    NeuralNetwork,
    StochasticLinearRegression,
    StochasticLogisticRegression,
)
from bandstrap.models.cost import no_cost_warnings
from bandstrap.models.features import Examples
from bandstrap.models.refit import RefitLearner
from bandstrap.one_thread import ONE_THREAD
from bandstrap.priors import EigenExamples
from bandstrap.problem import Problem
from bandstrap.resampling import Exponential, Multinomial, Resampling
from output import Row, arguments, report

MODELS = {
    "network": NeuralNetwork(),
    "logistic": StochasticLogisticRegression(),
    "linear": StochasticLinearRegression(),
}
SCHEMES: dict[str, Resampling] = {"wb": Exponential(), "npb": Multinomial()}

MANY = 1000  # rounds from which on rows, not pseudo-examples, are what a draw costs


class Timed:
    """A learner whose history can be any rows of a data set, the first of each arm in turn."""

    def __init__(self, learner: RefitLearner, world: Labelled) -> None:
        self.learner, self.dataset = learner, world.data
        self.rng = np.random.default_rng(0)

    def set_history(self, rounds: int) -> None:
        """As if arms had been pulled in turn."""
        learner, n_arms = self.learner, len(self.learner.rows)
        learner.rows = [Examples(learner.pseudo.contexts.shape[1]) for _ in range(n_arms)]
        for t in range(rounds):
            at, arm = t % len(self.dataset.labels), t % n_arms
            reward = float(self.dataset.labels[at] == arm)
            learner.learn(self.dataset.contexts[at], arm, reward, None)

    def ms(self, draws: int) -> float:
        """CPU milliseconds of a draw, the quickest of some after a first."""
        took = []
        for i in range(1 + draws):
            context, started = self.dataset.contexts[i], process_time()
            self.learner.margins(context, self.rng)
            took.append(1e3 * (process_time() - started))
        return min(took[1:])


def measured(
    name: str, scheme: str, world: Labelled, lengths: list[int], draws: int, longest: int
) -> list[Row]:
    """A row for each length; the naive learner is timed up to the longest for it."""
    problem = Problem(len(np.unique(world.data.labels)), world.data.contexts.shape[1])
    model, prior, rows, none = MODELS[name], EigenExamples(world.covariance), [], [0.0, 0.0]
    with no_cost_warnings():
        fast = Timed(model.learner(problem, SCHEMES[scheme], prior), world)
        naive = Timed(RefitLearner(model, problem, SCHEMES[scheme], prior), world)
    for rounds in [0, *lengths]:
        took = [np.nan, np.nan]
        for i, (timed, most) in enumerate(((fast, draws), (naive, max(1, draws // 5)))):
            if timed is fast or rounds <= longest:
                timed.set_history(rounds)
                took[i] = timed.ms(most)
        if rounds == 0:
            none = took
            continue
        own, other = (1e3 / rounds * np.subtract(took, none)).tolist()
        many = rounds >= MANY
        rows.append({
            "model": name, "scheme": scheme, "t": rounds,
            "ms a draw": took[0], "naive": took[1], "times faster": took[1] / took[0],
            "ms a 1,000 rows": own if many else None,
            "naive a 1,000 rows": other if many else None,
        })  # fmt: skip
    return rows


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--data", default="mnist" if "mnist" in available() else "digits")
    parser.add_argument("--models", default="network", help=f"of {','.join(MODELS)}")
    parser.add_argument("--schemes", default="wb", help=f"of {','.join(SCHEMES)}")
    parser.add_argument("--lengths", default="100,20000", help="of histories, in rounds")
    parser.add_argument("--draws", type=int, default=10, help="timed of each; the quickest counts")
    parser.add_argument("--longest", type=int, default=20_000, help="history of the naive learner")
    given = parser.parse_args()
    world, rows = Labelled(given.data), []
    lengths = [int(length) for length in given.lengths.split(",")]
    with ONE_THREAD:
        for name in given.models.split(","):
            for scheme in given.schemes.split(","):
                rows += measured(name, scheme, world, lengths, given.draws, given.longest)
    note = f"{given.data}, all arms, CPU ms, one thread"
    report(given.out, f"pass-{given.data}", vars(given), rows, note)


if __name__ == "__main__":
    main()
