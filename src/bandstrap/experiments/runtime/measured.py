"""Costs that were measured already, so that a killed run goes on with the next policy."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bandstrap.experiments.runtime.history import Costs
from bandstrap.simulation.store.evidence import tree
from bandstrap.simulation.store.fingerprint import fingerprint, is_complete
from bandstrap.storage.files import write_text


@dataclass(frozen=True)
class Measured:
    """A file for each policy, named by a digest of all that its cost depends on, the code too."""

    folder: Path | None  # None keeps nothing
    settings: tuple[object, ...]  # of all policies: the world, lengths of history, the seed

    def costs(self, name: str, policy: object, measure: Callable[[], Costs]) -> Costs:
        """The costs of a policy as they were measured, or else measured now."""
        path = self._path(name, policy)
        if path is not None and path.exists():
            found = json.loads(path.read_text(encoding="utf-8"))
            return {int(t): float(seconds) for t, seconds in found.items()}
        costs = measure()
        if path is not None:
            write_text(path, json.dumps(costs), "choose another --out")
        return costs

    def _path(self, name: str, policy: object) -> Path | None:
        what = fingerprint((name, policy, *self.settings))
        if self.folder is None or not is_complete(what):
            return None
        digest = sha256(f"{tree()} {what}".encode()).hexdigest()[:24]
        return self.folder / f"cost-{digest}.json"
