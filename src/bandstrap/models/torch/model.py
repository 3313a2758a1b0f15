"""Any torch module as a model for bandits."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

from bandstrap.errors import InvalidInput
from bandstrap.models.base import Learner, Model
from bandstrap.models.torch.learner import TorchLearner
from bandstrap.models.torch.modules import LOG_LOSS, LOSSES, SQUARED_ERROR
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import Choice, Either, Function, Plain, Row, Schema, Text, TupleOf
from bandstrap.validation import require_whole, require_within

MOST_REPLICAS = 1_000
MOST_BATCH = 100_000
MOST_STEPS = 10_000  # after each reward


def adam(parameters: Iterable[Any]) -> Any:
    """The default optimiser: Adam with a learning rate of 0.001."""
    import torch

    return torch.optim.Adam(parameters, lr=1e-3)


def from_torch(
    module_factory: Callable[[int, int], Any],
    loss: str | Callable[[Any, Any], Any] = SQUARED_ERROR,
    optimiser: Callable[[Iterable[Any]], Any] = adam,
    *,
    per_arm: bool = False,
    standardise: bool = True,
    replicas: int = 10,
    batch: int = 32,
    steps: int = 1,
    memory: int | None = None,
) -> "TorchModel":
    """Any torch module as a model, in replicas that are computed in one batched pass.

    * `module_factory(n_features, n_arms)` makes a module that maps contexts (batch, n_features) to
      predictions (batch, n_arms). It is called once for each replica, each with a random start of
      its own.
    * `loss`: "squared_error" for any rewards, "log_loss" for rewards in [0, 1], where predictions
      are logits and an arm is worth their sigmoid; or a function of predictions and rewards that
      returns a loss for each (`reduction="none"`), where an arm is worth its prediction.
    * `optimiser(parameters)` makes what steps; Adam with a learning rate of 0.001 unless given.
      Replicas' parameters are stacked along a first axis: use one that works element by element,
      as SGD, Adam and most others do.
    * `per_arm`: a module of its own for each arm, made by `module_factory(n_features, 1)`. Arms can
      then be added later. It costs as many times more as there are arms.
    * `standardise`: contexts are given in standard deviations from their mean so far, at most 5;
      switch it off for modules that do so themselves or look up embeddings.
    * `replicas`: a decision asks one of them at random, so the probability of an arm is the share
      of replicas that would choose it. Without resampling it is one.
    * `batch`, `steps`: after each reward `steps` steps are taken, each on the newest example and
      `batch` - 1 others drawn from history and pseudo-examples; a round's cost does not grow. At
      most 1,000 replicas, 10,000 steps and batches of 100,000.
    * `memory`: the number of examples to keep; None keeps all.

    An approximation of the bootstrap: each replica weighs each example once, when it comes, and
    keeps that weight for good. Any scheme will do that weighs examples independently:
    `Exponential`, `Poisson`, `DoubleOrNothing`, `NoResampling`. Rewards should be of the order of
    one. An arm without rewards or pseudo-examples is tried first.

    Modules live on the CPU, in single or double precision, and consist of layers that
    `torch.func.vmap` can batch. Dropout is fine, and is off in decisions; batch normalisation is
    refused, as it mixes in examples to which a replica gives no weight: use LayerNorm or GroupNorm.
    Random numbers come from the policy's generator; torch's own is left as it was.

    Parameters and the optimiser's state are saved with a run, but no code: for that the functions
    given must be found by name in a module, or be a `functools.partial` of such. A run continues
    bit for bit if torch runs on as many threads.

    >>> def linear(n_features, n_arms):  # doctest: +SKIP
    ...     return torch.nn.Linear(n_features, n_arms)
    >>> model = from_torch(linear, loss="log_loss")  # doctest: +SKIP
    >>> policy = ContextualBootstrap(Exponential(), model, NoExamples())  # doctest: +SKIP
    """
    given = (_plain(module_factory), _plain(loss), _plain(optimiser))
    return TorchModel(*given, per_arm, standardise, replicas, batch, steps, memory)


@dataclass(frozen=True)
class Bound:
    """A `functools.partial` as plain attributes, so that it can be saved."""

    function: Any
    arguments: tuple[Any, ...]
    keywords: tuple[tuple[str, Any], ...]

    schema = Schema(
        function=Function("adam"),
        arguments=TupleOf(Plain(trusted=True)),
        keywords=TupleOf(Row(Text(), Plain(trusted=True))),
    )

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*self.arguments, *arguments, **dict(self.keywords))

    def __repr__(self) -> str:
        return f"partial({name_of(self.function)}, {self.arguments!r}, {self.keywords!r})"


@dataclass(frozen=True, repr=False)
class TorchModel(Model):
    """What `from_torch` returns; see there for the parameters."""

    module_factory: Any
    loss: Any
    optimiser: Any
    per_arm: bool
    standardise: bool
    replicas: int
    batch: int
    steps: int
    memory: int | None

    schema = Schema(
        module_factory=Function("Bound"),
        loss=Either(Choice(*LOSSES), Function("Bound")),
        optimiser=Function("Bound", "adam"),
    )

    def __post_init__(self) -> None:
        if find_spec("torch") is None:
            remedy = 'torch is not installed: pip install "bandstrap[torch]"'
            raise InvalidInput("module_factory", name_of(self.module_factory), remedy)
        factory = self.module_factory
        module = hasattr(factory, "state_dict") and not isinstance(factory, type)
        if module or not callable(factory):
            remedy = "give a function of (n_features, n_arms) that makes a module, not a module"
            raise InvalidInput("module_factory", factory, remedy)
        if not callable(self.loss) and self.loss not in list(LOSSES):
            remedy = f"give {' or '.join(map(repr, LOSSES))}, or a function"
            raise InvalidInput("loss", self.loss, remedy)
        if not callable(self.optimiser):
            remedy = "give a function that makes an optimiser of parameters: torch.optim.Adam"
            raise InvalidInput("optimiser", self.optimiser, remedy)
        require_within(1, MOST_REPLICAS, replicas=self.replicas)
        require_within(1, MOST_BATCH, batch=self.batch)
        require_within(1, MOST_STEPS, steps=self.steps)
        require_whole(1, memory=self.memory)

    @classmethod
    def from_saved(cls, **fields: Any) -> "TorchModel":
        """From a file, where torch is installed."""
        if find_spec("torch") is None:
            raise ModuleNotFoundError("torch is not installed", name="torch")
        return cls(**fields)

    def __repr__(self) -> str:
        """All parameters: equal models have equal names in every process."""
        given = ", ".join(f"{name}={name_of(value)}" for name, value in vars(self).items())
        return f"from_torch({given})"

    def check(self, support: Support, resampling: Resampling, rewards: Sequence[float]) -> None:
        if not resampling.independent:
            raise InvalidInput(
                "resampling", resampling, "give one that weighs rewards as they come: Exponential()"
            )
        if self.loss == LOG_LOSS and not 0 <= support.low <= support.high <= 1:
            remedy = f"{LOG_LOSS} takes rewards in [0, 1]: rescale, or use loss={SQUARED_ERROR!r}"
            raise InvalidInput("support", (support.low, support.high), remedy)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        self.check(problem.support, resampling, ())
        return TorchLearner(self, problem, resampling, prior)


def name_of(thing: Any) -> str:
    """A function or class by its name where that tells it from others, anything else as it is."""
    path = getattr(thing, "__qualname__", "<")
    return repr(thing) if "<" in path else f"{thing.__module__}.{path}"


def _plain(function: Any) -> Any:
    if isinstance(function, partial):
        return Bound(function.func, function.args, tuple(function.keywords.items()))
    return function
