"""How much is played: rounds and runs."""

from dataclasses import dataclass

from bandstrap.errors import InvalidInput

ROUNDS, RUNS = 3000, 5
QUICK_ROUNDS, QUICK_RUNS = 300, 3
WORK = 2_400_000  # rounds times arms times features that are played where nobody says how many


@dataclass(frozen=True)
class Size:
    """How much is played; what is None follows from the table."""

    rounds: int | None = None
    runs: int | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        for name, value in (("--rounds", self.rounds), ("--runs", self.runs)):
            if value is not None and value < 1:
                raise InvalidInput(name, value, "give at least 1")

    def of(self, arms: int, width: int) -> tuple[int, int]:
        """Rounds and runs."""
        usual, runs = (QUICK_ROUNDS, QUICK_RUNS) if self.quick else (ROUNDS, RUNS)
        affordable = max(QUICK_ROUNDS, WORK // (arms * width))
        return self.rounds or min(usual, affordable), self.runs or runs
