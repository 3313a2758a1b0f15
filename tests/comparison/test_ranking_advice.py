"""Which policy is recommended, and in which words."""

from bandstrap.comparison.ranking import ConfidenceInterval, Gap, Standing, advice


def standing(place, policy, mean, cost, behind):
    interval = ConfidenceInterval(mean, mean - 0.1, mean + 0.1)
    return Standing(place, policy, interval, cost, ConfidenceInterval(sum(behind) / 2, *behind))


def test_advice_is_the_best_or_the_much_cheaper_of_equals():
    first = standing(1, "a", 0.9, 900.0, (0, 0))
    second = standing(2, "b", 0.89, 500.0, (-0.03, 0.05))
    third = standing(3, "c", 0.88, 100.0, (-0.02, 0.06))
    fourth = standing(4, "d", 0.87, 1.0, (0.01, 0.05))
    ranking = (first, second, third, fourth)
    clear = Gap("a", "b", ConfidenceInterval(0.1, 0.05, 0.15))
    assert advice(ranking, clear, 0.2).policy == "a"
    open_ = Gap("a", "b", second.behind)
    found = advice((first, second), open_, 0.2)
    assert found.policy == "a"  # 500 is not much less than 900
    assert "b may be as good, but cost at least half as much" in found.sentence
    found = advice(ranking, open_, 0.2)
    assert found.policy == "c"
    assert "a earned 0.9 at 900 µs, at best 0.06 more, which may" in found.sentence
    assert "None earns more" in advice(ranking, clear, 0.95).sentence
    assert advice((first,), None, 0.2).policy == "a"


def test_too_few_runs_to_tell_are_no_reason_to_prefer_the_cheaper():
    first = standing(1, "a", 0.834, 1000.0, (0, 0))
    cheap = standing(2, "b", 0.79, 100.0, (-0.2, 0.3))
    found = advice((first, cheap), Gap("a", "b", cheap.behind), 0.5)
    assert found.policy == "a"
    assert "b may be as good; more --runs would tell" in found.sentence
    # A loss of a tenth of what the first earns above the best arm is the most.
    for loss, chosen in ((0.033, "b"), (0.034, "a")):
        cheap = standing(2, "b", 0.79, 100.0, (-0.01, loss))
        assert advice((first, cheap), Gap("a", "b", cheap.behind), 0.5).policy == chosen


def test_advice_says_where_one_might_as_well_not_look_at_rows():
    first = standing(1, "a", 0.9, 900.0, (0, 0))
    second = standing(2, "b", 0.88, 5.0, (-0.01, 0.014))
    clear, open_ = (Gap("a", "b", ConfidenceInterval(0.1, low, 0.2)) for low in (0.05, -0.05))
    assert "not significantly more than the best" in advice((first, second), clear, 0.85).sentence
    assert "not significantly more" not in advice((first, second), clear, 0.75).sentence
    # The cheaper of equals, but not if it may earn less than the best arm does by itself.
    assert advice((first, second), open_, 0.75).policy == "b"
    found = advice((first, second), open_, 0.79)
    assert found.policy == "a"
    assert "no other that may be as good earns significantly more than the" in found.sentence
