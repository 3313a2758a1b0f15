"""Options that several commands share, in groups. Loads nothing heavy, so that help is instant."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bandstrap.commands.names import complete_engine, complete_policies

if TYPE_CHECKING:
    from bandstrap.comparison.candidates import Selection
    from bandstrap.comparison.options import Size
    from bandstrap.simulation.engines import Engine


Names = list[str] | None


def names_option(text: str, complete: Callable[[str], list[str]] | None = None) -> Any:
    """An option that takes names, with commas or given several times."""
    return typer.Option(metavar="<names>", help=text, autocompletion=complete)


def _own(kind: str) -> Any:
    return typer.Option(metavar="<name>", help=f"A {kind} of your own, as module:Class.")


OwnPolicy = Annotated[Names, _own("policy")]
OwnModel = Annotated[Names, _own("model")]
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
    policy: OwnPolicy = None

    def selection(self, own_models: list[str] | None = None) -> "Selection":
        """This needs a compiler."""
        from bandstrap.comparison.candidates import Selection

        own = tuple(self.policy or ()), tuple(own_models or ())
        return Selection(split(self.policies), split(self.models), *own)


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
