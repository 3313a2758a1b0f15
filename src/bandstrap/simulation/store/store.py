"""Finished work in a folder: what was played before is read, not played again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bandstrap.simulation.store.checkpoint import FORMAT, Checkpoint
from bandstrap.simulation.store.folder import writable
from bandstrap.simulation.store.results import Results
from bandstrap.simulation.trace import Trace
from bandstrap.version import __version__


class Store:
    """The results of one call in `out / name`, and in `out / "batches"` those that calls share."""

    def __init__(self, out: Path, name: str = "") -> None:
        self.folder = writable(out / name)
        self.checkpoint = Checkpoint(out / "batches")

    def traces(
        self, facts: dict[str, Any], play: Callable[[], list[Trace]], reusable: bool = True
    ) -> list[Trace]:
        """The results of an earlier call with the same facts, else those of `play`, saved.

        Facts are all that results depend on, besides our version, and nothing that varies from
        machine to machine. If they cannot be complete, results are not `reusable`.
        """
        stated = {**facts, "version": __version__, "format": FORMAT}
        provenance = json.dumps(stated, sort_keys=True).encode()
        results = Results(self.folder)
        traces = results.stored(provenance) if reusable else None
        if traces is None:
            traces = play()
            results.keep(traces, provenance)
        self.checkpoint.tidy()
        return traces
