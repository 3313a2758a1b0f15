"""How an estimator takes weights: by a keyword, by repeated rows, or not at all."""

from inspect import signature
from typing import Any

import numpy as np

from bandstrap.errors import InvalidInput
from bandstrap.resampling import Resampling
from bandstrap.seeding import generator

KEYWORD = "sample_weight"
# Weights scale the steps of these, so that a heavy row overshoots where a repeated one does not.
SCALED_STEPS = {
    "SGDClassifier",
    "SGDRegressor",
    "Perceptron",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
}
# These pass weights on to the estimators inside.
HANDING_ON = (
    "GridSearchCV",
    "RandomizedSearchCV",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "StackingClassifier",
    "StackingRegressor",
    "TransformedTargetRegressor",
    "VotingClassifier",
    "VotingRegressor",
)
PROBE = 256


def weight_keyword(estimator: Any, method: str = "fit") -> str | None:
    """The keyword for row weights in `fit`; a pipeline passes them to its last step."""
    if hasattr(estimator, "steps"):
        name, last = estimator.steps[-1]
        inner = weight_keyword(last, method)
        return f"{name}__{inner}" if inner else None
    if KEYWORD in signature(getattr(estimator, method)).parameters:
        return KEYWORD
    if type(estimator).__name__ in HANDING_ON:
        names = {weight_keyword(inner) for inner in _inside(estimator)}
        return names.pop() if len(names) == 1 else None
    return None


def _inside(estimator: Any) -> list[Any]:
    """The estimators inside an estimator."""
    found = []
    for value in estimator.get_params(deep=False).values():
        some = [pair[1] for pair in value if len(pair) == 2] if isinstance(value, list) else [value]
        found += [one for one in some if hasattr(one, "fit") and hasattr(one, "predict")]
    return found


def last_step(estimator: Any) -> Any:
    """The last step of a pipeline, or the estimator itself."""
    return last_step(estimator.steps[-1][1]) if hasattr(estimator, "steps") else estimator


def scales_steps(estimator: Any) -> bool:
    return any(kind.__name__ in SCALED_STEPS for kind in type(estimator).__mro__)


def repeats_rows(estimator: Any, keyword: str | None, asked: bool, resampling: Resampling) -> bool:
    """Whether weighted rows are repeated; refuses weights that work neither way."""
    if keyword and not asked and not scales_steps(last_step(estimator)):
        return False
    if draws_whole_numbers(resampling):
        return True
    if keyword and not asked:
        return False  # weights that scale steps are better than none
    name = type(last_step(estimator)).__name__
    why = "was asked for repeated rows" if keyword else "takes no sample_weight"
    raise InvalidInput(
        "resampling",
        resampling,
        f"{name} {why}, and its weights are not whole numbers by which rows could be repeated: use "
        "Multinomial(), Poisson() or DoubleOrNothing(), or an estimator whose fit takes "
        "sample_weight, such as LogisticRegression, Ridge, a forest or HistGradientBoosting",
    )


def draws_whole_numbers(resampling: Resampling) -> bool:
    """Whether a scheme's weights are counts, by a draw, which works for any scheme."""
    weights = resampling.perturb(np.zeros(PROBE), generator(0, "probe"))[1]
    return bool((weights == np.rint(weights)).all())
