"""bandstrap: turn any model into a bandit by bootstrapping.

The public names are those in `__all__` of the modules below. They are imported when first used,
so that the command line answers `--help` without loading a compiler; `from bandstrap import *`
imports all of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from bandstrap.version import __version__ as __version__

if TYPE_CHECKING:
    from bandstrap.bandit import *  # noqa: F403
    from bandstrap.comparison import *  # noqa: F403
    from bandstrap.errors import *  # noqa: F403
    from bandstrap.evaluation import *  # noqa: F403
    from bandstrap.models import *  # noqa: F403
    from bandstrap.policies import *  # noqa: F403
    from bandstrap.priors import *  # noqa: F403
    from bandstrap.problem import *  # noqa: F403
    from bandstrap.resampling import *  # noqa: F403
    from bandstrap.simulation import *  # noqa: F403
    from bandstrap.tables import *  # noqa: F403

_HOMES = (
    "errors",
    "problem",
    "tables",
    "priors",
    "resampling",
    "models",
    "policies",
    "bandit",
    "simulation",
    "comparison",
    "evaluation",
)


def __getattr__(name: str) -> object:
    if name == "__all__":
        return __dir__()
    if not name.startswith("_"):
        for home in _HOMES:
            module = import_module(f"bandstrap.{home}")
            if name in module.__all__:
                value: object = getattr(module, name)
                globals()[name] = value
                return value
    raise AttributeError(f"module 'bandstrap' has no attribute {name!r}")


def __dir__() -> list[str]:
    names = [import_module(f"bandstrap.{home}").__all__ for home in _HOMES]
    return sorted({"__version__", *(name for some in names for name in some)})
