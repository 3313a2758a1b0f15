"""Replicas of a torch module in one run: what they have learnt, and how they decide."""

from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import replica_probabilities
from bandstrap.errors import InvalidInput
from bandstrap.models.base import Learner
from bandstrap.models.link import sigmoid
from bandstrap.models.torch.examples import TorchExamples
from bandstrap.models.torch.modules import LOG_LOSS, Sizes
from bandstrap.models.torch.stack import Stack, regrouped
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.resampling import Resampling
from bandstrap.seeding import generator
from bandstrap.storage.schema import ArrayOf, Fixed, Maybe, Named, Of, Plain, Schema, Whole, require

if TYPE_CHECKING:
    from bandstrap.models.torch.model import TorchModel

SEEDS = 2**63


class TorchLearner(Learner):
    """Parameters live in the stack, which starts with the first draw or reward.

    It is made again from `saved`. `columns` has the output of each arm.
    """

    repeats: ClassVar[bool] = False
    unsaved: ClassVar[tuple[str, ...]] = ("stack",)
    schema = Schema(
        model=Fixed(Named("bandstrap.models.torch.model:TorchModel")),
        replicas=Fixed(Whole(1)),
        resampling=Fixed(Of(Resampling)),
        sizes=Of(Sizes),
        examples=Of(TorchExamples),
        columns=ArrayOf(np.int64, "arms", low=0),
        seed=Whole(0, SEEDS),
        changes=Whole(),
        saved=Maybe(Plain()),
    )

    def verify_saved(self) -> None:
        examples, arms = self.examples, self.columns.size
        require(examples.pulls.size == arms, "columns are of other arms")
        require(examples.weights.shape[1] == self.replicas, "weights are of other replicas")
        require((examples.scale is not None) == self.model.standardise, "contexts are of no scale")
        own = Sizes(examples.rows.n_features, self.sizes.n_outputs, 1)
        if self.model.per_arm:
            own = Sizes(examples.rows.n_features, 1, arms)
            require((self.columns == np.arange(arms)).all(), "an arm has the module of another")
        else:  # arms that were there at the start have outputs, though some may be gone
            outputs = self.sizes.n_outputs
            apart = len({*self.columns.tolist()}) == arms and self.columns.max() < outputs
            require(apart, "an arm has the output of another")
            known = {} if self.saved is None else self.saved["parameters"]
            most = max(arms, sum(map(np.size, known.values())))
            require(outputs <= most, "there are more outputs than parameters")
        require(self.sizes == own, "modules are of other sizes")

    def verify_problem(self, problem: Problem) -> None:
        own = self.examples.pulls.size, self.examples.rows.n_features
        require(own == (problem.n_arms, problem.n_features), "modules are of another problem")

    def __init__(
        self, model: "TorchModel", problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        arms = problem.n_arms
        self.model = model
        self.replicas = 1 if resampling.variance == 0 else model.replicas
        self.resampling = resampling
        self.sizes = Sizes(problem.n_features, *((1, arms) if model.per_arm else (arms, 1)))
        kept = model.memory, model.standardise
        self.examples = TorchExamples(problem, prior, self.replicas, *kept)
        self.columns = np.arange(arms)
        self.seed = 0
        self.changes = 0  # of arms
        self.stack: Stack | None = None
        self.saved: dict[str, Any] | None = None

    def restore(self) -> None:
        self.stack = None
        if self.saved is not None:
            self._make(self.saved)

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        if rng is None:
            raise InvalidInput("rng", rng, "replicas weigh rewards at random; pass a generator")
        stack = self._started(rng)
        weights = weight * self.resampling.weights((self.replicas, 1), rng)[:, 0]
        # A step that fails changes nothing; steps before it have.
        mark, parts = self.examples.mark(), deepcopy(self.saved) if self.model.steps > 1 else None
        self.examples.add(context, arm, reward, weights)
        try:
            self.examples.weigh_pseudo_examples(self.resampling, rng)
            for _ in range(self.model.steps):
                batch = self.examples.batch(self.model.batch, rng)
                seed = int(rng.integers(SEEDS)) if stack.draws else None
                stack.step(batch, self.columns[batch.arms], seed)
        except Exception:  # the step diverges, say, and the example is not learnt
            self.examples.take_back(arm, mark)
            if parts is not None:
                self._make(parts)
            raise
        self.examples.settle(context, reward)
        self.saved = stack.saved()

    def margins(self, contexts: Array, rng: Rng) -> Array:
        stack = self._started(rng)
        replica = int(rng.integers(self.replicas))
        asked = stack.ask(self.examples.scaled(contexts[None]), replica)
        return self._worth(asked).reshape(-1)

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        if self.stack is None:
            return None
        asked = self.stack.ask(self.examples.scaled(contexts[None]))
        return replica_probabilities(self._worth(asked), allowed)

    def discount(self, factor: float) -> None:
        self.examples.discount(factor)

    def remap_arms(self, fresh: "TorchLearner", before: ArmMap) -> None:
        if self.stack is None:
            self.__dict__.update(vars(fresh))
            return
        if not self.model.per_arm and None in before:
            use = "use from_torch(…, per_arm=True), which has a module for each"
            remedy = f"one module has an output for each arm and cannot be given more: {use}"
            raise InvalidInput("arms", list(before), remedy)
        self.changes += 1
        fresh.seed = int(generator(self.seed, "arms", self.changes).integers(SEEDS))
        if self.model.per_arm:
            self.sizes, self.columns = fresh.sizes, fresh.columns
            start = fresh._start().saved()
            self._make(regrouped(self.stack.saved(), start, self.replicas, before))
        else:
            self.columns = self.columns[np.array(before)]
        weights = self.examples.pseudo_weights.shape
        rng = generator(fresh.seed, "pseudo-examples")
        drawn = self.resampling.weights((len(before), weights[2], weights[1]), rng)
        self.examples.remap_arms(before, drawn.transpose(0, 2, 1))

    def _worth(self, predictions: Array) -> Array:
        """Expected rewards from (replicas, outputs); arms never tried come first."""
        values = predictions[:, self.columns]
        if self.model.loss == LOG_LOSS:
            values = sigmoid(values)
        return np.where(self.examples.tried, values, np.inf)

    def _started(self, rng: Rng) -> Stack:
        if self.stack is None:
            self.seed = int(rng.integers(SEEDS))
            self.stack = self._start()
            self.saved = self.stack.saved()
        return self.stack

    def _start(self) -> Stack:
        """Modules that start from seeds of their own."""
        count = self.replicas * self.sizes.groups
        starts = generator(self.seed, "starts").integers(SEEDS, size=count)
        return Stack.start(self.model, self.sizes, self.seed, starts.tolist())

    def _make(self, parts: dict[str, Any]) -> None:
        count = self.replicas * self.sizes.groups
        self.stack = Stack(self.model, self.sizes, self.seed, count, parts)
        self.saved = self.stack.saved()
