"""What is measured besides playing: what decisions cost, and what models earn that are told all."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bandstrap.comparison.ceiling import Ceiling, ceiling, kind_of, representatives
from bandstrap.comparison.product import cost
from bandstrap.comparison.ranking import cost as simulated_cost
from bandstrap.comparison.table import PreparedTable
from bandstrap.comparison.warm_start import Lesson, Rehearsed, Told
from bandstrap.policies import Policy
from bandstrap.simulation import Trace
from bandstrap.storage.files import write_json
from bandstrap.validation import is_finite


@dataclass(frozen=True)
class Measured:
    """The CPU microseconds of each policy's decisions, ceilings by kind of model, and the policies
    that begin better if they are told all."""

    costs: dict[str, float]
    ceilings: dict[str, float]
    told: list[str]

    def lesson(self, policy: str, table: PreparedTable, rounds: int) -> Lesson:
        """How the policy learns the table before its first decision."""
        return lesson(policy in self.told, table, rounds)


def lesson(told: bool, table: PreparedTable, rounds: int) -> Lesson:
    kind = Told if told else Rehearsed
    return kind(rounds, len(table.contexts), len(table.rewards.arms))


def measure(
    policies: Mapping[str, Policy[Any]], traces: Sequence[Trace], table: PreparedTable, seed: int
) -> Measured:
    """Of policies that have played the table."""
    by_name, rounds = {trace.policy: trace for trace in traces}, int(traces[0].rounds[-1])
    costs = {name: simulated_cost(trace) for name, trace in by_name.items()}
    found: dict[str, Ceiling] = {}
    helped = set()
    for kind, name in representatives(policies, costs).items():
        known = ceiling(policies[name], table, rounds, seed)
        if known is not None:
            found[kind] = known
            helped |= {kind} if known.late > late(by_name[name]) else set()
    told = [name for name in policies if kind_of(name) in helped]
    costs = {
        name: cost(policy, table, lesson(name in told, table, rounds), seed)
        for name, policy in policies.items()
    }
    return Measured(costs, {kind: each.whole for kind, each in found.items()}, told)


def late(trace: Trace) -> float:
    """The mean reward per round in the second half of a run."""
    half = int(np.searchsorted(trace.rounds, trace.rounds[-1] // 2))
    if half + 1 >= trace.rounds.size:
        return float(trace.reward[:, -1].mean() / trace.rounds[-1])
    earned = trace.reward[:, -1] - trace.reward[:, half]
    return float(earned.mean() / (trace.rounds[-1] - trace.rounds[half]))


def kept(
    path: Path, digest: str, policies: Sequence[str], find: Callable[[], Measured]
) -> Measured:
    """What an earlier call has measured of the same, or what is found now."""
    known = _read(path, digest, policies)
    if known is None:
        known = find()
        write_json(path, {"of": digest, **asdict(known)}, "choose another --out")
    return known


def _read(path: Path, digest: str, policies: Sequence[str]) -> Measured | None:
    """What a file holds, if it is of the same; what is damaged is measured anew."""
    try:
        stored = json.loads(path.read_bytes())
        found = Measured(dict(stored["costs"]), dict(stored["ceilings"]), [*stored["told"]])
        same = stored["of"] == digest and [*found.costs] == [*policies]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    numbers = [*found.costs.values(), *found.ceilings.values()]
    return found if same and all(map(is_finite, numbers)) else None
