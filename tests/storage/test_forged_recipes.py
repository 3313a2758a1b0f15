"""Recipes of estimators in files that nobody wrote."""

import numpy as np
import pytest
from edits import refused
from estimator_files import bandit_of, played

from bandstrap import Bandit, InvalidInput, OutputError
from hostile import find, new_array, read, write


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A file with an estimator."""
    path = tmp_path_factory.mktemp("honest") / "kept"
    bandit = bandit_of("kept")
    played(bandit, slice(0, 40))
    bandit.save(path)
    return path


def parameters(raw):
    """Pairs of a recipe's names and values."""
    [recipe] = find(raw, "EstimatorModel", "recipe")
    [of] = [pair[1] for pair in recipe.value[1] if pair[0] == "of"]
    return of[1]


@pytest.mark.parametrize("value", [-1, "many", True, ["list", [], 9999], None, 1e308, 0.5])
def test_parameters_of_no_sense_lead_to_a_clear_error(value, saved, tmp_path):
    """scikit-learn looks at parameters when it is fit."""
    raw = read(saved)
    for pair in parameters(raw):
        if pair[0] in ("max_depth", "min_samples_leaf", "criterion"):
            pair[1] = value
    write(raw, tmp_path / "b")
    with pytest.raises((OutputError, InvalidInput)):
        played(Bandit.load(tmp_path / "b"), slice(0, 30))


@pytest.mark.parametrize(
    "recipe",
    [
        [],
        {},
        {"made": "sklearn.linear_model:Ridge"},
        {"made": "sklearn.linear_model:Ridge", "of": {"no_such": 1}},
        {"made": "sklearn.linear_model:Ridge", "of": {}, "more": 1},
        {"made": "sklearn.linear_model:Ridge", "of": {}, "output": "disk"},
        {"made": "sklearn.preprocessing:StandardScaler", "of": {}},
        {"made": ["sklearn.linear_model:Ridge"], "of": {}},
        {"held": "sklearn.linear_model:Ridge", "of": {}},
        {"ufunc": "load"},
        {"type": "ndarray"},
        {"slice": ["a", "b", "c"]},
        {"dict": 3},
    ],
    ids=repr,
)
def test_a_forged_recipe_is_refused(recipe, saved, tmp_path):
    raw = read(saved)
    [slot] = find(raw, "EstimatorModel", "recipe")
    slot.put(node_of(recipe))
    refused(raw, tmp_path, r"damaged|asks for")


NUMBERS = iter(range(30_000, 100_000))


def node_of(thing):
    """Plain data as a file has it."""
    if isinstance(thing, dict):
        return ["dict", [[key, node_of(value)] for key, value in thing.items()], next(NUMBERS)]
    if isinstance(thing, list):
        return ["list", [node_of(each) for each in thing], next(NUMBERS)]
    return thing


def test_a_recipe_that_unfolds_for_ever_is_refused_at_once(saved, tmp_path):
    """Forty lists, each of which holds the one before it twice."""
    raw = read(saved)
    [slot] = find(raw, "EstimatorModel", "recipe")
    node = ["list", [1, 2], next(NUMBERS)]
    for _ in range(40):
        node = ["list", [node, ["same", node[-1]]], next(NUMBERS)]
    slot.put(node)
    refused(raw, tmp_path, "too long")


def test_a_file_cannot_bring_an_estimator_of_its_own(saved, tmp_path):
    raw = read(saved)
    [slot] = find(raw, "EstimatorModel", "recipe")
    slot.holder["estimator"] = new_array(raw, np.zeros(3))
    refused(raw, tmp_path)


def test_what_is_not_plain_is_no_parameter(saved, tmp_path):
    """A policy is registered, so a file may name it; in a recipe it has no place."""
    raw = read(saved)
    parameters(raw)[0][1] = ["object", "bandstrap.policies.ucb1:UCB1", {"scale": 1.0}, 9999]
    refused(raw, tmp_path, "UCB1 is not plain")
