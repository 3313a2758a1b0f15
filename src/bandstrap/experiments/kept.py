"""The claims of the kept runs at full size, to show beside those of a shorter run."""

import json
from importlib.resources import files
from importlib.resources.abc import Traversable

from bandstrap.experiments.base import Claim

KEPT = files("bandstrap.experiments") / "kept.json"  # what `Claim.as_dict` gives, as a list


def kept_claims(file: Traversable = KEPT) -> dict[str, Claim]:
    """The kept claims by their ids; none where the file is missing."""
    if not file.is_file():
        return {}
    found = map(Claim.from_dict, json.loads(file.read_text(encoding="utf-8")))
    return {claim.id: claim for claim in found}
