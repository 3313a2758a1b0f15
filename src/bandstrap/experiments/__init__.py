"""One experiment per figure, theorem or table of the paper."""

from bandstrap.experiments.base import Claim, Experiment, RunSize, Settings, Verdict
from bandstrap.experiments.equivalence.experiment import Equivalence
from bandstrap.experiments.figure1 import Figure1, Figure1K2, Figure1K5
from bandstrap.experiments.figure2.experiment import Figure2CovType, Figure2MNIST
from bandstrap.experiments.runtime.experiment import Runtime
from bandstrap.experiments.theorem1.experiment import Theorem1
from bandstrap.experiments.theorem2 import Theorem2

EXPERIMENTS: dict[str, type[Experiment]] = {
    experiment.name: experiment
    for experiment in (
        Figure1,
        Figure1K5,
        Figure1K2,
        Theorem1,
        Theorem2,
        Equivalence,
        Figure2CovType,
        Figure2MNIST,
        Runtime,
    )
}

__all__ = ["EXPERIMENTS", "Claim", "Experiment", "RunSize", "Settings", "Verdict"]
