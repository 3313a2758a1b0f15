"""What a comparison writes to its folder."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandstrap.comparison.plot import draw
from bandstrap.comparison.rewards import RewardScale
from bandstrap.simulation import Cell, Runner, Trace
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete
from bandstrap.simulation.store.results import Store
from bandstrap.storage.files import write_json

if TYPE_CHECKING:
    from bandstrap.comparison.comparison import Comparison

UNIT = RewardScale()


class Output:
    """OUT/results.parquet, timings.parquet, plot.png, ranking.json and encoder.json."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.encoder = out / "encoder.json"

    def run(self, runner: Runner, cells: list[Cell], scale: RewardScale = UNIT) -> list[Trace]:
        """Play the cells, or read the results of an earlier call with the same ones."""
        store = Store(self.out)
        runner.checkpoint = store.checkpoint
        played = [*map(fingerprint, cells)]
        facts = {"cells": played, "units": repr(scale), "seed": runner.seed}

        def play() -> list[Trace]:
            return [scale.restored(trace) for trace in runner.run(cells)]

        return store.traces(facts, play, reusable=all(map(is_complete, played)))

    def write(self, found: "Comparison") -> None:
        """Write the encoder, the figure and the ranking."""
        found.encoder.save(self.encoder)
        title = f"{found.title}: {found.rounds:,} rounds, {found.runs} runs"
        draw(title, found.ranking, found.baselines, found.traces, self.out / "plot.png")
        write_json(self.out / "ranking.json", summary(found), "choose another --out")


class NoOutput:
    """Writes nothing."""

    def run(self, runner: Runner, cells: list[Cell], scale: RewardScale = UNIT) -> list[Trace]:
        return [scale.restored(trace) for trace in runner.run(cells)]


def summary(found: "Comparison") -> dict[str, Any]:
    """The result as plain data, as --json prints it."""
    return {
        "table": found.title,
        "rounds": found.rounds,
        "runs": found.runs,
        "seed": found.seed,
        "recommended": found.recommended,
        "recommendation": found.recommendation,
        "code": found.code,
        "ranking": [{**asdict(standing), "tied": standing.tied} for standing in found.ranking],
        "baselines": found.baselines,
        "gap": asdict(found.gap) if found.gap else None,
        "decisions": list(found.decisions),
    }
