"""Claims for the terminal."""

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from bandstrap.experiments import Claim

_COLOURS = {"reproduced": "green", "reproduced in part": "yellow", "not reproduced": "red"}


def claims_table(claims: Iterable[Claim]) -> Table:
    """The claims as a table, coloured by verdict.

    What was found stands below the claim and not beside it: it can be long, and a narrow column
    would make a page of it.
    """
    table = Table(title="Claims", show_lines=True)
    table.add_column("id", no_wrap=True)
    table.add_column("verdict", min_width=12)
    table.add_column("claim, and what was found")
    for claim in claims:
        verdict = Text(claim.verdict, style=_COLOURS.get(claim.verdict, "cyan"))
        found = Text("\n" + claim.evidence, style="dim")
        table.add_row(claim.id, verdict, Text(claim.claim) + found)
    return table
