"""Running experiments into a directory and resuming what is there."""

import json
from dataclasses import dataclass
from pathlib import Path

from bandstrap.experiments.base import Claim, Experiment, Settings
from bandstrap.simulation import Runner
from bandstrap.simulation.engines import Engine
from bandstrap.simulation.progress import ProgressLike
from bandstrap.simulation.store.evidence import Evidence
from bandstrap.simulation.store.results import Store
from bandstrap.storage.files import write_text


@dataclass(frozen=True)
class Session:
    """Experiments run with one seed into one directory."""

    out: Path
    settings: Settings
    seed: int = 0
    workers: int = 1
    engine: Engine | None = None  # None: `workers` processes on this machine
    evidence: Evidence | None = None  # runs that are not played again; new ones are added

    def run(self, experiment: Experiment, progress: ProgressLike) -> list[Claim]:
        """Run an experiment, or load its stored results; draw and check it.

        Experiments share finished batches: a later call with other policies, or an experiment that
        repeats runs of another, plays only what is new.
        """
        store = Store(self.out, experiment.name)
        runner = Runner(
            self.seed, self.workers, store.checkpoint, progress,
            engine=self.engine, evidence=self.evidence,
        )  # fmt: skip
        facts = {
            "experiment": experiment.name,
            "seed": self.seed,
            "settings": self.settings.facts(),
            **experiment.facts(self.settings),
        }
        # With evidence the runner must see all batches, to add them.
        reusable = self.evidence is None and self.settings.complete
        traces = store.traces(facts, lambda: experiment.run(self.settings, runner), reusable)
        experiment.plot(self.settings, traces, store.folder / "plot.png")
        return experiment.check(self.settings, traces)

    def write_claims(self, claims: list[Claim]) -> None:
        """Write the claims as one JSON list."""
        text = json.dumps([claim.as_dict() for claim in claims], ensure_ascii=False, indent=2)
        write_text(self.out / "claims.json", text + "\n", "choose another --out")
