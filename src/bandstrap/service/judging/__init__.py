"""What lessons say: lifts and the gate, guardrails, propensities, arms over time."""

from bandstrap.service.judging.facts import Facts
from bandstrap.service.judging.gate import Verdict
from bandstrap.service.judging.lesson import Lesson

__all__ = ["Facts", "Lesson", "Verdict"]
