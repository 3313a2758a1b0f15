"""`bandstrap reproduce`: runs experiments, writes results and report, and judges the claims."""

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from bandstrap.commands.terminal import line
from bandstrap.errors import BandstrapError, InvalidInput, UnknownName
from bandstrap.experiments import EXPERIMENTS, Claim, Experiment, Settings, Verdict
from bandstrap.experiments.base import tally
from bandstrap.experiments.kept import kept_claims
from bandstrap.experiments.ranking import Ranking, Standing
from bandstrap.experiments.session import Session
from bandstrap.printable import called
from bandstrap.report import Run, write_report
from bandstrap.report.reproduction import reproduction_report
from bandstrap.simulation.engines import Engine
from bandstrap.simulation.progress import Bar
from bandstrap.simulation.store.evidence import Evidence, Source
from bandstrap.simulation.store.folder import locked
from bandstrap.simulation.store.results import Results

_WORDS = {  # short enough for a line
    Verdict.REPRODUCED: ("reproduced", "green"),
    Verdict.IN_PART: ("in part", "yellow"),
    Verdict.NOT_REPRODUCED: ("not reproduced", "red"),
    Verdict.UNDECIDED: ("open", "cyan"),
}


@dataclass(frozen=True)
class Played:
    """What an experiment left: its title and its rankings."""

    title: str
    rankings: list[Ranking]

    @classmethod
    def of(cls, experiment: Experiment, settings: Settings, folder: Path) -> "Played":
        """From its results in a folder."""
        traces = Results(folder).load()
        return cls(experiment.titled(traces), experiment.rankings(settings, traces))


@dataclass(frozen=True)
class Reproduced:
    """The claims with their verdicts, the rankings, and where everything was written."""

    out: Path
    played: dict[str, Played]
    claims: list[Claim]
    kept: dict[str, Claim]
    report: Path
    with_evidence: bool = False

    def as_dict(self) -> dict[str, object]:
        return {
            "statements": asdict(tally(self.claims)),
            "claims": [claim.as_dict() for claim in self.claims],
            "kept": {
                claim.id: self.kept[claim.id].as_dict()
                for claim in self.claims
                if claim.id in self.kept
            },
            "rankings": {
                name: [asdict(ranking) for ranking in played.rankings]
                for name, played in self.played.items()
            },
            "paths": {
                "report": self.report,
                "claims": self.out / "claims.json",
                "experiments": {name: self.out / name for name in self.played},
            },
        }

    def __rich__(self) -> RenderableType:
        parts = [each for played in self.played.values() for each in ranking_lines(played)]
        parts += claim_lines(self.claims, self.kept, self.with_evidence)
        return Group(*parts, line(f"report: {self.report}"))


def reproduce(
    names: list[str],
    settings: Settings,
    out: Path,
    engine: Engine,
    seed: int,
    command: str,
    kept: Path | None = None,
) -> Reproduced:
    """Run experiments and write their results and the report.

    Runs `kept` in a folder are not played again, and new ones are added to it.
    """
    started = time.perf_counter()
    _check(names, settings)
    names = names or list(EXPERIMENTS)
    if kept and settings.own:
        remedy = "leave it out with policies of your own: kept runs are of ours"
        raise InvalidInput("--kept", str(kept), remedy)
    for name in names:
        EXPERIMENTS[name]().prepare(settings)
        _check_own(EXPERIMENTS[name](), settings)
    with locked(out), locked(kept) if kept else nullcontext():
        evidence = Evidence(kept, Source.here(command)) if kept else None
        session = Session(out, settings, seed, engine=engine, evidence=evidence)
        claims: list[Claim] = []
        for name in names:
            with Bar(name) as bar:
                claims += session.run(EXPERIMENTS[name](), bar)
        claims.sort(key=attrgetter("number"))
        session.write_claims(claims)
        played = {name: Played.of(EXPERIMENTS[name](), settings, out / name) for name in names}
        full = kept_claims()
        run = Run.here(command, seed, time.perf_counter() - started)
        made = reproduction_report(out, names, claims, run, settings, full)
        report = write_report(made, out / "report.html")
    return Reproduced(out, played, claims, full, report)


def _check(names: list[str], settings: Settings) -> None:
    for name in names:
        if name not in EXPERIMENTS:
            raise UnknownName("experiment", name, EXPERIMENTS)
    for name in names:
        known, asked = EXPERIMENTS[name].known, settings.policies
        if asked and known and not set(asked) & set(known):
            others = ", ".join(list(known)[:5])
            remedy = f"{name} has others, such as {others} (see: bandstrap list)"
            raise InvalidInput("--policies", ",".join(asked), remedy)


def _check_own(experiment: Experiment, settings: Settings) -> None:
    """Refuse a policy of the user's own that an experiment cannot play, before anything is."""
    problems = experiment.problems(settings) if settings.own else []
    for name, policy in settings.own.items():
        if not problems:
            places = ", ".join(each for each, kind in EXPERIMENTS.items() if kind.known)
            remedy = f"{experiment.name} plays no policies of your own; these do: {places}"
            raise InvalidInput("--policy", name, remedy)
        for problem in problems:
            try:
                policy.start(problem)
            except BandstrapError as error:
                remedy = f"it cannot play {experiment.name} ({error}); leave it out"
                raise InvalidInput("--policy", name, remedy) from error


def ranking_lines(played: Played) -> list[Text]:
    """A line for each environment, best policy first; for a single one, a line for each policy."""
    if not played.rankings:
        return []
    first = played.rankings[0]
    measure = "" if first.measure in played.title else f" {first.measure}"
    title = line(f"{played.title},{measure} after {first.rounds:,.6g} rounds", "bold")
    if len(played.rankings) == 1:
        width = max(len(each.policy) for each in first.standings)
        lines = [
            line(f"  {place:>2}  {called(each.policy):{width}}  {each}{_early(first, each)}")
            for place, each in enumerate(first.standings, 1)
        ]
        return [title, *lines]
    width = max(len(ranking.title) for ranking in played.rankings)
    return [
        title,
        *(line(f"  {each.title:{width}}  {_in_one_line(each)}") for each in played.rankings),
    ]


def _in_one_line(ranking: Ranking) -> str:
    return ", ".join(
        f"{called(each.policy)} {each}{_early(ranking, each)}" for each in ranking.standings
    )


def _early(ranking: Ranking, standing: Standing) -> str:
    """What to say of a policy that others have outlasted."""
    short = standing.rounds < ranking.rounds
    return f" (after {standing.rounds:,.6g} rounds)" if short else ""


def claim_lines(
    claims: Sequence[Claim], kept: Mapping[str, Claim], with_evidence: bool = False
) -> list[Text]:
    """A line for each claim: this run's verdict, the kept one, and how its statements came out."""
    if not claims:
        return [line("These policies decide no claim of the paper.")]
    beside = any(claim.id in kept for claim in claims)
    width = max(len(claim.id) for claim in claims)
    kept_title = f"{'kept, full size':17}" if beside else ""
    lines = [line(f"{'claim':{width}}  {'this run':16}{kept_title}hold fail open", "bold")]
    for claim in claims:
        shown = line(f"{claim.id:{width}}  ")
        shown += _verdict(claim, 16)
        if beside:
            shown += _verdict(kept[claim.id], 17) if claim.id in kept else Text(f"{'none':17}")
        found = claim.statements
        shown += Text(f"{found.hold:4} {found.fail:4} {found.open:4}")
        shown += Text(f"  on {claim.stand_in}" if claim.stand_in else "")
        lines.append(shown)
        if with_evidence:
            lines += [line(f"  {claim.claim}")]
            lines += [line(f"    {each}", "dim") for each in claim.evidence.splitlines()]
    lines.append(line(f"{tally(claims)}", "bold"))
    return lines


def _verdict(claim: Claim, width: int) -> Text:
    word, colour = _WORDS[claim.verdict]
    return Text(f"{word:{width}}", colour)
