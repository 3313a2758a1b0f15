"""The arms of a convex model in one run, and the first step of a draw that they all share."""

from abc import abstractmethod

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import highest
from bandstrap.models.base import Learner
from bandstrap.models.convex.arm import ConvexArm
from bandstrap.models.convex.model import ConvexModel
from bandstrap.models.features import Rows, as_numbers, verify_rows
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped_list
from bandstrap.resampling import Resampling
from bandstrap.seeding import kernel_streams
from bandstrap.storage.schema import Fixed, ListOf, Of, Schema, Whole, require

FIT_GROWTH = 1.02  # draws start from a fit to at least 1 / FIT_GROWTH of the examples
PRECISION = 1e-3  # share of a draw's way from the fit by which the fit may be wrong


class ConvexArms:
    """Examples and fits of all arms; the prior's pseudo-examples are the same for each."""

    schema = Schema(
        model=Fixed(Of(ConvexModel)),
        resampling=Fixed(Of(Resampling)),
        pseudo=Of(PseudoExamples),
        version=Whole(-1),
        arms=ListOf(Of(ConvexArm), "arms"),
    )

    def verify_saved(self) -> None:
        examples = [arm.examples for arm in self.arms]
        require(len({*map(id, examples)}) == len(examples), "arms share their examples")
        self.model.check_rewards(self.pseudo.rewards)
        for each in examples:
            self.model.check_rewards(each.rewards())
            require((each.rows.weights > 0).all(), "a row counts nothing")

    def verify_problem(self, problem: Problem) -> None:
        """Refuse other arms or features, in a file."""
        verify_rows([arm.examples.rows for arm in self.arms], problem)

    def __init__(
        self, model: ConvexModel, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        model.check_scheme(resampling)
        self.model = model
        self.resampling = resampling
        self.pseudo = prior.start(problem)
        self.version = -1  # of the pseudo-examples that the arms have
        self.arms = [
            ConvexArm(model.loss, Rows(problem.n_features), model.intercept, model.penalty)
            for _ in range(problem.n_arms)
        ]

    @property
    def random(self) -> bool:
        return self.resampling.variance > 0 or self.resampling.noise > 0

    def learn(self, context: Array, arm: int, reward: float, weight: float) -> None:
        self.model.check_reward(reward)
        self.pseudo.see(context)
        self.arms[arm].examples.rows.add(context, reward, weight)

    def augmented(self, context: Array) -> Array:
        """A context as doubles, with a 1 behind it for the intercept if there is one."""
        x = np.empty(context.size + 1)
        x[:-1] = as_numbers(context)
        x[-1] = self.model.intercept
        return x

    def refresh(self) -> list[int]:
        """Bring all arms up to date; those that have any example."""
        self.notice_prior()
        growth = FIT_GROWTH if self.random else 1.0
        known = [index for index, arm in enumerate(self.arms) if arm.examples.count > 0]
        for index in known:
            self.arms[index].refresh(growth, self.fit_tolerance(self.arms[index]))
        return known

    def fit_tolerance(self, arm: ConvexArm) -> float:
        """How precisely to fit an arm: a draw's own way is about dimension / examples long.

        A fit that nobody draws from is one that decides: what it learns of an example is as long.
        """
        most = 0.1 * self.model.tolerance if self.random else self.model.tolerance
        return min(most, PRECISION * arm.theta.size / arm.examples.count)

    def begin(self, rng: Rng, known: list[int], allowed: Array) -> list[int]:
        """Draw weights of known and allowed arms and start there; each arm has its own stream."""
        streams = kernel_streams(rng, len(self.arms))
        begun = [index for index in known if allowed[index]]
        for index in begun:
            self.arms[index].draw.weigh(self.resampling, streams[index], rng)
            self.arms[index].begin()
        return begun

    def remap_arms(self, fresh: "ConvexArms", before: ArmMap) -> None:
        """Go on with other arms; new ones take in the pseudo-examples that the others have."""
        self.arms = remapped_list(self.arms, fresh.arms, before)
        for arm, earlier in zip(self.arms, before, strict=True):
            if earlier is None and self.version >= 0:
                arm.set_prior(self.pseudo)

    def notice_prior(self) -> bool:
        """Take new pseudo-examples if there are any; whether there were."""
        if self.version == self.pseudo.version:
            return False
        self.model.check_rewards(self.pseudo.rewards)
        self.version = self.pseudo.version
        for arm in self.arms:
            arm.set_prior(self.pseudo)
        return True


class ArmsLearner(Learner):
    """A learner on such arms, whose draw is one of margins."""

    schema = Schema(all=Of(ConvexArms))

    def verify_problem(self, problem: Problem) -> None:
        self.all.verify_problem(problem)

    def __init__(
        self, model: ConvexModel, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        self.all = ConvexArms(model, problem, resampling, prior)

    def learn(self, context: Array, arm: int, reward: float, rng: Rng | None) -> None:
        self._weigh_in(context, arm, reward, rng, 1.0)

    def _weigh_in(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float
    ) -> None:
        self.all.learn(context, arm, reward, weight)

    def discount(self, factor: float) -> None:
        for arm in self.all.arms:
            arm.fade(factor)

    def remap_arms(self, fresh: "ArmsLearner", before: ArmMap) -> None:
        self.all.remap_arms(fresh.all, before)

    def scores(self, context: Array, rng: Rng) -> Array:
        return self.all.model.expected(self._margins(context, rng))

    def choose(self, context: Array, rng: Rng, allowed: Array) -> tuple[int, Array]:
        # By margins, as `best` does: expected rewards near 1 would tie.
        margins = self._margins(context, rng)
        return highest(margins, allowed, rng), self.all.model.expected(margins)

    @abstractmethod
    def _margins(self, context: Array, rng: Rng) -> Array:
        """A fresh draw of each arm's margin; infinite for an arm without any example."""
