"""Whether an estimate can be trusted: checks in words, a verdict by rules stated beforehand."""

from bandstrap.evaluation.diagnostics.finding import Finding, Verdict
from bandstrap.evaluation.diagnostics.rules import RULES, Limit, Severity

__all__ = ["RULES", "Finding", "Limit", "Severity", "Verdict"]
