"""Where WB is Thompson sampling: Bernoulli, categorical and Gaussian rewards (C1, C2, C3)."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.special import betaincinv

from bandstrap.arrays import Rng
from bandstrap.environments import ENVIRONMENTS
from bandstrap.experiments.base import Claim, Experiment, Settings, Verdict, by_name
from bandstrap.experiments.statements import regret_difference
from bandstrap.experiments.style import figure, regret_axes, save
from bandstrap.policies import POLICIES, Bootstrap, Policy
from bandstrap.priors import PseudoRewardsAt
from bandstrap.seeding import generator
from bandstrap.simulation import Cell, Runner, Trace

PAIRS = {  # environment: the bootstrap and the Thompson sampling it should equal
    "bernoulli": ("wb", "ts"),
    "categorical": ("wb", "ts-dirichlet"),
    "gaussian": ("wb-additive", "ts-gaussian"),
}
CLAIMS = {
    "C1": "WB with Exp(1) weights on Bernoulli rewards is Beta(α+α₀, β+β₀): Thompson sampling",
    "C2": "WB with Exp(1) weights on categorical rewards is Dirichlet(n+ñ)",
    "C3": "WB with additive N(0,1) weights on Gaussian rewards is N(θ̂, (XᵀX)⁻¹)",
}


class Equivalence(Experiment):
    """Distribution tests through the policies' own code, and the regret they lead to."""

    name: ClassVar[str] = "equivalence"
    title: ClassVar[str] = "WB and Thompson sampling"

    def run(self, settings: Settings, runner: Runner) -> list[Trace]:
        runs, horizon = settings.runs_and_rounds(full=(1000, 2000), quick=(200, 300))
        arms = settings.arms or 5
        cells = [
            Cell(self.name, env, name, ENVIRONMENTS[env](arms), _policy(env, name), horizon, runs)
            for env, names in PAIRS.items()
            for name in names
        ]
        return runner.run(cells)

    def check(self, settings: Settings, traces: list[Trace]) -> list[Claim]:
        from bandstrap.experiments.equivalence import posteriors  # scipy.stats takes a second

        draws = settings.at(full=200_000, quick=20_000)
        tests = (posteriors.beta_tests, posteriors.dirichlet_tests, posteriors.additive_tests)
        found, claims = by_name(traces), []
        for id_, test, (env, names) in zip(CLAIMS, tests, PAIRS.items(), strict=True):
            tested = test(draws, generator(0, id_))
            verdict = Verdict.REPRODUCED if tested.passed else Verdict.NOT_REPRODUCED
            regrets = regret_difference(*(found[env, name] for name in names))
            evidence = f"{tested}\nregret on {env}: {regrets}"
            claims.append(Claim(id_, CLAIMS[id_], verdict, evidence))
        return claims

    def plot(self, settings: Settings, traces: list[Trace], path: Path) -> None:
        drawing, axes = figure(2, 3, width=11.0, height=6.4)
        for axis, env in zip(axes[0], PAIRS, strict=True):
            regret_axes(axis, [trace for trace in traces if trace.environment == env], env)
            axis.legend(frameon=False)
        axes[0, 0].set_ylabel("cumulative regret")
        rng = generator(0, "quantiles")
        for axis, (a, b) in zip(axes[1], ((1, 1), (3, 9), (40, 12)), strict=True):
            _quantiles(axis, a, b, rng)
        axes[1, 0].set_ylabel("quantiles of WB's draws")
        save(drawing, path)


def _policy(env: str, name: str) -> Policy[Any]:
    if (env, name) == ("categorical", "wb"):  # a flat Dirichlet prior, as ts-dirichlet has
        return Bootstrap(prior=PseudoRewardsAt((0.0, 0.5, 1.0), (1.0, 1.0, 1.0)))
    return POLICIES[name]()


def _quantiles(axis: Any, ones: int, zeros: int, rng: Rng) -> None:
    """WB's draws for an arm, against its Beta posterior."""
    from bandstrap.experiments.equivalence.posteriors import binary_draws

    draws = np.sort(binary_draws(ones - 1, zeros - 1, 2000, rng))
    levels = (np.arange(draws.size) + 0.5) / draws.size
    axis.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
    axis.plot(betaincinv(ones, zeros, levels), draws, color="#1b1e5a", linewidth=2)
    axis.set_title(f"Beta({ones}, {zeros})")
    axis.set_xlabel("quantiles of the posterior")
