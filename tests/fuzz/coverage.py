"""Which classes the honest files hold, so that none that a file may name is left out."""

import json
from collections.abc import Mapping
from pathlib import Path

from bandstrap.storage.registry import names
from fuzz.world import classes_in
from hostile import Raw

KEPT = Path(__file__).parent / "kept" / "classes.json"  # and a subject that has each
WORLDS = "of simulations, whose files are read by another loader: tests/simulation/store"
TORCH = "torch modules are functions of yours, which must be trusted: tests/storage/torch_files.py"
LEFT_OUT = {
    "bandstrap.environments.labelled:Rows": WORLDS,
    "bandstrap.environments.own_table:PaidRows": WORLDS,
    "bandstrap.environments.stationary:Arms": WORLDS,
    "bandstrap.simulation.batch:BatchResult": WORLDS,
    "bandstrap.simulation.batch:Play": WORLDS,
    "bandstrap.models.torch_examples:TorchExamples": TORCH,
    "bandstrap.models.torch_learner:TorchLearner": TORCH,
    "bandstrap.models.torch_model:Bound": TORCH,
    "bandstrap.models.torch_model:TorchModel": TORCH,
    "bandstrap.models.torch_model:adam": TORCH,
    "bandstrap.models.torch_modules:Sizes": TORCH,
}


def found(files: Mapping[str, Raw]) -> dict[str, str]:
    """Each class that a file may name, with the first subject that has it."""
    known, where = set(names()), dict[str, str]()
    for subject, raw in files.items():
        for name in sorted(known & classes_in(raw)):
            where.setdefault(name, subject)
    return where


def kept() -> dict[str, str]:
    """What `make fuzz` has found."""
    told: dict[str, str] = json.loads(KEPT.read_text())
    return told


def keep(where: Mapping[str, str]) -> None:
    KEPT.write_text(json.dumps(dict(sorted(where.items())), indent=1) + "\n")
