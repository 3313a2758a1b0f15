"""What the learner asks of judging, named at one place."""

from bandstrap.service.config import Experiment
from bandstrap.service.judging import Facts, Lesson

__all__ = ["Facts", "Lesson", "new_facts", "read_facts"]


def new_facts(experiment: Experiment) -> Facts:
    """Before the first lesson."""
    return Facts(experiment)


def read_facts(experiment: Experiment, told: dict[str, object]) -> Facts:
    """From a snapshot."""
    return Facts.from_dict(experiment, told)
