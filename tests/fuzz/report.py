"""What became of the files: counts by policy, and a line for each kind of failure."""

from collections import Counter, defaultdict
from pathlib import Path

from fuzz.campaign import Campaign, Tried
from fuzz.trial import BAD, GOOD

VERDICTS = (*GOOD, *BAD)
HEADS = (
    "refused", "fine", "in use", "crash", "hang", "traceback", "propens.", "touched", "process",
    "socket",
)  # fmt: skip


class Report:
    """Counts, and the first files of each kind of failure."""

    def __init__(self, campaign: Campaign, out: Path, keep: int) -> None:
        self.campaign, self.out, self.keep = campaign, out, keep
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.groups: dict[tuple[str, ...], list[Tried]] = defaultdict(list)
        self.notes: dict[str, list[int]] = defaultdict(list)  # files by what else was seen
        self.slowest = (0.0, "", 0)

    def add(self, each: Tried) -> None:
        """Count a file; keep it if it is among the first of its kind of failure."""
        result = each.result
        self.counts[each.policy][result.verdict] += 1
        for note in result.notes:
            self.notes[note].append(each.number)
        self.slowest = max(self.slowest, (*result.slowest, each.number))
        if result.verdict in BAD:
            group = self.groups[each.group]
            group.append(each)
            if len(group) <= self.keep:
                self._keep(each)

    def count(self, *verdicts: str) -> int:
        return sum(counts[verdict] for counts in self.counts.values() for verdict in verdicts)

    def _keep(self, each: Tried) -> None:
        folder = self.out / "failures"
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"{each.result.verdict}-{each.policy}-{each.number}".replace(" ", "-")
        (folder / f"{stem}.bandit").write_bytes(each.content)
        lines = [
            f"file {each.number} of seed {self.campaign.seed}, from {each.policy}, among policies "
            f"{','.join(self.campaign.policies)}",
            *each.told, f"{each.result.verdict} in {each.result.step}: {each.result.what}",
            each.result.where, each.result.trace,
        ]  # fmt: skip
        (folder / f"{stem}.txt").write_text("\n".join(lines), errors="backslashreplace")

    def __str__(self) -> str:
        return "\n".join([*self._table(), "", *self._failures(), *self._further()])

    def _table(self) -> list[str]:
        heads = "".join(f"{head:>10}" for head in HEADS)
        lines = [f"{'':25}{'files':>7}{heads}"]
        for policy in [*self.campaign.policies, "all"]:
            whole = (
                sum(self.counts.values(), Counter[str]())
                if policy == "all"
                else self.counts[policy]
            )
            cells = "".join(f"{whole[verdict]:>10,}" for verdict in VERDICTS)
            lines.append(f"{policy:25}{whole.total():>7,}{cells}")
        return lines

    def _failures(self) -> list[str]:
        """The most frequent kinds first."""
        ordered = sorted(self.groups.items(), key=lambda item: -len(item[1]))
        return [
            f"{len(found):>5} × {' | '.join(part for part in group if part)}"
            f"  e.g. file {found[0].number} ({found[0].policy}): {found[0].told[0]:.120}"
            for group, found in ordered
        ]

    def _further(self) -> list[str]:
        seconds, step, number = self.slowest
        return [
            f"slowest step that ended: {step}, {seconds:.2f} s, file {number}",
            *(
                f"{len(files):>5} × {note}, e.g. file {files[0]}"
                for note, files in self.notes.items()
            ),
        ]
