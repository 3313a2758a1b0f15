"""A labelled data set played as a bandit."""

import pickle
from functools import cache

import numpy as np
import pytest

from bandstrap.datasets import load
from bandstrap.environments import Labelled
from bandstrap.errors import UnknownName

DIGITS = Labelled("digits")


@cache
def places():
    return {row.tobytes(): i for i, row in enumerate(load("digits").contexts)}


def rows_of(contexts):
    """Which rows of digits these are."""
    return [places()[context.tobytes()] for context in contexts]


def test_problem():
    problem = DIGITS.problem
    assert (problem.n_arms, problem.n_features) == (10, 64)
    assert problem.support.values == (0.0, 1.0)
    assert DIGITS.contextual
    assert DIGITS.name == "digits"
    assert DIGITS.covariance.shape == (64, 64)


def test_the_right_arm_pays_and_the_others_cost():
    world = DIGITS.start(3, np.random.default_rng(0))
    look = DIGITS.look(world, 0)
    labels = load("digits").labels[rows_of(look.contexts)]
    rng = np.random.default_rng(1)
    for shift in range(10):
        chosen = (labels.astype(int) + shift) % 10
        rewards = DIGITS.pull(world, chosen, rng)
        assert (rewards == (shift == 0)).all()
        assert (look.best - look.means[np.arange(3), chosen] == (shift != 0)).all()


def test_passes_hold_every_row_once_in_another_order_for_each_run():
    world = DIGITS.start(2, np.random.default_rng(0))
    looks = [DIGITS.look(world, t) for t in range(2 * 1797)]
    orders = np.array([rows_of(look.contexts) for look in looks]).T.reshape(2, 2, 1797)
    for order in orders.reshape(4, 1797):
        assert (np.sort(order) == np.arange(1797)).all()
    assert len({order.tobytes() for order in orders.reshape(4, 1797)}) == 4
    again = DIGITS.start(2, np.random.default_rng(0))
    for t in (1800, 3, 1797):  # in any order: a round depends on its number alone
        assert (DIGITS.look(again, t).contexts == looks[t].contexts).all()


def test_it_is_small_when_sent():
    assert len(pickle.dumps(DIGITS)) < 200
    assert repr(DIGITS) == "Labelled(dataset='digits')"


def test_an_unknown_data_set_is_named(monkeypatch):
    monkeypatch.delenv("BANDSTRAP_DATA", raising=False)
    with pytest.raises(UnknownName, match="did you mean 'digits'"):
        _ = Labelled("digit").problem
