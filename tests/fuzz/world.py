"""What changes may take from elsewhere: names of classes and functions, parts of other files."""

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hostile import Raw, slots

DANGEROUS = (
    "os:system", "os:remove", "subprocess:Popen", "builtins:eval", "builtins:exec",
    "builtins:open", "builtins:print", "builtins:object", "builtins:type", "builtins:dict",
    "socket:socket", "shutil:rmtree", "pathlib:Path", "numpy:ndarray", "numpy:load",
    "numpy.random:seed", "time:sleep", "importlib:import_module", "pickle:loads", "sys:exit",
    "os:_exit", "threading:Thread", "bandstrap.datasets.archives:_download",
    "bandstrap.datasets.archives:download", "bandstrap.bandit.bandit:Bandit.save",
    "bandstrap.bandit.bandit:Bandit.load", "bandstrap.bandit.bandit:Bandit",
    "bandstrap.bandit.bandit:Bandit.decide", "bandstrap.bandit.saving:save",
    "bandstrap.bandit.saving:load", "bandstrap.bandit.saving:os.system",
    "bandstrap.storage.archive:save", "bandstrap.storage.archive:load",
    "bandstrap.simulation.runner:simulate", "bandstrap.models.torch_learner:TorchLearner",
    "bandstrap.models.estimator_recipe:read", "bandstrap.models.estimator_recipe:_class",
    "bandstrap.kernels.history:gather", "bandstrap.kernels.history:insert",
    "bandstrap.cli:main",
    "bandstrap.__main__:main", "bandstrap.warmup:main", "bandstrap.policies.base:Policy",
    "bandstrap.policies.base:Policy.start", "sklearn.utils:Bunch", "sklearn.base:clone",
    "sklearn.datasets:fetch_openml", "sklearn.pipeline:Pipeline", "bandstrap", ":", "", "a:b:c",
    "bandstrap.bandit.bandit:Bandit.__init__.__globals__", "bandstrap.no:Such",
    "bandstrap..bandit:x", "bandstrap.bandit:" + "x." * 1000, "x" * 100_000 + ":y",
)  # fmt: skip

METHODS = (
    "learn", "restore", "decide", "_decide", "select", "_select", "scores", "_scores", "start",
    "_start", "update", "_update", "check", "check_contexts", "check_reward", "forget",
    "remap_arms", "save", "load", "observe", "look", "rows", "read", "seen", "learnt", "problem",
    "unsaved",
    "context_free", "_lock", "_clock", "_make", "own_clock", "memory", "advance", "ensure_room",
    "weights", "totals", "fit", "predict", "__class__", "__dict__", "__init__", "__getstate__",
    "__setstate__", "__reduce__", "__call__", "__eq__", "__len__", "__module__", "__weakref__",
    "", "a b", "x" * 10_000,
)  # fmt: skip


@dataclass(frozen=True)
class World:
    """Honest files by name."""

    files: dict[str, Raw]

    @cached_property
    def names(self) -> list[str]:
        """Names in any of the files, and all others of ours that are loaded."""
        return sorted(_loaded().union(*map(classes_in, self.files.values())))


def classes_in(raw: Raw) -> set[str]:
    """Names of classes and functions in a file."""
    return {slot.value[1] for slot in slots(raw) if is_class(slot.value)}


def is_class(node: Any) -> bool:
    """Whether a node names a class or function."""
    return isinstance(node, list) and len(node) > 1 and node[0] in CLASSES and type(node[1]) is str


CLASSES = ("object", "named", "enum", "global")


def _loaded() -> set[str]:
    modules = {name: it for name, it in sys.modules.items() if name.startswith("bandstrap.")}
    return {
        f"{name}:{key}"
        for name, module in modules.items()
        for key, it in vars(module).items()
        if getattr(it, "__module__", None) == name and hasattr(it, "__qualname__")
    }
