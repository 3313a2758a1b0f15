"""The command line. Everything heavy is imported inside a command, so that `--help` is instant."""

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="bandstrap",
    help="Turn any model into a bandit by bootstrapping.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def _options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option(help="Show the traceback of an error.")] = False,
) -> None:
    context.obj = debug


@app.command("reproduce")
def _reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(help="Experiments; none means all (see: bandstrap list).")
    ] = None,
    quick: Annotated[bool, typer.Option(help="A small run of the same.")] = False,
    out: Annotated[Path, typer.Option(help="Where results go.")] = Path("results"),
    workers: Annotated[int, typer.Option(help="Processes; 0 means one per core.")] = 0,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal results.")] = 0,
    runs: Annotated[int | None, typer.Option(help="Independent runs per curve.")] = None,
    horizon: Annotated[int | None, typer.Option(help="Rounds per run.")] = None,
    arms: Annotated[int | None, typer.Option(help="Arms per problem.")] = None,
    policies: Annotated[str | None, typer.Option(help="Policies to show, as in wb,npb,ts.")] = None,
    exact_horizon: Annotated[
        int | None, typer.Option(help="Rounds of policies whose cost grows with history.")
    ] = None,
) -> None:
    """Reproduce the paper's figures and theorems, with a verdict on every claim.

    Example: bandstrap reproduce figure1 --quick --out results
    """
    from bandstrap.commands.reproduce import reproduce
    from bandstrap.experiments import Settings

    chosen = tuple(policies.split(",")) if policies is not None else None
    settings = Settings(quick, runs, horizon, arms, chosen, exact_horizon)
    reproduce(names or [], settings, out, workers, seed, _command())


@app.command("list")
def _list() -> None:
    """List policies, resampling schemes, models, environments, data sets and experiments.

    Example: bandstrap list
    """
    from bandstrap.commands.listing import list_names

    list_names()


def _command() -> str:
    return " ".join(["bandstrap", *sys.argv[1:]])


def main() -> None:
    """Run the command line; an error is one sentence and exit code 2, a traceback with --debug."""
    try:
        app()
    except KeyboardInterrupt:
        typer.echo("interrupted; what is done is kept: run the same command again", err=True)
        sys.exit(130)
    except Exception as error:
        from bandstrap.errors import BandstrapError

        if not isinstance(error, BandstrapError) or "--debug" in sys.argv:
            raise
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
