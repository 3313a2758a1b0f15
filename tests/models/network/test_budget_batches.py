"""What a budgeted network is taught in one step, and what it makes of one context."""

from typing import Any

import numpy as np
import pytest

from bandstrap.kernels.network import outputs
from bandstrap.models import Budgeted
from bandstrap.models.base import draw_scores
from bandstrap.models.network.layers import Layers
from bandstrap.priors import EigenExamples, NoExamples
from bandstrap.problem import Problem
from bandstrap.resampling import Exponential


def test_one_context_is_as_a_batch_of_them() -> None:
    rng = np.random.default_rng(9)
    network = Layers.glorot((12, 7, 3), rng, heads=3, spread=2.0)
    network.flat += rng.normal(size=network.flat.size).astype(np.float32)
    (weights, bias), (last, last_bias) = network.matrices(network.flat)
    for share in (0.0, 0.3, 1.0):  # of features that are not 0
        context = (rng.normal(size=12) * (rng.random(12) < share)).astype(np.float32)
        hidden, out = np.empty(7, dtype=np.float32), np.empty(3)
        outputs(context, weights, bias, last, last_bias, hidden, out)
        np.testing.assert_allclose(out, network.values(context[None])[-1][0], rtol=1e-4, atol=1e-5)


def test_a_batch_has_the_newest_and_as_many_rows_as_pseudo_examples() -> None:
    learner: Any = Budgeted().learner(Problem(2, 3), Exponential(), EigenExamples(np.eye(3)))
    rng, pseudo = np.random.default_rng(10), 12
    for count in (0, 3, 12, 120):
        while learner.rows[0].count < count:
            learner.learn(rng.normal(size=3), 0, 1.0, None)
        learner.new[0] = newest = min(count, 2)  # as if the others had been taught
        picks = [learner._picks(0, rng) for _ in range(400)]
        share = np.mean([len(others) / 12 for _, others, _ in picks])
        some = min(count, pseudo)
        expected = 1.0 if count == 0 else some / (count + some)
        assert share == pytest.approx(expected, abs=0.01)
        for old, others, makeup in picks:
            assert set(range(count - newest, count)) <= set(old.tolist())
            if len(others) > 0 and count > 0:
                assert makeup == pytest.approx(np.sqrt(pseudo / some))


def test_a_hopeless_arm_is_not_an_untried_one() -> None:
    learner: Any = Budgeted().learner(Problem(3, 2), Exponential(), NoExamples())
    rng, context = np.random.default_rng(12), np.ones(2)
    for arm in (0, 1):
        learner.learn(context, arm, 1.0, None)
    draw_scores(learner, context, rng)
    learner.optimisers[0].average[-1] = -np.inf  # the bias of its output
    scores = learner._outputs([0, 1], context)[0]
    assert scores[0] == 0.0
    assert 0.0 < scores[1] < 1.0
    assert scores[2] == np.inf
