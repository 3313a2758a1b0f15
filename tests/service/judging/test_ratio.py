"""The ratio test beside the one for whole logs, which it does again for one row at a time."""

import numpy as np
import pytest

from bandstrap.evaluation.diagnostics.choices import AllArms, ChosenArm
from bandstrap.evaluation.feedback import Feedback
from bandstrap.service.judging.ratio import RatioTest


@pytest.mark.parametrize("arms", [2, 3, 9, 40])
def test_it_has_what_a_whole_log_would_give_to_the_last_bit(arms):
    rng, names = np.random.default_rng(arms), [f"{i}" for i in range(arms)]
    test, every = RatioTest(), AllArms(arms)
    for _ in range(200):
        law = rng.dirichlet(np.ones(arms))
        at = int(rng.choice(arms, p=law))
        test.add(names, names[at], 1 / law[at], dict(zip(names, law.tolist(), strict=True)))
        row = Feedback(tuple(names), np.array([at]), np.zeros(1), probabilities=law[None])
        every.add(row, slice(0, 1))
        kept = test.to_dict()["every"]
        assert kept == [every.seen.tolist(), every.expected.tolist(), every.capital]
    assert test.most == max(every.most, 0.0)
    test = RatioTest.from_dict(test.to_dict())
    chosen = ChosenArm(arms)
    for at in range(arms):
        test.add(names, names[at], 3.0, None)
        weights = np.array([3.0])
        row = Feedback(tuple(names), np.array([at]), np.zeros(1), weights=weights)
        chosen.add(row, slice(0, 1))
    assert test.to_dict()["chosen"][2] == chosen.capital.tolist()
    assert test.most == max(every.most, 0.0, every.capital + chosen.most)
