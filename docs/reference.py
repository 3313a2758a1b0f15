"""The API reference: a page of public names for each module, written when docs are built."""

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import isclass
from pathlib import Path

import bandstrap

TITLES = {
    "bandit": "Bandit: decisions in a product",
    "policies": "Policies",
    "resampling": "Resampling schemes",
    "models": "Models",
    "priors": "Priors",
    "problem": "Problems and supports",
    "simulation": "Simulation",
    "comparison": "Comparison of policies on a table",
    "environments": "Environments",
    "datasets": "Data sets",
    "tables": "Columns",
    "testing": "Checks for your own classes",
    "experiments": "Experiments",
    "errors": "Errors",
}
# Names that their modules leave out of their packages, because importing them takes long or few
# people need them.
APART = {
    "bandit.log.store": (
        "Decisions of several processes",
        ("DecisionStore", "Receipt", "Reward", "Version"),
    ),
    "bandit.log.table": ("A log as a table", ("log_table", "write_parquet")),
    "models.sklearn.as_estimators": (
        "Our models as scikit-learn estimators",
        ("LinearEstimator", "LogisticEstimator"),
    ),
    "service.client": (
        "The client of a service",
        ("Client", "AsyncClient", "Retry", "Decided", "Request", "Reward"),
    ),
    "simulation.engines": ("Where batches are played", ("Engine", "Local", "Dask", "Ray")),
    "experiments.session": ("Sessions of experiments", ("Session",)),
}
# Every module whose names `bandstrap` itself has, whether or not it has a title above.
MODULES = {**TITLES, **{home: home for home in bandstrap._HOMES if home not in TITLES}}
INDEX = """# Reference

Every public name, by module. Most can be imported from `bandstrap` itself, as in
`from bandstrap import Bandit`. Environments, data sets, checks, experiments and the modules below
with a dot in their name are imported from there: `from bandstrap.simulation.engines import Dask`.

```{{toctree}}
:maxdepth: 1

{modules}
```
"""
PAGE = """# {title}

```{{eval-rst}}
.. automodule:: bandstrap.{module}

.. currentmodule:: bandstrap.{module}

.. autosummary::
   :nosignatures:

{summary}

{entries}
```
"""


def write_reference(folder: Path) -> None:
    """Write every page that is not there yet or has changed."""
    folder.mkdir(exist_ok=True)
    pages = {module: page(module, title) for module, title in MODULES.items()}
    pages |= {module: page(module, title, names) for module, (title, names) in APART.items()}
    pages["index"] = INDEX.format(modules="\n".join(pages))
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def page(module: str, title: str, names: Sequence[str] = ()) -> str:
    """All or some public names of a module: classes and functions first, then data."""
    home = import_module(f"bandstrap.{module}")
    names = names or home.__all__
    made = [name for name in names if callable(getattr(home, name))]
    data = [name for name in names if name not in made]
    return PAGE.format(
        title=title,
        module=module,
        summary="\n".join(f"   {name}" for name in made),
        entries="\n\n".join(
            [
                *(_entry(name, getattr(home, name)) for name in made),
                *(_names(name, getattr(home, name)) for name in data),
            ]
        ),
    )


def spelled_out(app, what, name, made, options, signature, returns):
    """A signature with readable defaults, where they are factories or functions."""
    if not signature:
        return signature, returns
    signature = re.sub(r"<(?:built-in )?function (\w+)(?: at 0x\w+)?>", r"\1", signature)
    if "<factory>" in signature and is_dataclass(made):
        for field in fields(made):
            if field.init and callable(field.default_factory):
                signature = signature.replace("<factory>", repr(field.default_factory()), 1)
    return signature, returns


def _entry(name: str, made: object) -> str:
    if not isclass(made):
        return f".. autofunction:: {name}"
    # Methods that scikit-learn gives to its estimators: their words refer to its own pages.
    theirs = [each for each in dir(made) if re.fullmatch(r"set_\w+_request", each)]
    without = f"\n   :exclude-members: {', '.join(theirs)}" if theirs else ""
    return f".. autoclass:: {name}\n   :members:{without}"


def _names(name: str, registry: dict[str, object]) -> str:
    known = ", ".join(f"`{each}`" for each in registry)
    return f".. data:: {name}\n\n   By name: {known}."
