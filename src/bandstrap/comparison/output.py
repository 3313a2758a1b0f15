"""What a comparison writes to its folder."""

import json
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandstrap.comparison.payment import Units
from bandstrap.comparison.plot import draw
from bandstrap.simulation import Cell, Runner, Trace
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete
from bandstrap.simulation.store.store import Store
from bandstrap.storage.files import write_text

if TYPE_CHECKING:
    from bandstrap.comparison.comparison import Comparison

PLAIN = Units()


class Output:
    """OUT/results.parquet, timings.parquet, plot.png, ranking.json and encoder.json."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.encoder = out / "encoder.json"

    def run(self, runner: Runner, cells: list[Cell], units: Units = PLAIN) -> list[Trace]:
        """Play the cells, or read what an earlier call with the same cells left, in these units."""
        store = Store(self.out)
        runner.checkpoint = store.checkpoint
        played = [*map(fingerprint, cells)]
        facts = {"cells": played, "units": repr(units), "seed": runner.seed}

        def play() -> list[Trace]:
            return [units.of(trace) for trace in runner.run(cells)]

        return store.traces(facts, play, reusable=all(map(is_complete, played)))

    def write(self, found: "Comparison") -> None:
        """Write the encoder, the figure and the ranking."""
        found.encoder.save(self.encoder)
        title = f"{found.title}: {found.rounds:,} rounds, {found.runs} runs"
        draw(title, found.ranking, found.baselines, found.traces, self.out / "plot.png")
        write_json(summary(found), self.out / "ranking.json")


class NoOutput:
    """Nothing is written."""

    def run(self, runner: Runner, cells: list[Cell], units: Units = PLAIN) -> list[Trace]:
        return [units.of(trace) for trace in runner.run(cells)]


def summary(found: "Comparison") -> dict[str, Any]:
    """The answer as plain data, as --json shows it."""
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


def write_json(facts: Any, path: Path) -> None:
    """Write plain data, with null for what is not a number."""
    text = json.dumps(_plain(facts), ensure_ascii=False, indent=2, allow_nan=False)
    write_text(path, text + "\n", "choose another --out")


def _plain(facts: Any) -> Any:
    if isinstance(facts, dict):
        return {name: _plain(value) for name, value in facts.items()}
    if isinstance(facts, list | tuple):
        return [_plain(value) for value in facts]
    return None if isinstance(facts, float) and not isfinite(facts) else facts
