"""Batches on their way to workers: with the code of modules that only this folder has.

A worker may run in another folder or on another machine, where it could not import them. One that
has lived for long may have imported them before they were changed.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import cloudpickle

from bandstrap.simulation.batch import Batch
from bandstrap.simulation.store.fingerprint import OURS, installed


class Sent:
    """A batch; whoever pickles it sends the code of the current folder along.

    >>> Sent.__module__
    'bandstrap.simulation.sending'
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch

    def __reduce__(self) -> tuple[object, ...]:
        with _by_value(_local_modules()):
            return _arrived, (cloudpickle.dumps(self.batch),)


def _arrived(content: bytes) -> Sent:
    return Sent(cloudpickle.loads(content))


def _local_modules() -> list[ModuleType]:
    """Modules that are imported from the current folder itself."""
    here = Path.cwd()
    tops = {name: module for name, module in [*sys.modules.items()] if "." not in name}
    return [module for name, module in tops.items() if name not in OURS and _is_in(here, module)]


def _is_in(folder: Path, module: ModuleType) -> bool:
    path = getattr(module, "__file__", None)
    if not path or module.__name__ == "__main__" or installed(module.__name__):
        return False
    place = Path(path).parent
    return folder == (place.parent if Path(path).name == "__init__.py" else place)


@contextmanager
def _by_value(modules: list[ModuleType]) -> Iterator[None]:
    """Let pickle take their classes and functions as they are, not by name."""
    known = cloudpickle.list_registry_pickle_by_value()
    new = [module for module in modules if module.__name__ not in known]
    for module in new:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in new:
            cloudpickle.unregister_pickle_by_value(module)
