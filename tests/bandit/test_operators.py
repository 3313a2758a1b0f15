"""What operators need: counts, a control, arms that retire, one more column."""

import numpy as np
import pytest

from bandstrap import (
    Bandit,
    BetaThompson,
    Bootstrap,
    Control,
    EpsilonGreedy,
    Expiry,
    HalfLife,
    InvalidInput,
    LinThompson,
    LogFile,
    OnlineBootstrap,
    OutputError,
    Support,
    UnknownName,
)
from states import everything, same

ABC = ["a", "b", "c"]


def test_counts_are_those_of_what_happened(tmp_path):
    now = [0.0]
    expiry = Expiry(seconds=100, reward=0.0)
    bandit = Bandit(
        Bootstrap(), ABC, seed=1, expiry=expiry, clock=lambda: now[0], log=tmp_path / "log"
    )
    decisions = []
    for i in range(40):
        now[0] = float(i)
        decisions.append(bandit.decide())
    bandit.learn(decisions[:10], [0.25] * 10)
    bandit.drop(decisions[10])
    bandit.learn(arm="c", reward=1.0)
    now[0] = 120.0
    assert bandit.expire() == 9  # from the time 11 to 19
    stats = bandit.stats()
    assert (stats.decisions, stats.waiting, stats.dropped, stats.expired) == (40, 20, 1, 9)
    assert stats.rewards == bandit.rewards_learnt == 20
    arms = [it.arm for it in decisions]
    assert [it.decisions for it in stats.arms] == [arms.count(arm) for arm in ABC]
    by_arm = {arm: [] for arm in ABC} | {"c": [1.0]}
    for i, arm in enumerate(arms[:20]):
        if i != 10:
            by_arm[arm].append(0.25 if i < 10 else 0.0)
    assert [it.rewards for it in stats.arms] == [len(by_arm[arm]) for arm in ABC]
    assert [it.mean for it in stats.arms] == pytest.approx([np.mean(by_arm[arm]) for arm in ABC])
    assert (stats.ages.oldest, stats.ages.median, stats.ages.youngest) == (100.0, 90.5, 81.0)
    weights = np.array([1 / it.propensity for it in decisions])
    told = stats.propensities
    assert (told.decisions, told.least) == (40, min(it.propensity for it in decisions))
    assert told.mean_weight == pytest.approx(weights.mean())
    assert told.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert "waiting for 100 s at most" in str(stats)
    bandit.save(tmp_path / "b")
    assert Bandit.load(tmp_path / "b", clock=lambda: now[0]).stats() == stats


def test_without_a_log_no_propensity_is_asked_for():
    bandit = Bandit(Bootstrap(), ABC, seed=1)
    bandit.decide()
    assert bandit.stats().propensities is None


def test_counts_go_with_their_arms():
    bandit = Bandit(Bootstrap(), ABC, seed=1)
    bandit.learn(arm=["a", "b", "c", "c"], reward=[0.0, 0.25, 0.5, 1.0])
    bandit.remove_arm("b")
    bandit.add_arm("d")
    assert [(it.arm, it.rewards, it.mean) for it in bandit.stats().arms] == [
        ("a", 1, 0.0), ("c", 2, 0.75), ("d", 0, None),
    ]  # fmt: skip


def test_a_refused_call_is_not_counted(monkeypatch):
    bandit = Bandit(LinThompson(), ABC, seed=1)
    bandit.decide([1.0, 2.0])
    before = bandit.stats().arms
    monkeypatch.setattr("bandstrap.bandit.bandit.Decision", None)
    with pytest.raises(TypeError):
        bandit.decide([1.0, 2.0])
    assert bandit.stats().arms == before


@pytest.mark.parametrize("allowed", [None, ["a", "b"], ["b", "c"]])
def test_a_control_decides_its_share_and_propensities_say_so(allowed):
    """Frozen decisions follow their propensities, by whoever they were made."""
    bandit = Bandit(
        EpsilonGreedy(), ABC, seed=3, rewards=Support.binary(), control=Control(0.3, arm="a")
    )
    bandit.learn(arm=ABC * 2, reward=[0, 1, 1, 0, 1, 0])
    decisions = [bandit.decide(allowed=allowed) for _ in range(4000)]
    expected = decisions[0].propensities
    assert sum(expected.values()) == pytest.approx(1.0)
    counts = {arm: sum(it.arm == arm for it in decisions) for arm in ABC}
    for arm in ABC:
        spread = (4000 * expected[arm] * (1 - expected[arm])) ** 0.5
        assert abs(counts[arm] - 4000 * expected[arm]) <= 4.5 * spread
    by_control = [it for it in decisions if it.control]
    if allowed == ["b", "c"]:  # the policy decides where the control's arm is not allowed
        assert by_control == []
    else:
        assert {it.arm for it in by_control} == {"a"}
        assert abs(len(by_control) - 1200) < 4.5 * (4000 * 0.3 * 0.7) ** 0.5
        assert expected["a"] > 0.3
        assert {it.propensity for it in by_control} == {expected["a"]}
    assert bandit.stats().controlled == len(by_control)


def rule(context):
    return "a" if context is None or context["new"] else "b"


def test_a_control_may_be_a_rule(tmp_path):
    control = Control(0.5, rule=rule)
    bandit = Bandit(LinThompson(), ABC, seed=1, control=control, log=tmp_path / "log")
    told = [bandit.decide({"x": 1.0, "new": i % 2 == 0}) for i in range(40)]
    for i, decision in enumerate(told):
        assert not decision.control or decision.arm == ("a" if i % 2 == 0 else "b")
    kept = [it for it in LogFile(tmp_path / "log").read() if it["event"] == "decision"]
    assert [it["control"] for it in kept] == [it.control for it in told]
    bandit.save(tmp_path / "b")
    with pytest.raises(OutputError, match="trusted"):
        Bandit.load(tmp_path / "b")
    again = Bandit.load(tmp_path / "b", trusted=[rule])
    assert again.control == control
    with pytest.raises(OutputError, match="trusted"):
        Bandit.rebuild(tmp_path / "log")
    assert everything(Bandit.rebuild(tmp_path / "log", trusted=[rule])) == everything(bandit)


def test_a_control_that_decides_nothing_real_is_refused():
    for wrong in ({"share": 0.0, "arm": "a"}, {"share": 1.0, "arm": "a"}, {"share": 0.1},
                  {"share": 0.1, "arm": "a", "rule": rule}, {"share": 0.1, "rule": 5},
                  {"share": 0.1, "arm": 1.5}):  # fmt: skip
        with pytest.raises(InvalidInput):
            Control(**wrong)
    with pytest.raises(UnknownName):
        Bandit(Bootstrap(), ABC, control=Control(0.1, arm="x"))
    with pytest.raises(InvalidInput, match="control"):
        Bandit(Bootstrap(), ABC, control=0.1)
    bandit = Bandit(Bootstrap(), ABC, seed=1, control=Control(0.1, arm="a"))
    for leave in (bandit.remove_arm, bandit.retire_arm):
        with pytest.raises(InvalidInput, match="it is the control's"):
            leave("a")
    odd = Bandit(Bootstrap(), ABC, seed=1, control=Control(0.1, rule=lambda context: "x"))
    with pytest.raises(UnknownName):
        odd.decide()
    assert odd.decisions_waiting == 0


@pytest.mark.parametrize("policy", [Bootstrap(), BetaThompson(), OnlineBootstrap()], ids=repr)
def test_a_retired_arm_learns_and_is_not_chosen(policy, tmp_path):
    bandit = Bandit(policy, ABC, seed=1, rewards=Support.binary())
    bandit.learn(arm=["a"] * 9 + ["b", "c"], reward=[1] * 9 + [0, 0])
    waiting = [bandit.decide(allowed=["a"]) for _ in range(2)]
    bandit.retire_arm("a")
    later = [bandit.decide() for _ in range(30)]
    assert {it.arm for it in later} == {"b", "c"}
    assert {it.propensities["a"] for it in later} == {0.0}
    assert later[0].allowed == ("b", "c")
    assert "a" not in bandit.rank()
    assert bandit.decide(allowed=["a", "b"]).arm == "b"
    with pytest.raises(InvalidInput, match="not retired"):
        bandit.decide(allowed=["a"])
    bandit.learn(waiting[0], 1)
    assert bandit.stats().arms[0].rewards == 10
    assert bandit.stats().arms[0].retired
    bandit.save(tmp_path / "b")
    again = Bandit.load(tmp_path / "b")
    assert again.decide().arm in ("b", "c")
    again.learn(waiting[1], 1)
    with pytest.raises(InvalidInput, match="retired already"):
        again.retire_arm("a")
    again.retire_arm("b")
    for leave in (again.retire_arm, again.remove_arm):
        with pytest.raises(InvalidInput, match="the last arm"):
            leave("c")
    again.remove_arm("b")
    again.reinstate_arm("a")
    assert again.stats().arms[0].rewards == 11
    with pytest.raises(InvalidInput, match="not retired"):
        again.reinstate_arm("a")
    assert "a" in {again.decide().arm for _ in range(30)}


def taught(bandit, contexts, rewards):
    """Decide each by one arm in turn, so that two bandits learn the same."""
    for i, (context, reward) in enumerate(zip(contexts, rewards, strict=True)):
        bandit.learn(bandit.decide(context, allowed=[ABC[i % 3]]), reward)


NAMED = [{"age": float(i % 5) / 5, "new": i % 2 == 0} for i in range(30)]
REWARDS = [float(i % 3 == 0) for i in range(30)]


@pytest.mark.parametrize("forgetting", [None, HalfLife(8)])
def test_one_more_column_is_as_if_it_had_always_been_there(forgetting, tmp_path):
    bandit = Bandit(LinThompson(), ABC, seed=1, forgetting=forgetting, log=tmp_path / "log")
    taught(bandit, NAMED, REWARDS)
    bandit.learn(context=NAMED[0], arm="b", reward=0.5, weight=2.0)
    waiting, known = bandit.decide(NAMED[3]), everything(bandit)
    wide = bandit.with_column("visits", 0.5)
    assert everything(bandit) == known  # it does not change
    always = Bandit(LinThompson(), ABC, seed=1, forgetting=forgetting)
    taught(always, [it | {"visits": 0.5} for it in NAMED], REWARDS)
    always.learn(context=NAMED[0] | {"visits": 0.5}, arm="b", reward=0.5, weight=2.0)
    assert same(wide._memory.state, always._memory.state)
    wide.learn(waiting.id, 1.0)
    assert wide.stats().rewards == 32
    decision = wide.decide({"age": 0.2, "new": True})  # a client that has not heard of it
    assert decision.context == {"age": 0.2, "new": True, "visits": 0.5}
    wide.learn(wide.decide({"age": 0.2, "new": True, "visits": 3.0}), 1.0)
    wide.decide([{"age": 0.2, "new": True}, {"age": 0.2, "new": False}])
    assert everything(Bandit.rebuild(tmp_path / "log")) == everything(wide)
    twice = wide.with_column("returns", False)
    assert twice.decide({"age": 0.2, "new": True}).context["returns"] is False
    assert twice.rewards_learnt == wide.rewards_learnt


def test_one_more_column_of_arrays(tmp_path):
    bandit = Bandit(LinThompson(), ABC, seed=1, log=tmp_path / "log")
    rows = np.random.default_rng(0).random((12, 2))
    taught(bandit, rows, REWARDS[:12])
    bandit.remove_arm("c")
    bandit = Bandit.rebuild(tmp_path / "log")
    wide = bandit.with_column(None, 1.0)
    assert wide.rewards_learnt == 8
    assert wide.decide([0.1, 0.2, 0.3]).arm in ("a", "b")


def test_one_more_column_needs_all_that_was_learnt(tmp_path):
    bandit = Bandit(LinThompson(), ABC, seed=1)
    with pytest.raises(InvalidInput, match="from a log"):
        bandit.with_column("x", 0.0)
    taught(bandit, NAMED[:3], REWARDS[:3])
    bandit.save(tmp_path / "b")
    late = Bandit.load(tmp_path / "b", log=tmp_path / "log")
    late.learn(late.decide(NAMED[0]), 1.0)
    with pytest.raises(InvalidInput, match="it has 1 of 4 rewards"):
        late.with_column("x", 0.0)
    fresh = Bandit(LinThompson(), ABC, seed=1, log=tmp_path / "new")
    with pytest.raises(InvalidInput, match="no contexts yet"):
        fresh.with_column("x", 0.0)
    fresh.learn(fresh.decide(NAMED[0]), 1.0)
    for name, default in (("age", 0.0), (None, 0.0), (1.5, 0.0), ("x", None), ("x", np.nan)):
        with pytest.raises(InvalidInput):
            fresh.with_column(name, default)
    rows = Bandit(LinThompson(), ABC, seed=1, log=tmp_path / "rows")
    rows.decide([1.0, 2.0])
    with pytest.raises(InvalidInput, match="arrays"):
        rows.with_column("x", 0.0)


def test_bytes_are_what_a_file_holds(tmp_path):
    bandit = Bandit(Bootstrap(), ABC, seed=1)
    waiting = bandit.decide()
    again = Bandit.from_bytes(bandit.to_bytes())
    again.learn(waiting, 1.0)
    bandit.learn(waiting, 1.0)
    assert everything(again) == everything(bandit)
    with pytest.raises(OutputError, match="the bytes: is damaged"):
        Bandit.from_bytes(bandit.to_bytes()[:-30])
