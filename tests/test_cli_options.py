"""Groups of options: each field is an option, and the command gets the group."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from bandstrap.cli import grouped, split


@dataclass(frozen=True)
class Group:
    first: Annotated[int, typer.Option(help="The first.")] = 1
    second: Annotated[bool, typer.Option("--second", help="The second.")] = False


def called(*words):
    app, seen = typer.Typer(), []

    @app.command()
    @grouped
    def command(*, name: str, group: Group, last: int = 3) -> None:
        """Does something."""
        seen.append((name, group, last))

    done = CliRunner().invoke(app, words)
    return done, seen


def test_a_group_is_made_from_its_options():
    assert called("a")[1] == [("a", Group(), 3)]
    assert called("a", "--first", "5", "--second", "--last", "4")[1] == [("a", Group(5, True), 4)]


def test_options_keep_their_order_their_help_and_their_checks():
    words = called("--help")[0].output
    assert words.index("--first") < words.index("--second") < words.index("--last")
    assert "The second." in words
    assert "Does something." in words
    assert called("a", "--first", "x")[0].exit_code == 2


@pytest.mark.parametrize(
    ("option", "names"),
    [(None, ()), (["a,b", "c"], ("a", "b", "c")), (['"a,b",c'], ("a,b", "c"))],
)
def test_names_with_commas_or_given_several_times(option, names):
    assert split(option) == names
