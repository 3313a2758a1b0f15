"""Which policy is recommended, and in which words."""

import pytest

from bandstrap.comparison.advice import Rehearsal, advice
from bandstrap.comparison.ranking import ConfidenceInterval, Gap, Standing


def standing(place, policy, mean, cost, behind):
    interval = ConfidenceInterval(mean, mean - 0.1, mean + 0.1)
    return Standing(place, policy, interval, cost, ConfidenceInterval(sum(behind) / 2, *behind))


def advised(ranking, gap, floor, **facts):
    return advice(ranking, gap, Rehearsal(3000, floor, "tea", **facts))


def test_advice_is_the_best_or_the_much_cheaper_of_equals():
    first = standing(1, "a", 0.9, 900.0, (0, 0))
    second = standing(2, "b", 0.89, 500.0, (-0.03, 0.05))
    third = standing(3, "c", 0.88, 100.0, (-0.02, 0.06))
    fourth = standing(4, "d", 0.87, 1.0, (0.01, 0.05))
    ranking = (first, second, third, fourth)
    open_ = Gap("a", "b", second.behind)
    found = advised((first, second), open_, 0.2)
    assert found.policy == "a"  # 500 is not much less than 900
    assert "b may be as good, but cost at least half as much." in found.sentences
    found = advised(ranking, open_, 0.2)
    assert found.policy == "c"
    assert "a earned 0.9 at 900 µs, at best 0.06 more, which may be chance." in found.sentences
    assert "a means 2 % more reward for 9.0 times the cost." in found.sentences
    assert "none earns more than always pulling tea" in advised(ranking, open_, 0.95).text
    assert advised((first,), None, 0.2).policy == "a"


def test_the_same_rule_holds_whether_or_not_the_first_beats_the_second():
    """As docs/compare.md has it: those that may be as good as the first count, not the second."""
    first = standing(1, "a", 0.9, 900.0, (0, 0))
    second = standing(2, "b", 0.85, 800.0, (0.02, 0.08))
    third = standing(3, "c", 0.84, 100.0, (-0.01, 0.06))
    clear = Gap("a", "b", second.behind)
    assert advised((first, second, third), clear, 0.2).policy == "c"
    assert advised((first, second), clear, 0.2).policy == "a"
    assert "That is 0.05 [0.02, 0.08] more than b, the next." in (
        advised((first, second), clear, 0.2).sentences
    )


def test_the_cheap_alternative_is_always_named():
    first = standing(1, "a", 0.91, 1200.0, (0, 0))
    second = standing(2, "b", 0.9, 700.0, (0.005, 0.015))
    cheap = standing(3, "c", 0.9, 100.0, (0.005, 0.015))
    found = advised((first, second, cheap), Gap("a", "b", second.behind), 0.5)
    named = "The cheap alternative is c at 100 µs: a means 1 % more reward for 12 times the cost."
    assert found.policy == "a"
    assert named in found.sentences
    none = "Nothing that earns more than the best arm costs half as much or less."
    assert none in advised((first, second), Gap("a", "b", second.behind), 0.5).sentences
    # A share of a reward that may be negative says nothing.
    below = advised((first, second, cheap), Gap("a", "b", second.behind), 0.5, lowest=-3.0)
    assert "a means 0.01 more per round for 12 times the cost" in below.text


def test_too_few_runs_to_tell_are_no_reason_to_prefer_the_cheaper():
    first = standing(1, "a", 0.834, 1000.0, (0, 0))
    cheap = standing(2, "b", 0.79, 100.0, (-0.2, 0.3))
    found = advised((first, cheap), Gap("a", "b", cheap.behind), 0.5)
    assert found.policy == "a"
    assert "b may be as good; more --runs would tell." in found.sentences
    # A loss of a tenth of what the first earns above the best arm is the most.
    for loss, chosen in ((0.033, "b"), (0.034, "a")):
        cheap = standing(2, "b", 0.79, 100.0, (-0.01, loss))
        assert advised((first, cheap), Gap("a", "b", cheap.behind), 0.5).policy == chosen


def test_advice_says_where_one_might_as_well_not_look_at_rows():
    first = standing(1, "a", 0.9, 900.0, (0, 0))
    second = standing(2, "b", 0.88, 5.0, (-0.01, 0.014))
    clear, open_ = (Gap("a", "b", ConfidenceInterval(0.1, low, 0.2)) for low in (0.05, -0.05))
    assert "not significantly more than the best" in advised((first, second), clear, 0.85).text
    assert "not significantly more" not in advised((first, second), clear, 0.75).text
    # The cheaper of equals, but not if it may earn less than the best arm does by itself.
    assert advised((first, second), open_, 0.75).policy == "b"
    found = advised((first, second), open_, 0.79)
    assert found.policy == "a"
    assert "No other that may be as good earns significantly more than the best arm." in (
        found.sentences
    )


@pytest.mark.parametrize(
    ("ceiling", "said"), [(0.97, "would earn 0.97: try more --rounds."), (0.9, "try others.")]
)
def test_what_models_earn_that_are_told_all_says_where_to_look(ceiling, said):
    first = standing(1, "a", 0.9, 900.0, (0, 0))
    told = {"linear": 0.7, "network": ceiling}
    found = advised((first,), None, 0.95, ceilings=told, cause="rewards have heavy tails")
    assert found.text.startswith("For the first 3,000 rounds none earns more")
    assert "the cause may be that rewards have heavy tails" in found.text
    assert found.sentences[-1].endswith(said)
    assert "(network)" in found.sentences[-1]


def test_advice_is_worded_by_size_and_between_floor_and_ceiling():
    found = advised((standing(1, "a", 0.9, 60_210.0, (0, 0)),), None, 0.2, ceilings={"tree": 0.95})
    assert found.sentences[0] == (
        "For the first 3,000 rounds use a: 0.9 [0.8, 1] per round at 60 ms per decision."
    )
    assert "Always pulling tea pays 0.2; told every arm's reward, the best of" in found.text
    assert "(tree) earns 0.95." in found.text
    simple = advised((standing(1, "a", 0.9, 9.0, (0, 0)),), None, 0.2, ceilings={"linear": 0.8})
    assert "told every arm's reward, the same models would earn no more." in simple.text
