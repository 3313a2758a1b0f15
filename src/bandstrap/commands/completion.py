"""What the shell offers when a name is half typed."""

from collections.abc import Iterable


def experiments(incomplete: str) -> list[str]:
    return _beginning(incomplete, ("experiments",))


def policies(incomplete: str) -> list[str]:
    return _listed(incomplete, ("policies", "policies with contexts"))


def datasets(incomplete: str) -> list[str]:
    return _listed(incomplete, ("data sets",))


def engines(incomplete: str) -> list[str]:
    return [name for name in ("local", "dask", "ray") if name.startswith(incomplete)]


def _listed(incomplete: str, groups: Iterable[str]) -> list[str]:
    """For a list with commas: what is typed already stays, and is not offered again."""
    before, comma, last = incomplete.rpartition(",")
    offered = _beginning(last, groups)
    return [f"{before}{comma}{name}" for name in offered if name not in before.split(",")]


def _beginning(incomplete: str, groups: Iterable[str]) -> list[str]:
    from bandstrap.commands.names import names

    known = names()
    return [name for group in groups for name in known[group] if name.startswith(incomplete)]
