"""Options that several commands share, in groups. Loads nothing heavy, so that help is instant."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bandstrap.commands.names import complete_engine, complete_policies

if TYPE_CHECKING:
    from bandstrap.comparison.candidates import Selection
    from bandstrap.comparison.options import Size
    from bandstrap.simulation.engines import Engine


@dataclass(frozen=True)
class PolicyOptions:
    """Which policies take part."""

    policies: Annotated[
        list[str] | None,
        typer.Option(
            metavar="<names>",
            help="Policies, as in wb-log,ts-laplace.",
            autocompletion=complete_policies,
        ),
    ] = None
    models: Annotated[
        list[str] | None,
        typer.Option(
            metavar="<names>", help="Models to join with policies such as wb,eg: as in lin,log,nn."
        ),
    ] = None
    policy: Annotated[
        list[str] | None,
        typer.Option(metavar="<name>", help="A policy of your own, as module:Class."),
    ] = None

    def selection(self, own_models: list[str] | None = None) -> "Selection":
        """This needs a compiler."""
        from bandstrap.comparison.candidates import Selection

        own = tuple(self.policy or ()), tuple(own_models or ())
        return Selection(split(self.policies), split(self.models), *own)


@dataclass(frozen=True)
class LengthOptions:
    """How much is played."""

    rounds: Annotated[int | None, typer.Option(help="Rounds per run.")] = None
    runs: Annotated[int | None, typer.Option(help="Independent runs per policy.")] = None
    quick: Annotated[bool, typer.Option("--quick", help="Play less, for a first look.")] = False

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
