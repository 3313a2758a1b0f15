import numpy as np
import pytest

from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets import Always, BestArm, ColumnRule, Rule, Uniform, base
from bandstrap.tables import Columns

CHOSEN, REWARDS = np.array([0, 1, 2]), np.array([1.0, 0.0, 0.5])
OPEN = np.array([[True, True, True], [False, True, True], [False, False, True]])


def log(**more):
    return Feedback(("a", "b", "c"), CHOSEN, REWARDS, **more)


def every(target, feedback):
    return np.concatenate([each.every for each in target.shares(feedback)])


def named_log():
    columns = Columns()
    rows = columns.rows([{"x": 1.0, "rule": word} for word in ("b", "a", "nothing")])
    return log(contexts=rows, columns=columns, allowed=OPEN)


def test_rules_keep_to_the_allowed_arms():
    feedback = log(allowed=OPEN)
    assert every(Uniform(), feedback)[1].tolist() == [0, 0.5, 0.5]
    assert every(Always("a"), feedback).tolist() == [[1, 0, 0], [0, 0.5, 0.5], [0, 0, 1]]
    rule = Rule(lambda context: {"a": 0.5, "b": 0.25, "c": 0.25})
    assert every(rule, feedback)[1].tolist() == [0, 0.5, 0.5]


def test_a_column_of_the_log_names_the_arm():
    assert every(ColumnRule("rule"), named_log()).tolist() == [[0, 1, 0], [0, 0.5, 0.5], [0, 0, 1]]
    with pytest.raises(UnknownName, match="rule"):
        every(ColumnRule("ruel"), named_log())


def test_a_function_gets_dicts_where_columns_have_names():
    seen = []
    every(Rule(lambda context: seen.append(context) or "c"), named_log())
    assert seen[0] == {"x": 1.0, "rule": "b"}


@pytest.mark.parametrize("answer", [{"a": 0.5}, [0.5, 0.6, -0.1]])
def test_probabilities_have_to_sum_to_one(answer):
    with pytest.raises(InvalidInput, match="sum to 1"):
        every(Rule(lambda context: answer), log())


def test_an_arm_that_the_log_does_not_have_is_refused():
    with pytest.raises(UnknownName, match="'d'"):
        every(Always("d"), log())


def test_slices_do_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    feedback = Feedback(("a", "b"), rng.integers(2, size=500), rng.random(500))
    whole = every(BestArm(), feedback)
    monkeypatch.setattr(base, "ROWS", 7)
    monkeypatch.setattr("bandstrap.evaluation.targets.learning.SHARE", 10**9)
    rows = every(BestArm(), feedback)
    monkeypatch.setattr(base, "ROWS", 500)
    assert (rows == every(BestArm(), feedback)).all()
    assert whole.shape == rows.shape


def test_the_best_arm_is_chosen_by_rows_before():
    rewards = np.array([0.0, 1.0] * 50)
    first = every(BestArm(), Feedback(("a", "b"), np.array([0, 1] * 50), rewards))
    changed = rewards.copy()
    changed[60:] = 1 - changed[60:]
    again = every(BestArm(), Feedback(("a", "b"), np.array([0, 1] * 50), changed))
    assert (first[:61] == again[:61]).all()
    assert first[0].tolist() == [0.5, 0.5]
    assert first[60].tolist() == [0.0, 1.0]
