"""A few decisions before anybody waits for one: kernels are compiled, or loaded, at first use."""

from contextlib import suppress

from bandstrap.bandit.bandit import Bandit
from bandstrap.errors import BandstrapError
from bandstrap.models.cost import no_cost_warnings
from bandstrap.service.config import ServiceConfig

ROUNDS = 20
CONTEXTS: tuple[list[float] | None, ...] = (None, [0.5, -1.0])


def practise(config: ServiceConfig) -> None:
    """Let bandits like those of every experiment decide and learn, and forget them.

    >>> from bandstrap.service.config import config_from
    >>> practise(config_from({"experiments": {"news": {"arms": ["a", "b"], "policy": "wb"}}}))
    """
    for each in config.experiments.values():
        for told in (None, *each.candidates.values()):
            for context in CONTEXTS:
                with suppress(BandstrapError), no_cost_warnings():  # of contexts, or of none
                    _play(each.bandit(told), context)


def _play(bandit: Bandit, context: list[float] | None) -> None:
    ends = bandit.support.low, bandit.support.high
    for turn in range(ROUNDS):
        decision = bandit.decide(context, key=str(turn))
        assert decision.propensity > 0
        bandit.learn(decision, ends[turn % 2])
    bandit.settle()
