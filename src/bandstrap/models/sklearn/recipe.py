"""An unfitted estimator as plain data, and back: what is saved of it instead of a pickle.

Reading a recipe calls only constructors: of scikit-learn's estimators and ours, listed below, which
set parameters and do no more, and of those that the caller trusts. It takes no functions but
NumPy's elementwise ones and trusted ones. Without trust a fit starts no process and reads no path,
not even a pipeline's cache, and counts are limited, so that a small file cannot ask for fits that
never end.
"""

import re
from functools import cache
from importlib import import_module
from inspect import signature
from math import prod
from typing import Any

import numpy as np

from bandstrap.storage.schema import Refused, require
from bandstrap.storage.unpacking import Names, NotTrusted

SELECTOR = "sklearn.compose._column_transformer:make_column_selector"
OUTPUT = "_sklearn_output_config"  # where set_output keeps what clone takes over
OUTPUTS = ("default", "pandas", "polars")

# By the module that has them in every version; private modules in between may change.
ESTIMATORS: dict[str, str] = {
    "bandstrap.models.sklearn.as_estimators": "LinearEstimator LogisticEstimator",
    "sklearn.calibration": "CalibratedClassifierCV",
    "sklearn.cluster": "BisectingKMeans KMeans MiniBatchKMeans",
    "sklearn.compose": "ColumnTransformer TransformedTargetRegressor",
    "sklearn.cross_decomposition": "CCA PLSCanonical PLSRegression PLSSVD",
    "sklearn.decomposition": "FactorAnalysis FastICA IncrementalPCA KernelPCA "
    "LatentDirichletAllocation MiniBatchNMF NMF PCA SparsePCA TruncatedSVD",
    "sklearn.discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "sklearn.dummy": "DummyClassifier DummyRegressor",
    "sklearn.ensemble": "AdaBoostClassifier AdaBoostRegressor BaggingClassifier BaggingRegressor "
    "ExtraTreesClassifier ExtraTreesRegressor GradientBoostingClassifier "
    "GradientBoostingRegressor HistGradientBoostingClassifier HistGradientBoostingRegressor "
    "RandomForestClassifier RandomForestRegressor RandomTreesEmbedding StackingClassifier "
    "StackingRegressor VotingClassifier VotingRegressor",
    "sklearn.feature_extraction.text": "CountVectorizer HashingVectorizer TfidfTransformer "
    "TfidfVectorizer",
    "sklearn.feature_selection": "GenericUnivariateSelect RFE RFECV SelectFdr SelectFpr "
    "SelectFromModel SelectFwe SelectKBest SelectPercentile SequentialFeatureSelector "
    "VarianceThreshold",
    "sklearn.gaussian_process": "GaussianProcessClassifier GaussianProcessRegressor",
    "sklearn.gaussian_process.kernels": "CompoundKernel ConstantKernel DotProduct Exponentiation "
    "ExpSineSquared Matern PairwiseKernel Product RationalQuadratic RBF Sum WhiteKernel",
    "sklearn.impute": "KNNImputer MissingIndicator SimpleImputer",
    "sklearn.impute._iterative": "IterativeImputer",
    "sklearn.isotonic": "IsotonicRegression",
    "sklearn.kernel_approximation": "AdditiveChi2Sampler Nystroem PolynomialCountSketch "
    "RBFSampler SkewedChi2Sampler",
    "sklearn.kernel_ridge": "KernelRidge",
    "sklearn.linear_model": "ARDRegression BayesianRidge ElasticNet ElasticNetCV GammaRegressor "
    "HuberRegressor Lars LarsCV Lasso LassoCV LassoLars LassoLarsCV LassoLarsIC LinearRegression "
    "LogisticRegression LogisticRegressionCV OrthogonalMatchingPursuit "
    "OrthogonalMatchingPursuitCV PassiveAggressiveClassifier PassiveAggressiveRegressor "
    "Perceptron PoissonRegressor QuantileRegressor RANSACRegressor Ridge RidgeCV RidgeClassifier "
    "RidgeClassifierCV SGDClassifier SGDRegressor TheilSenRegressor TweedieRegressor",
    "sklearn.model_selection": "FixedThresholdClassifier GridSearchCV RandomizedSearchCV "
    "TunedThresholdClassifierCV",
    "sklearn.model_selection._search_successive_halving": "HalvingGridSearchCV "
    "HalvingRandomSearchCV",
    "sklearn.multiclass": "OneVsOneClassifier OneVsRestClassifier OutputCodeClassifier",
    "sklearn.naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "sklearn.neighbors": "KNeighborsClassifier KNeighborsRegressor KNeighborsTransformer "
    "NearestCentroid NeighborhoodComponentsAnalysis RadiusNeighborsClassifier "
    "RadiusNeighborsRegressor RadiusNeighborsTransformer",
    "sklearn.neural_network": "BernoulliRBM MLPClassifier MLPRegressor",
    "sklearn.pipeline": "FeatureUnion Pipeline",
    "sklearn.preprocessing": "Binarizer FunctionTransformer KBinsDiscretizer KernelCenterer "
    "MaxAbsScaler MinMaxScaler Normalizer OneHotEncoder OrdinalEncoder PolynomialFeatures "
    "PowerTransformer QuantileTransformer RobustScaler SplineTransformer StandardScaler "
    "TargetEncoder",
    "sklearn.random_projection": "GaussianRandomProjection SparseRandomProjection",
    "sklearn.svm": "LinearSVC LinearSVR NuSVC NuSVR SVC SVR",
    "sklearn.tree": "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier "
    "ExtraTreeRegressor",
}

# Processes, paths, an expression that is evaluated, and output take their defaults instead.
NEUTRAL = ("memory", "n_jobs", "pre_dispatch", "verbose")
COUNTS = {"n", "max", "iter", "size", "sizes"}  # words in the names of parameters that are counts
ENDLESS = ("max_skips", "stop_n_inliers")  # infinite by default, but bounded otherwise
MOST = 100_000
MOST_OF = dict.fromkeys(("cv", "hidden_layer_sizes", "n_bins", "n_knots"), 1_000)
MOST_OF |= {"degree": 5, "ngram_range": 10, "n_components": 5_000}
MOST_OF |= {"n_estimators": 10_000, "n_features": 2**22}
MOST_LAYERS = 10
GRIDS = ("param_grid", "param_distributions")
MOST_COMBINATIONS = 1_000  # in a grid
LOOPS = ("cv", "max_iter", "max_trials", "n_estimators", "n_init", "n_iter", "n_restarts_optimizer")
MOST_WORK = 10_000_000  # steps of fits: loops within loops, multiplied
MOST_TIMES = 100  # fits of an arm
# Patterns that find words, and columns by name, without backtracking.
WORDS = {None, *(f"{flag}\\b{word}\\b" for flag in ("", "(?u)") for word in (r"\w\w+", r"\w+"))}
QUICK = re.compile(r"[\w ^$|-]*(\.\*)?")


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
    """The estimator that was written, which will be fit `times` times."""
    reader = _Reader({} if trusted is None else trusted)
    estimator = reader.read(recipe)
    kind, total = type(estimator), times * reader.work
    if _name(kind) not in reader.trusted:
        few = f"{times:,} fits of an arm are more than {MOST_TIMES}; {_remedy(kind)}"
        require(times <= MOST_TIMES, few)
        short = f"its fits take {total:,} steps, and {MOST_WORK:,} are allowed; {_remedy(kind)}"
        require(total <= MOST_WORK, short)
    return estimator


class _Reader:
    def __init__(self, trusted: Names) -> None:
        self.trusted = trusted
        self.work = 1  # the most steps of one fit of any estimator read
        self.degrees = 0  # of all polynomials, which multiply columns

    def read(self, recipe: Any) -> Any:
        if type(recipe) in (list, tuple):
            return type(recipe)(self.read(item) for item in recipe)
        if type(recipe) is not dict:
            return recipe
        if "of" in recipe:
            return self._made(**recipe)
        require(len(recipe) == 1, "it is not a recipe")
        [(kind, value)] = recipe.items()
        if kind == "dict":
            return {self.read(key): self.read(item) for key, item in value}
        if kind == "slice":
            require(all(each is None or type(each) is int for each in value), "it is not a slice")
            return slice(*value)
        require(kind in ("ufunc", "type"), "it is not a recipe")
        found = getattr(np, value, None) if type(value) is str else None
        of_numpy = isinstance(found, type) and issubclass(found, np.generic)
        elementwise = isinstance(found, np.ufunc)
        require(elementwise or of_numpy, f"{value!r:.40} is not an elementwise function of NumPy")
        return found

    def _made(
        self, of: dict[str, Any], made: Any = None, held: Any = None, output: Any = None
    ) -> Any:
        name = held if made is None else made
        require(type(name) is str and type(of) is dict, "it is not a recipe")
        found = self.trusted.get(name)
        before, self.work = self.work, 1
        given = {key: self.read(item) for key, item in of.items()}
        if made is None:
            estimator = _selector(name, given, found is not None)
        elif found is None:
            estimator = self._known(name, given)
        else:
            known = isinstance(found, type) and hasattr(found, "get_params")
            require(known, "it is not an estimator")
            estimator = found(**given | ({"memory": None} if "memory" in given else {}))
        self.work = max(before, self.work)
        if output is not None:
            require(output in OUTPUTS, "the output is unknown")
            setattr(estimator, OUTPUT, {"transform": output})
        return estimator

    def _known(self, name: str, given: dict[str, Any]) -> Any:
        """An estimator within limits; those inside are fit once in each of its steps."""
        kind = known_class(name)
        if kind is None:
            raise NotTrusted(name)
        given = allowed(kind, given)
        loops = [given[name] for name in LOOPS if type(given.get(name)) is int]
        grids = [given[name] for name in GRIDS[:1] if name in given]
        self.work *= int(prod(max(1, each) for each in loops) * prod(map(_combinations, grids)))
        if kind.__name__ == "PolynomialFeatures":
            degree = given.get("degree", 2)
            self.degrees += max(degree) if isinstance(degree, tuple) else degree
            require(self.degrees <= MOST_OF["degree"], "it has too many columns")
        return kind(**given)


def _selector(name: str, given: dict[str, Any], trusted: bool) -> Any:
    from sklearn.compose import make_column_selector  # takes long to import

    require(name == SELECTOR, "it is not a recipe")
    pattern = given.get("pattern")
    quick = pattern is None or (type(pattern) is str and QUICK.fullmatch(pattern))
    remedy = _remedy(make_column_selector)
    require(trusted or quick, f"the pattern {pattern!r:.40} may take forever; {remedy}")
    selector = make_column_selector()
    vars(selector).update({key: given[key] for key in vars(selector)})
    return selector


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def known_class(name: str) -> Any:
    """A class of the list above; None for any other."""
    module, _, kind = name.partition(":")
    found = _places().get((_package(module), kind))
    return found and getattr(import_module(found), kind)


@cache
def _places() -> dict[tuple[str, str], str]:
    return {
        (_package(module), name): module
        for module, names in ESTIMATORS.items()
        for name in names.split()
    }


def _package(module: str) -> str:
    return ".".join(module.split(".")[:2])


def allowed(kind: type, given: dict[str, Any]) -> dict[str, Any]:
    """Parameters for an estimator that is not trusted; some take their defaults."""
    for name, value in given.items():
        try:
            _check(name, value)
        except Refused as refused:
            raise Refused(f"{kind.__name__}.{name:.40}: {refused}; {_remedy(kind)}") from None
    defaults = signature(kind).parameters
    return given | {name: defaults[name].default for name in NEUTRAL if name in given}


def _check(name: str, value: Any) -> None:
    if name in (*NEUTRAL, *ENDLESS):
        return
    if name in GRIDS:
        _check_grids(value)
    elif name == "input":
        require(value == "content", "texts are given, not read from files")
    elif name == "token_pattern":
        require(value in WORDS, "a custom pattern may take forever")
    elif name in ("kw_args", "inv_kw_args"):
        require(not value, "functions take no further arguments")
    elif name in MOST_OF or COUNTS & set(name.split("_")):
        _check_count(value, MOST_OF.get(name, MOST))


def _check_count(value: Any, most: int) -> None:
    if isinstance(value, list | tuple):
        require(len(value) <= MOST_LAYERS, f"it has more than {MOST_LAYERS} entries")
        for item in value:
            _check_count(item, most)
    elif isinstance(value, int | float):
        require(value <= most, f"{value!r:.40} is more than {most:,}")


def _check_grids(grids: Any) -> None:
    """Of a search, which sets parameters itself."""
    for grid in grids if isinstance(grids, list) else [grids]:
        require(isinstance(grid, dict), "it is not a grid")
        for name, values in grid.items():
            last = str(name).rpartition("__")[2]
            require(last not in NEUTRAL, f"{last} is not searched for")
            for value in values if isinstance(values, list | tuple) else [values]:
                _check(last, value)
    require(_combinations(grids) <= MOST_COMBINATIONS, "it has too many combinations")


def _combinations(grids: Any) -> int:
    some = grids if isinstance(grids, list) else [grids]
    return sum(prod(len(values) for values in grid.values()) for grid in some)


def _remedy(kind: type) -> str:
    return f"if the file is yours: Bandit.load(path, trusted=[{kind.__name__}])"
