"""Running experiments into a directory and resuming what is there."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from bandstrap.experiments.base import Claim, Experiment, Settings
from bandstrap.simulation import Runner
from bandstrap.simulation.engines import Engine
from bandstrap.simulation.kept.checkpoint import FORMAT, Checkpoint
from bandstrap.simulation.kept.folder import writable
from bandstrap.simulation.kept.results import Results
from bandstrap.simulation.progress import ProgressLike
from bandstrap.storage.files import write_text
from bandstrap.version import __version__


@dataclass(frozen=True)
class Session:
    """Experiments run with one seed into one directory."""

    out: Path
    settings: Settings
    seed: int = 0
    workers: int = 1
    engine: Engine | None = None  # None: `workers` processes on this machine

    def run(self, experiment: Experiment, progress: ProgressLike) -> list[Claim]:
        """Run an experiment, or load its stored results; draw and check it.

        Experiments share finished batches: a later call with other policies, or an experiment that
        repeats runs of another, plays only what is new.
        """
        directory = writable(self.out / experiment.name)
        checkpoint = Checkpoint(self.out / "batches")
        results, provenance = Results(directory), self._provenance(experiment)
        traces = results.stored(provenance)
        if traces is None:
            runner = Runner(self.seed, self.workers, checkpoint, progress, engine=self.engine)
            traces = experiment.run(self.settings, runner)
            results.keep(traces, provenance)
        experiment.plot(self.settings, traces, directory / "plot.png")
        claims = experiment.check(self.settings, traces)
        checkpoint.tidy()
        return claims

    def write_claims(self, claims: list[Claim]) -> None:
        """Write the claims as one JSON list."""
        text = json.dumps([claim.as_dict() for claim in claims], ensure_ascii=False, indent=2)
        write_text(self.out / "claims.json", text + "\n", "choose another --out")

    def _provenance(self, experiment: Experiment) -> bytes:
        """Everything the results depend on, and nothing that varies from machine to machine."""
        facts = {
            "experiment": experiment.name,
            "seed": self.seed,
            "settings": asdict(self.settings),
            "version": __version__,
            "format": FORMAT,
        }
        return json.dumps(facts, sort_keys=True).encode()
