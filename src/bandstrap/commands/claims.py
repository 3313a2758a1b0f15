"""Claims for the terminal."""

from collections.abc import Iterable

from rich.table import Table

from bandstrap.experiments import Claim

_COLOURS = {"reproduced": "green", "reproduced in part": "yellow", "not reproduced": "red"}


def claims_table(claims: Iterable[Claim]) -> Table:
    """The claims as a table, coloured by verdict."""
    table = Table(title="Claims", show_lines=True)
    table.add_column("id", no_wrap=True)
    for column in ("claim", "verdict", "evidence"):
        table.add_column(column, overflow="fold")
    for claim in claims:
        colour = _COLOURS.get(claim.verdict, "cyan")
        table.add_row(claim.id, claim.claim, f"[{colour}]{claim.verdict}[/]", claim.evidence)
    return table
