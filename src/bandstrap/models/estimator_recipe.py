"""An unfitted estimator as plain data, and back: what is saved of it instead of a pickle.

Reading a recipe makes nothing but estimators and their helpers, by their constructors, out of
packages that are known or loaded already, and takes no functions but NumPy's elementwise ones.
A cache of a pipeline's steps is not taken over either: it is a folder of pickles.
"""

import sys
from importlib import import_module
from typing import Any

import numpy as np

from bandstrap.errors import OutputError

SELECTOR = "sklearn.compose._column_transformer:make_column_selector"
OUTPUT = "_sklearn_output_config"  # where set_output keeps what clone takes over
KNOWN = ("bandstrap", "sklearn", "lightgbm", "xgboost", "catboost")


def written(thing: Any) -> Any:
    """An estimator or a parameter as plain data; what has no plain form stays as it is."""
    if hasattr(thing, "get_params") and not isinstance(thing, type):
        params = thing.get_params(deep=False)
        recipe = {"made": _name(type(thing)), "of": {k: written(v) for k, v in params.items()}}
        output = getattr(thing, OUTPUT, {}).get("transform")
        return recipe if output is None else recipe | {"output": output}
    if _name(type(thing)) == SELECTOR:
        return {"held": _name(type(thing)), "of": {k: written(v) for k, v in vars(thing).items()}}
    if isinstance(thing, np.ufunc):
        return {"ufunc": thing.__name__}
    if isinstance(thing, type) and issubclass(thing, np.generic):
        return {"type": thing.__name__}
    if isinstance(thing, slice):
        return {"slice": [thing.start, thing.stop, thing.step]}
    if type(thing) in (list, tuple):
        return type(thing)(written(item) for item in thing)
    if type(thing) is dict:
        return {"dict": [(written(key), written(value)) for key, value in thing.items()]}
    return thing


def read(recipe: Any) -> Any:
    """What was written."""
    if type(recipe) in (list, tuple):
        return type(recipe)(read(item) for item in recipe)
    if type(recipe) is not dict:
        return recipe
    kind, value = next(iter(recipe.items()))
    if kind == "dict":
        return {read(key): read(item) for key, item in value}
    if kind == "slice":
        return slice(*value)
    if kind in ("ufunc", "type"):
        return _of_numpy(value)
    of = {name: read(item) for name, item in recipe["of"].items()}
    if kind == "made":
        made = _class(value)(**{**of, **({"memory": None} if "memory" in of else {})})
        if "output" in recipe:
            setattr(made, OUTPUT, {"transform": str(recipe["output"])})
        return made
    from sklearn.compose import make_column_selector  # takes long to import

    selector = make_column_selector()
    vars(selector).update({name: of[name] for name in vars(selector)})
    return selector


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _of_numpy(name: str) -> Any:
    found = getattr(np, name, None)
    if isinstance(found, np.ufunc) or (isinstance(found, type) and issubclass(found, np.generic)):
        return found
    raise OutputError(name, "is no elementwise function of NumPy", "take another file")


def _class(name: str) -> Any:
    from sklearn.base import BaseEstimator  # takes long to import
    from sklearn.gaussian_process.kernels import Kernel

    module, _, path = name.partition(":")
    if module not in sys.modules and module.partition(".")[0] in KNOWN:
        import_module(module)
    if module not in sys.modules:
        raise OutputError(name, "is an estimator not loaded yet", f"import {module} beforehand")
    found: Any = getattr(sys.modules[module], path, None)
    if isinstance(found, type) and issubclass(found, (BaseEstimator, Kernel)):
        return found
    raise OutputError(name, "is no estimator", "take another file")
