"""An unfitted estimator as plain data, and back: what is saved of it instead of a pickle.

Reading a recipe makes nothing but estimators and their helpers, by their constructors: those of
`estimator_known`, within its limits, and what the caller trusts. It takes no functions but NumPy's
elementwise ones and trusted ones. A cache of a pipeline's steps is never taken over: it is a folder
of pickles.
"""

from typing import Any

import numpy as np

from bandstrap.models.sklearn.known import (
    MOST_OF,
    allowed,
    check_pattern,
    check_times,
    known_class,
    work_of,
)
from bandstrap.storage.schema import require
from bandstrap.storage.unpacking import Names, NotTrusted

SELECTOR = "sklearn.compose._column_transformer:make_column_selector"
OUTPUT = "_sklearn_output_config"  # where set_output keeps what clone takes over
OUTPUTS = ("default", "pandas", "polars")


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


def read(recipe: Any, trusted: Names | None = None, times: int = 1) -> Any:
    """What was written, to be fit so many times over."""
    reader = _Reader({} if trusted is None else trusted)
    estimator = reader.read(recipe)
    if _name(type(estimator)) not in reader.trusted:
        check_times(type(estimator), times, reader.work)
    return estimator


class _Reader:
    def __init__(self, trusted: Names) -> None:
        self.trusted = trusted
        self.work = 1  # steps of one fit: the most of any estimator that was read
        self.degrees = 0  # of all polynomials: they multiply columns

    def read(self, recipe: Any) -> Any:
        if type(recipe) in (list, tuple):
            return type(recipe)(self.read(item) for item in recipe)
        if type(recipe) is not dict:
            return recipe
        if "of" in recipe:
            return self._made(**recipe)
        require(len(recipe) == 1, "a recipe is none")
        [(kind, value)] = recipe.items()
        if kind == "dict":
            return {self.read(key): self.read(item) for key, item in value}
        if kind == "slice":
            require(all(each is None or type(each) is int for each in value), "a slice is none")
            return slice(*value)
        require(kind in ("ufunc", "type"), "a recipe is none")
        return _of_numpy(value)

    def _made(
        self, of: dict[str, Any], made: Any = None, held: Any = None, output: Any = None
    ) -> Any:
        name = held if made is None else made
        require(type(name) is str and type(of) is dict, "a recipe is none")
        found = self.trusted.get(name)
        before, self.work = self.work, 1
        given = {key: self.read(item) for key, item in of.items()}
        if made is not None:
            estimator = self._known(name, given) if found is None else _trusted(found, given)
        else:
            estimator = _selector(name, given, found is not None)
        self.work = max(before, self.work)
        if output is not None:
            require(output in OUTPUTS, "an output is none")
            setattr(estimator, OUTPUT, {"transform": output})
        return estimator

    def _known(self, name: str, given: dict[str, Any]) -> Any:
        """An estimator within limits; estimators inside are fit as often as it has steps."""
        kind = known_class(name)
        if kind is None:
            raise NotTrusted(name)
        given = allowed(kind, given)
        self.work *= work_of(given)
        if kind.__name__ == "PolynomialFeatures":
            degree = given.get("degree", 2)
            self.degrees += max(degree) if isinstance(degree, tuple) else degree
            require(self.degrees <= MOST_OF["degree"], "it has too many columns")
        return kind(**given)


def _trusted(kind: Any, given: dict[str, Any]) -> Any:
    require(isinstance(kind, type) and hasattr(kind, "get_params"), "it is no estimator")
    return kind(**{**given, **({"memory": None} if "memory" in given else {})})


def _selector(name: str, given: dict[str, Any], trusted: bool) -> Any:
    from sklearn.compose import make_column_selector  # takes long to import

    require(name == SELECTOR, "a recipe is none")
    if not trusted:
        check_pattern(given.get("pattern"))
    selector = make_column_selector()
    vars(selector).update({key: given[key] for key in vars(selector)})
    return selector


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _of_numpy(name: Any) -> Any:
    found = getattr(np, name, None) if type(name) is str else None
    elementwise = isinstance(found, np.ufunc)
    known = elementwise or (isinstance(found, type) and issubclass(found, np.generic))
    require(known, f"{name!r:.40} is no elementwise function of NumPy")
    return found
