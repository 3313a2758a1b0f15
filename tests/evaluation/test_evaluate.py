"""From a log to an answer."""

import json

import numpy as np
import pandas as pd
import pytest

from bandstrap import Bandit, Bootstrap, LaplaceThompson, Support, evaluate
from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.evaluation.answer import answer, warnings_of
from bandstrap.evaluation.estimated import with_estimated_propensities
from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets import HadItRun, Learnt
from bandstrap.evaluation.targets.reading import read_targets
from bandstrap.storage.files import json_value
from small_logs import chances, log_of_arms, log_of_contexts

MEANS, SHARES = [0.2, 0.5, 0.6], [0.6, 0.25, 0.15]


@pytest.fixture(scope="module")
def arms():
    return evaluate(log_of_arms(4000, MEANS, SHARES), ["uniform", "always=c", "always=a", "wb"])


def test_values_are_near_the_truth(arms):
    for name, truth in (("uniform", np.mean(MEANS)), ("always c", 0.6), ("always a", 0.2)):
        assert truth in arms[name].interval
        assert truth in arms[name].always
        assert arms[name].verdict.word == "trust"
    assert arms.logger.value == pytest.approx(log_of_arms(4000, MEANS, SHARES).rewards.mean())


def test_differences_are_paired(arms):
    pairs = {(each.one, each.other): each for each in arms.differences}
    assert len(pairs) == 6
    assert pairs["uniform", "always a"].told_apart
    gap = pairs["always c", "always a"].difference
    assert gap.value == pytest.approx(arms["always c"].value - arms["always a"].value)
    gain = arms["always c"].gain.difference
    assert gain.value == pytest.approx(arms["always c"].value - arms.logger.value)


def test_differences_are_those_of_the_estimates_shown():
    """Also where these are of stabilised variance."""
    found = evaluate(log_of_contexts(800), ["uniform", "always=a"])
    for each in found.targets:
        gain = each.gain.difference
        assert each.estimates[0].estimator == gain.interval.method == "stabilised-dr"
        assert gain.value == pytest.approx(each.value - found.logger.value)
    one, other = found.targets
    [pair] = found.differences
    assert pair.difference.value == pytest.approx(one.value - other.value)


def test_the_answer_names_the_best(arms):
    assert answer(arms).startswith("always c would have earned")
    assert warnings_of(arms) == []


def test_a_frame_and_plain_data(arms):
    frame = arms.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert {*frame.target} == {"uniform", "always c", "always a", "wb"}
    shown = frame[frame.shown].set_index("target").value
    assert shown["uniform"] == arms["uniform"].value
    data = json.loads(json.dumps(json_value(arms.as_dict()), allow_nan=False))
    assert data["targets"][0]["verdict"] == "trust"
    with pytest.raises(UnknownName, match="uniform"):
        arms["unifrom"]


def test_the_same_seed_gives_the_same_numbers():
    log = log_of_contexts(150)
    first, again, other = (
        evaluate(log, "wb-log-replicas", seed=seed).targets[0].value for seed in (1, 1, 2)
    )
    assert first == again != other


def test_three_named_answers():
    log = log_of_contexts(1500)
    found = evaluate(log, LaplaceThompson(), answers=["frozen", "learnt", "had it run"])
    assert [each.label for each in found.targets] == [
        "laplacethompson (frozen)", "laplacethompson (learnt)", "laplacethompson (had it run)",
    ]  # fmt: skip
    assert found.first == 750
    assert found.decisions == 1500
    assert any("750 decisions are for training" in note for note in found.notes)
    best = chances(log.contexts).max(axis=1).mean()
    for each in found.targets[:2]:
        assert abs(each.value - best) < 0.1
    assert found.targets[2].verdict.word == "with care"  # 150 rounds


def test_a_bandit_and_a_rule_by_name():
    bandit = Bandit(Bootstrap(), ["a", "b", "c"], seed=1, rewards=Support.binary())
    bandit.learn(arm=["c"] * 20 + ["a"] * 20, reward=[1] * 20 + [0] * 20)
    rule = {"mine": lambda context: "c", "as it is": bandit}
    found = evaluate(log_of_arms(2000, MEANS, SHARES), rule)
    assert 0.6 in found["mine"].interval
    assert found["as it is"].answer == "frozen"
    assert found["as it is"].value == pytest.approx(found["mine"].value, abs=0.05)


def test_by_default_there_are_three_targets():
    found = evaluate(log_of_contexts(600))
    names = [each.name for each in found.targets]
    assert names == ["uniform", "best arm so far", "wb-log-replicas"]


def test_without_propensities_it_is_the_model_and_with_care():
    log = log_of_contexts(900)
    bare = Feedback(log.arms, log.chosen, log.rewards, log.contexts)
    found = evaluate(bare, "uniform")
    assert [each.estimator for each in found["uniform"].estimates] == ["dm", "replay"]
    assert found["uniform"].verdict.word == "with care"
    assert abs(found["uniform"].value - chances(log.contexts).mean()) < 0.06


def test_intervals_without_propensities_allow_for_noise():
    """95 % of them hold, also of the difference from the logger, where all arms pay the same."""
    held, apart = 0, 0
    for seed in range(12):
        log = log_of_arms(500, [0.3, 0.3, 0.3], SHARES, seed)
        found = evaluate(Feedback(log.arms, log.chosen, log.rewards), "uniform", seed=seed)
        [it] = found.targets
        held += 0.3 in it.interval
        apart += it.gain.told_apart
        assert it.gain.difference.value == pytest.approx(it.value - found.logger.value, abs=1e-3)
    assert held >= 9  # 11.4 and 3 standard errors
    assert apart <= 3


def test_a_model_has_the_errors_of_dr_with_propensities_too(arms):
    every = {each.estimator: each for each in arms["uniform"].estimates}
    assert every["dm"].error == every["dr"].error
    assert every["dm"].interval.low < np.mean(MEANS) < every["dm"].interval.high


def test_estimated_propensities_are_labelled_and_with_care():
    log = log_of_contexts(3000)
    bare = Feedback(log.arms, log.chosen, log.rewards, log.contexts)
    guessed = with_estimated_propensities(bare).propensities
    assert np.abs(guessed - log.propensities).mean() < 0.03
    found = evaluate(bare, "uniform", estimate_propensities=True)
    assert chances(log.contexts).mean() in found["uniform"].interval
    assert found["uniform"].verdict.word == "with care"
    assert "estimated from the log" in str(found.findings[0])


def test_a_frame_needs_no_mapping():
    log = log_of_arms(800, MEANS, SHARES)
    table = pd.DataFrame(
        {
            "city": np.random.default_rng(0).choice(["Oslo", "Rome"], 800),
            "variant": np.array(log.arms)[log.chosen],
            "clicked": log.rewards.astype(int),
            "propensity": log.propensities,
        }
    )
    assert 0.6 in evaluate(table, "always=c")["always c"].interval


def test_missing_rewards_are_left_out():
    log = log_of_arms(2000, MEANS, SHARES)
    rewards = np.where(np.arange(2000) % 10 == 3, np.nan, log.rewards)
    found = evaluate(
        Feedback(log.arms, log.chosen, rewards, propensities=log.propensities), "uniform"
    )
    assert np.isfinite(found["uniform"].value)
    assert found["uniform"].verdict.word == "with care"
    nothing = Feedback(log.arms, log.chosen, 0 * rewards + np.nan, propensities=log.propensities)
    with pytest.raises(InvalidInput, match="no decision has a reward"):
        evaluate(nothing, "uniform")


def test_what_can_be_asked():
    found = read_targets(["uniform", "column=x", "wb", "bandstrap:UCB1"], ["learnt", "had it run"])
    assert [each.name for each in found.targets] == ["uniform", "column x", "wb", "ucb1"]
    assert [each.name for each in found.reruns] == ["wb", "ucb1"]
    assert (
        read_targets([Learnt(Bootstrap(), "x"), HadItRun(Bootstrap(), "x")]).reruns[0].name == "x"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["wbb"], "unknown policy 'wbb'"),
        ([3], "give a policy, a Bandit, a function"),
        (["uniform", "uniform"], "a name of its own"),
        (["bandstrap:Support"], "Support"),
    ],
)
def test_what_cannot(given, said):
    with pytest.raises((InvalidInput, UnknownName), match=said):
        read_targets(given)


def test_an_answer_that_there_is_not():
    with pytest.raises(UnknownName, match="had it run"):
        read_targets("wb", ["had it ran"])


def test_the_public_name_is_the_function_whatever_was_imported_before():
    import bandstrap
    import bandstrap.evaluation

    assert callable(bandstrap.evaluate)
    assert callable(bandstrap.evaluation.evaluate)
