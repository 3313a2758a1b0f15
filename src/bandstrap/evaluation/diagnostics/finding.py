"""What was found about a log and a target: a sentence, and how much it matters."""

from collections.abc import Iterable
from dataclasses import dataclass

from bandstrap.evaluation.diagnostics.rules import Severity

__all__ = ["CANNOT", "CARE", "TRUST", "Finding", "Verdict"]

TRUST, CARE, CANNOT = "trust", "with care", "cannot say"
_WORDS = {Severity.FINE: TRUST, Severity.CARE: CARE, Severity.STOP: CANNOT}


@dataclass(frozen=True)
class Finding:
    """One check of a log, or of a target on it."""

    check: str
    severity: Severity
    sentence: str
    value: float

    def __str__(self) -> str:
        return self.sentence

    def as_dict(self) -> dict[str, object]:
        """Plain data, for JSON."""
        severity = self.severity.name.lower()
        facts: dict[str, object] = {"check": self.check, "severity": severity}
        return {**facts, "value": self.value, "sentence": self.sentence}


@dataclass(frozen=True)
class Verdict:
    """Whether an estimate can be trusted, and why not.

    >>> print(Verdict.of([Finding("size", Severity.STOP, "Two rows have all the weight.", 2.0)]))
    cannot say: Two rows have all the weight.
    """

    word: str  # TRUST, CARE or CANNOT
    why: tuple[str, ...]

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> "Verdict":
        """By the worst of the findings."""
        every = [*findings]
        worst = max((each.severity for each in every), default=Severity.FINE)
        if worst is Severity.FINE:
            return cls(TRUST, ())
        return cls(_WORDS[worst], tuple(str(each) for each in every if each.severity is worst))

    def __str__(self) -> str:
        return f"{self.word}: {' '.join(self.why)}" if self.why else self.word
