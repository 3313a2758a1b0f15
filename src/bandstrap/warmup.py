"""Compile all kernels beforehand, in two processes: `python -m bandstrap.warmup`.

Kernels are compiled at first use and cached on disk. Workers that start together would each compile
all of them; here one process compiles what contexts need, the other all else.
"""

from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context

from bandstrap.bandit import Bandit
from bandstrap.environments import ENVIRONMENTS, Labelled
from bandstrap.errors import InvalidInput
from bandstrap.models import GaussianLimit, LogisticRegression
from bandstrap.policies import POLICIES, Bootstrap, ContextualBootstrap, ContextualEpsilonGreedy
from bandstrap.policies.registry import CONTEXTUAL
from bandstrap.priors import EigenExamples
from bandstrap.problem import Support
from bandstrap.resampling import Exponential
from bandstrap.simulation import simulate

ROUNDS = 30


def without_contexts() -> None:
    """Every policy in every environment whose rewards it takes, and a product's decisions."""
    for world in ENVIRONMENTS.values():
        for maker in POLICIES.values():
            with suppress(InvalidInput):
                simulate(maker(), world(), ROUNDS, runs=2)
    _decide(Bandit(Bootstrap(), ["this", "that"]), None)


def with_contexts() -> None:
    """Every policy, on the data set that comes with scikit-learn."""
    world = Labelled("digits")
    prior = EigenExamples(world.covariance)
    for maker in CONTEXTUAL.values():
        simulate(maker(prior), world, ROUNDS, runs=1)
    # Fewer rows than features take another path.
    simulate(ContextualEpsilonGreedy(LogisticRegression()), world, ROUNDS, runs=1)
    fast = ContextualBootstrap(Exponential(), GaussianLimit(LogisticRegression()), EigenExamples())
    _decide(Bandit(fast, ["this", "that"], rewards=Support.binary()), [0.5, 1.0])


def _decide(bandit: Bandit, context: list[float] | None) -> None:
    for _ in range(ROUNDS):
        bandit.learn(bandit.decide(context), 1.0)


def main() -> None:
    """Compile what is not compiled yet."""
    print("compiling, which takes about a minute and is done once", flush=True)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(half) for half in (with_contexts, without_contexts)]:
            done.result()


if __name__ == "__main__":
    main()
