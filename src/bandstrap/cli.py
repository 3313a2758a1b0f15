"""The command line. Everything heavy is imported inside a command, so that `--help` is instant."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bandstrap.commands import completion
from bandstrap.commands.calling import EXIT_CODES, Commands, call, command_line
from bandstrap.version import __version__

if TYPE_CHECKING:
    from bandstrap.comparison.candidates import Asked

app = typer.Typer(
    name="bandstrap",
    help="Turn any model into a bandit by bootstrapping.",
    epilog=EXIT_CODES,
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

Policies = Annotated[
    list[str] | None,
    typer.Option(
        metavar="<names>",
        help="Policies, as in wb-log,ts-laplace.",
        autocompletion=completion.policies,
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(metavar="<names>", help="Models, as in lin,log,nn: with policies such as wb,eg."),
]
OwnPolicy = Annotated[
    list[str] | None,
    typer.Option(metavar="<name>", help="A policy of your own, as module:Class."),
]
Rounds = Annotated[int | None, typer.Option(help="Rounds per run.")]
Runs = Annotated[int | None, typer.Option(help="Independent runs per policy.")]
Quick = Annotated[bool, typer.Option("--quick", help="A small run of the same.")]
Workers = Annotated[int, typer.Option(help="Processes; 0 means one per core.")]
EngineName = Annotated[
    str,
    typer.Option(help="Where to run: local, dask or ray.", autocompletion=completion.engines),
]
Address = Annotated[
    str | None, typer.Option(help="Of the Dask scheduler or the Ray head, as in host:8786.")
]
Seed = Annotated[int, typer.Option(help="Equal seeds give equal results.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON, and nothing else, to be read on.")
]


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
def _reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Experiments; none means all (see: bandstrap list).",
            autocompletion=completion.experiments,
        ),
    ] = None,
    quick: Quick = False,
    out: Annotated[Path, typer.Option(help="Where results go.")] = Path("results"),
    workers: Workers = 0,
    engine: EngineName = "local",
    address: Address = None,
    seed: Seed = 0,
    runs: Annotated[int | None, typer.Option(help="Independent runs per curve.")] = None,
    horizon: Annotated[int | None, typer.Option(help="Rounds per run.")] = None,
    arms: Annotated[int | None, typer.Option(help="Arms per problem.")] = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            metavar="<names>",
            help="Policies to show, as in wb,npb,ts.",
            autocompletion=completion.policies,
        ),
    ] = None,
    exact_horizon: Annotated[
        int | None, typer.Option(help="Rounds of policies whose cost grows with history.")
    ] = None,
    json: Json = False,
) -> None:
    """Reproduce the paper's figures and theorems, with a verdict on every claim.

    Interrupted or killed, the same command goes on where it was.

    Example: bandstrap reproduce figure1 --quick --out results
    """
    from bandstrap.commands.outcome import show
    from bandstrap.commands.reproduce import reproduce
    from bandstrap.experiments import Settings
    from bandstrap.simulation.engines import engine_named

    settings = Settings(quick, runs, horizon, arms, _split(policies) or None, exact_horizon)
    where = engine_named(engine, address, workers)
    show(reproduce(names or [], settings, out, where, seed, command_line()), json)


@app.command("compare", epilog=EXIT_CODES)
def _compare(
    data: Annotated[Path, typer.Argument(help="A CSV, Parquet or Arrow file.")],
    label: Annotated[
        str | None, typer.Option(help="The column of classes: an arm each, the right one pays 1.")
    ] = None,
    rewards: Annotated[
        list[str] | None,
        typer.Option(
            metavar="<columns>", help="Instead: the columns of what each arm would pay, as a,b,c."
        ),
    ] = None,
    policies: Policies = None,
    models: Models = None,
    policy: OwnPolicy = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="<name>", help="A model of your own, as module:Class."),
    ] = None,
    rounds: Rounds = None,
    runs: Runs = None,
    quick: Quick = False,
    out: Annotated[Path, typer.Option(help="Where results go.")] = Path("compared"),
    workers: Workers = 0,
    engine: EngineName = "local",
    address: Address = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Play your table as a bandit and say which policy to use.

    Rows come in random order; each decision and what was done with each column is shown.
    Interrupted or killed, the same command goes on where it was.

    Example: bandstrap compare flowers.csv --label species
    """
    from bandstrap.commands.waiting import waiting

    with waiting(f"reading {data.name}"):
        from bandstrap.comparison.payment import paid_by
        from bandstrap.comparison.size import Size
        from bandstrap.comparison.table import prepare
        from bandstrap.simulation.engines import engine_named

        # What is wrong is said as soon as it can be known; importing policies takes seconds.
        size, where = Size(rounds, runs, quick), engine_named(engine, address, workers)
        asked = _asked(policies, models, policy, model)
        prepared = prepare(data, paid_by(label, _split(rewards)), seed, lambda: asked().check())

        from bandstrap.commands.compare import compare
        from bandstrap.commands.outcome import show

    show(compare(prepared, asked(), size, out, where, seed), json)


@app.command("benchmark", epilog=EXIT_CODES)
def _benchmark(
    datasets: Annotated[
        list[str] | None,
        typer.Option(
            metavar="<names>",
            help="Data sets by name, as in iris,yeast; all at hand if none.",
            autocompletion=completion.datasets,
        ),
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="A folder of tables to play instead.")] = None,
    label: Annotated[
        str | None, typer.Option(help="Their column of classes; the last one if a table has none.")
    ] = None,
    policies: Policies = None,
    models: Models = None,
    policy: OwnPolicy = None,
    rounds: Rounds = None,
    runs: Runs = None,
    quick: Quick = False,
    out: Annotated[Path, typer.Option(help="Where results go.")] = Path("benchmarked"),
    workers: Workers = 0,
    engine: EngineName = "local",
    address: Address = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Play many policies over many data sets and rank them.

    Data sets are those at hand without a network (see BANDSTRAP_DATA), or the tables of a folder;
    with both --datasets and --folder, both. Interrupted or killed, the same command goes on.

    Example: bandstrap benchmark --quick
    """
    from bandstrap.comparison.size import Size
    from bandstrap.simulation.engines import engine_named

    size, where = Size(rounds, runs, quick), engine_named(engine, address, workers)

    from bandstrap.commands.benchmark import Sources, benchmark
    from bandstrap.commands.outcome import show

    asked = _asked(policies, models, policy)()
    sources = Sources(_split(datasets) or None, folder, label)
    show(benchmark(sources, asked, size, out, where, seed), json)


@app.command("list", epilog=EXIT_CODES)
def _list(json: Json = False) -> None:
    """List policies, resampling schemes, models, environments, data sets and experiments.

    Of each policy: what it is, from which paper, whether it is exact and how its cost grows.

    Example: bandstrap list
    """
    from bandstrap.commands.listing import Names
    from bandstrap.commands.names import known
    from bandstrap.commands.outcome import show

    found = known()
    show(Names(found["names"], found["about"]), json)


def _asked(
    policies: list[str] | None,
    models: list[str] | None,
    own_policies: list[str] | None,
    own_models: list[str] | None = None,
) -> "Callable[[], Asked]":
    """Makes what is asked for, which needs a compiler."""

    def asked() -> "Asked":
        from bandstrap.comparison.candidates import Asked

        own = tuple(own_policies or ()), tuple(own_models or ())
        return Asked(_split(policies), _split(models), *own)

    return asked


def _split(given: list[str] | None) -> tuple[str, ...]:
    """The words of an option that is given once, with commas, or several times."""
    from bandstrap.comparison.listed import listed

    return tuple(word for words in given or () for word in listed(words))


def main() -> None:
    """Run the command line."""
    call(app)
