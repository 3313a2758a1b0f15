"""The command line. Everything heavy is imported inside a command, so that `--help` is instant."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bandstrap.commands.calling import EXIT_CODES, Commands, call, command_line
from bandstrap.commands.names import (
    complete_datasets,
    complete_engine,
    complete_experiment,
    complete_policies,
    complete_size,
)
from bandstrap.version import __version__

if TYPE_CHECKING:
    from bandstrap.comparison.candidates import Selection
    from bandstrap.comparison.options import Size
    from bandstrap.simulation.engines import Engine
    from bandstrap.tables.reading import Reading

Names = list[str] | None


def names_option(text: str, complete: Callable[[str], list[str]] | None = None) -> Any:
    """An option that takes names, with commas or given several times."""
    return typer.Option(metavar="<names>", help=text, autocompletion=complete)


def _own(kind: str) -> Any:
    example = "my_policies:Mine(rate=0.5)" if kind == "policy" else "my_models:Mine(depth=3)"
    return typer.Option(metavar="<name>", help=f"A {kind} of your own, as {example}.")


Quick = Annotated[bool, typer.Option("--quick", help="Play less, for a first look.")]
Rounds = Annotated[int | None, typer.Option(help="Rounds per run.")]
Runs = Annotated[int | None, typer.Option(help="Independent runs per policy.")]
Out = Annotated[Path, typer.Option(help="Folder for the results.")]


@dataclass(frozen=True)
class PolicyOptions:
    """Which policies take part."""

    policies: Annotated[
        Names, names_option("Policies, as in wb-log,ts-laplace.", complete_policies)
    ] = None
    models: Annotated[
        Names, names_option("Models to join with policies such as wb,eg: as in lin,log,nn.")
    ] = None
    policy: Annotated[Names, _own("policy")] = None

    def selection(self, own_models: list[str] | None = None) -> "Selection":
        """This needs a compiler."""
        from bandstrap.comparison.candidates import Selection

        own = tuple(self.policy or ()), tuple(own_models or ())
        return Selection(split_own(self.policies), split(self.models), *own)


@dataclass(frozen=True)
class ReadingOptions:
    """How the table is read."""

    decimal: Annotated[
        str, typer.Option(help="The decimal mark of numbers, as in 2.862,49: . or ,")
    ] = ""
    as_: Annotated[
        Names,
        typer.Option(
            "--as",
            metavar="<column=kind>",
            help="What columns hold: number, text or date, as in price=number.",
        ),
    ] = None
    drop: Annotated[
        Names, typer.Option(metavar="<columns>", help="Columns to leave out, as in id,result.")
    ] = None
    distinct: Annotated[
        bool, typer.Option("--distinct", help="Leave out rows that repeat another.")
    ] = False

    def reading(self) -> "Reading":
        from bandstrap.comparison.options import kinds
        from bandstrap.tables.reading import Reading

        return Reading(self.decimal, kinds(split(self.as_)), split(self.drop), self.distinct)


@dataclass(frozen=True)
class LengthOptions:
    """How much is played."""

    rounds: Rounds = None
    runs: Runs = None
    quick: Quick = False

    def size(self) -> "Size":
        from bandstrap.comparison.options import Size

        return Size(self.rounds, self.runs, self.quick)


@dataclass(frozen=True)
class ExecutionOptions:
    """Where it runs, and what is printed."""

    workers: Annotated[int, typer.Option(help="Worker processes; 0 means one per core.")] = 0
    engine: Annotated[
        str,
        typer.Option(help="Where to run: local, dask or ray.", autocompletion=complete_engine),
    ] = "local"
    address: Annotated[
        str | None,
        typer.Option(help="Address of the Dask scheduler or the Ray head, as in host:8786."),
    ] = None
    seed: Annotated[int, typer.Option(help="The same seed gives the same results.")] = 0
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False

    def start(self) -> "Engine":
        from bandstrap.simulation.engines import engine_named

        return engine_named(self.engine, self.address, self.workers)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with the fields of each group among its parameters as options of their own."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in inspect.signature(command).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            parameters += [
                inspect.Parameter(
                    field.name, parameter.KEYWORD_ONLY, default=field.default, annotation=field.type
                )
                for field in fields(parameter.annotation)
            ]
        else:
            parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY))

    @wraps(command)
    def call(**values: Any) -> None:
        made = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**values, **made)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def split(option: list[str] | None) -> tuple[str, ...]:
    """The names of an option that is given once, with commas, or several times."""
    from bandstrap.comparison.options import split_names

    return tuple(name for names in option or () for name in split_names(names))


def split_own(option: list[str] | None) -> tuple[str, ...]:
    """The same for policies, where commas in parentheses do not count."""
    from bandstrap.comparison.options import split_policies

    return tuple(name for names in option or () for name in split_policies(names))


app = typer.Typer(
    name="bandstrap",
    help="Turn any model into a bandit by bootstrapping.",
    epilog=EXIT_CODES,
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bandstrap {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command("reproduce", epilog=EXIT_CODES)
@grouped
def _reproduce(
    *,
    names: Annotated[
        Names,
        typer.Argument(
            help="Experiments; all by default (see: bandstrap list).",
            autocompletion=complete_experiment,
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            help="quick: a first look, on digits; short: every claim, in minutes; full, the "
            "default: the paper's runs and rounds, in hours.",
            autocompletion=complete_size,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The same as --size quick.")] = False,
    out: Out = Path("results"),
    execution: ExecutionOptions,
    runs: Runs = None,
    horizon: Rounds = None,
    arms: Annotated[int | None, typer.Option(help="Arms per problem.")] = None,
    policies: Annotated[
        Names, names_option("Policies to play, as in wb,npb,ts.", complete_policies)
    ] = None,
    policy: Annotated[Names, _own("policy")] = None,
    exact_horizon: Annotated[
        int | None, typer.Option(help="Rounds per run of policies whose cost grows with history.")
    ] = None,
    kept: Annotated[
        Path | None,
        typer.Option(help="Folder of kept runs, as evidence: go on from them and add new ones."),
    ] = None,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Print the numbers behind each verdict.")
    ] = False,
) -> None:
    """Reproduce the paper's figures and theorems, with a verdict on every claim.

    Beside each verdict stands that of the kept runs at full size.
    If it is interrupted or killed, the same command continues where it stopped.

    Example: bandstrap reproduce figure1 --quick --out results
    """
    from bandstrap.commands.reproduce import reproduce
    from bandstrap.commands.terminal import show
    from bandstrap.errors import InvalidInput
    from bandstrap.experiments import RunSize, Settings
    from bandstrap.policies import Policy
    from bandstrap.policies.own import is_path, own_by_name

    if quick and size not in (None, "quick"):
        raise InvalidInput("--size", size, "leave it out, or leave out --quick")
    chosen = RunSize.named("quick" if quick else size or "full")
    asked = split_own(policies)
    named = tuple(name for name in asked if not is_path(name)) if asked else None
    own = own_by_name([*filter(is_path, asked), *(policy or ())], Policy)
    settings = Settings(chosen, runs, horizon, arms, named, exact_horizon, own)
    found = reproduce(
        names or [], settings, out, execution.start(), execution.seed, command_line(), kept
    )
    show(replace(found, with_evidence=evidence), execution.json)


@app.command("compare", epilog=EXIT_CODES)
@grouped
def _compare(
    *,
    data: Annotated[Path, typer.Argument(help="A CSV, Parquet or Arrow file, or a data set.")],
    label: Annotated[
        str | None,
        typer.Option(help="The column of classes: each is an arm, and the right one pays 1."),
    ] = None,
    rewards: Annotated[
        Names,
        typer.Option(
            metavar="<columns>", help="Instead of a label: one column of rewards per arm, as a,b,c."
        ),
    ] = None,
    read: ReadingOptions,
    chosen: PolicyOptions,
    model: Annotated[Names, _own("model")] = None,
    length: LengthOptions,
    out: Out = Path("compared"),
    execution: ExecutionOptions,
) -> None:
    """Play your table as a bandit and say which policy to use.

    Rows come in random order. The output says what is odd about the table, and what was done with
    each column.
    If it is interrupted or killed, the same command continues where it stopped.

    Example: bandstrap compare flowers.csv --label species
    """
    from bandstrap.commands.terminal import show, waiting

    with waiting(f"reading {data.name}"):
        from bandstrap.comparison.rewards import reward_source
        from bandstrap.comparison.table import by_name, prepare

        # Mistakes are reported as early as possible; importing policies takes seconds.
        size, engine = length.size(), execution.start()
        found = by_name(data)
        source = reward_source(label if label or rewards else found.label, split(rewards))
        check = lambda: chosen.selection(model).check()  # noqa: E731
        reading = read.reading()
        table = prepare(found.table, source, execution.seed, check, reading, found.title)

        from bandstrap.commands.compare import compare

    compared = compare(table, chosen.selection(model), size, out, engine, execution.seed)
    show(compared, execution.json)


@app.command("evaluate", epilog=EXIT_CODES)
@grouped
def _evaluate(
    *,
    log: Annotated[
        Path,
        typer.Argument(help="A log of decisions: a table, a bandit's own log, or dsjson lines."),
    ],
    policy: Annotated[
        Names,
        typer.Option(
            metavar="<names>",
            help="Policies to evaluate, as in wb,ts, or your own: my_policies:Mine(rate=0.5).",
            autocompletion=complete_policies,
        ),
    ] = None,
    answer: Annotated[
        Names,
        typer.Option(
            metavar="<answers>",
            help="Policies as they learnt from the log (learnt, the default), trained on its first "
            "half (frozen), or in the logger's place (had-it-run).",
        ),
    ] = None,
    rule: Annotated[
        Names,
        typer.Option(
            metavar="<rule>",
            help="A fixed rule: uniform, best-arm, always=ARM, column=NAME or module:function.",
        ),
    ] = None,
    bandit: Annotated[
        list[Path] | None, typer.Option(help="A saved bandit, as it is: a file.")
    ] = None,
    column: Annotated[
        Names,
        typer.Option(
            metavar="<role=column>",
            help="Which column holds what, where names do not say: as in arm=variant, reward=paid, "
            "propensity=p, context=age.",
        ),
    ] = None,
    read: ReadingOptions,
    sort: Annotated[
        bool, typer.Option("--sort", help="Sort rows that are not in the order of time.")
    ] = False,
    estimate_propensities: Annotated[
        bool,
        typer.Option(
            "--estimate-propensities",
            help="Estimate propensities that the log does not have; else a model answers alone.",
        ),
    ] = False,
    level: Annotated[float, typer.Option(help="The level of intervals.")] = 0.95,
    draws: Annotated[
        int | None,
        typer.Option(help="Draws for a row of policies that do not know their probabilities."),
    ] = None,
    out: Out = Path("evaluated"),
    seed: Annotated[int, typer.Option(help="The same seed gives the same results.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Say what other policies would have earned on a log of past decisions.

    The log has the arm that was chosen, its reward and, at best, its propensity: the probability
    that it was chosen with. Whether the log can tell at all is said first.

    Example: bandstrap evaluate visits.csv --policy wb --rule always=red
    """
    from bandstrap.commands.terminal import show, waiting

    with waiting(f"reading {log.name}"):
        from bandstrap.commands.evaluate import Wanted, evaluate, roles
        from bandstrap.evaluation.judging import Settings
        from bandstrap.evaluation.logs import read_log

        chosen = Wanted(
            split_own(policy), tuple(rule or ()), tuple(bandit or ()), split(answer), draws
        )
        what, columns = chosen.targets(), roles(column or ())
        feedback = read_log(log, reading=read.reading(), sort=sort, **columns)
    settings = Settings(level, seed, estimate=estimate_propensities)
    found = evaluate(feedback, what, settings, log.name, out)
    show(found, json)


@app.command("benchmark", epilog=EXIT_CODES)
@grouped
def _benchmark(
    *,
    datasets: Annotated[
        Names,
        names_option(
            "Data sets, as in iris,yeast, or your own in the data folder; by default all of ours "
            "that need no network.",
            complete_datasets,
        ),
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="A folder of tables to play.")] = None,
    label: Annotated[
        str | None, typer.Option(help="Their column of classes; the last one where it is missing.")
    ] = None,
    chosen: PolicyOptions,
    length: LengthOptions,
    out: Out = Path("benchmarked"),
    execution: ExecutionOptions,
) -> None:
    """Play many policies over many data sets and rank them.

    By default the data sets are those that need no network (see BANDSTRAP_DATA). With --folder they
    are its tables; with --datasets too, both.
    If it is interrupted or killed, the same command continues where it stopped.

    Example: bandstrap benchmark --quick
    """
    size, engine = length.size(), execution.start()

    from bandstrap.commands.benchmark import Sources, benchmark
    from bandstrap.commands.terminal import show

    sources = Sources(split(datasets) or None, folder, label)
    found = benchmark(sources, chosen.selection(), size, out, engine, execution.seed)
    show(found, execution.json)


@app.command("log", epilog=EXIT_CODES)
def _log(
    log: Annotated[Path, typer.Argument(help="The log of a bandit, or a store of decisions.")],
    table: Annotated[Path, typer.Argument(help="The Parquet file to write.")],
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Convert the log of a bandit to a table: a row for each decision, with its reward.

    Example: bandstrap log decisions.log decisions.parquet
    """
    from bandstrap.commands.log import convert
    from bandstrap.commands.terminal import show

    show(convert(log, table), json)


@app.command("serve", epilog=EXIT_CODES)
def _serve(
    *,
    path: Annotated[
        Path | None, typer.Argument(metavar="APP.TOML", help="The configuration: a TOML file.")
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="Where to store: a file of SQLite's, or postgresql://…")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 means any that is free.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes that decide.")] = None,
    no_learner: Annotated[
        bool, typer.Option("--no-learner", help="Decide only; another machine learns.")
    ] = False,
    learner_only: Annotated[
        bool, typer.Option("--learner-only", help="Learn only; other machines decide.")
    ] = False,
    log: Annotated[
        str, typer.Option(help="The line for each request, on standard error: plain, json or off.")
    ] = "plain",
    check: Annotated[
        bool, typer.Option("--check", help="Check the configuration, and serve nothing.")
    ] = False,
    new_key: Annotated[
        bool, typer.Option("--new-key", help="Make a key, and the lines that let it in.")
    ] = False,
    verify: Annotated[
        str | None,
        typer.Option(
            metavar="<experiment>",
            help="Learn an experiment again from its first step, and compare.",
        ),
    ] = None,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print what --check, --new-key or --verify find as JSON."),
    ] = False,
) -> None:
    """Serve decisions over HTTP, store them and their rewards, and learn.

    It runs until it is told to stop: Ctrl-C, or SIGTERM.

    Example: bandstrap serve app.toml
    """
    import os

    # Processes share the cores, and only libraries that are not yet loaded look at this.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")

    from bandstrap.commands.terminal import show
    from bandstrap.errors import InvalidInput

    try:
        from bandstrap.commands import serve as serving
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("bandstrap"):
            raise
        remedy = "install what it needs: pip install 'bandstrap[serve]'"
        raise InvalidInput("serve", error.name, remedy) from None

    if new_key:
        show(serving.fresh_key(), json)
        return
    if path is None:
        raise InvalidInput("APP.TOML", None, "give a configuration, as in bandstrap serve app.toml")
    wanted = serving.Wanted(store, host, port, workers, no_learner, learner_only, log)
    if check:
        show(serving.check(path, wanted), json)
    elif verify is not None:
        found = serving.verify(path, wanted, verify)
        show(found, json)
        if not found.same:
            raise typer.Exit(1)
    else:
        raise typer.Exit(serving.serve(path, wanted))


@app.command("list", epilog=EXIT_CODES)
def _list(
    json: Annotated[bool, typer.Option("--json", help="Print the names as JSON.")] = False,
) -> None:
    """List policies, resampling schemes, models, environments, data sets and experiments.

    For each policy: what it is, its paper, whether it is exact, and how its cost grows.

    Example: bandstrap list
    """
    from bandstrap.commands.listing import Names
    from bandstrap.commands.names import known_here
    from bandstrap.commands.terminal import show

    found = known_here()
    show(Names(found["names"], found["about"]), json)


def main() -> None:
    """Run the command line."""
    call(app)
