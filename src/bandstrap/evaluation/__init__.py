"""What would another policy have earned? Logs in, estimators, intervals, diagnostics.

Names are imported on first use: a log that cannot be read is refused before anything that needs a
compiler is loaded.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bandstrap.evaluation.evaluation import evaluate as evaluate
    from bandstrap.evaluation.logs import read_log as read_log
    from bandstrap.evaluation.logs import write_dsjson as write_dsjson
    from bandstrap.evaluation.result import Evaluation as Evaluation

__all__ = ["Evaluation", "evaluate", "read_log", "write_dsjson"]

_HOMES = {
    "Evaluation": "result",
    "evaluate": "evaluation",
    "read_log": "logs",
    "write_dsjson": "logs",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"bandstrap.evaluation.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'bandstrap.evaluation' has no attribute {name!r}")
