"""The code for the recommended policy runs as it is, from anywhere, on raw rows."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from shops import shop
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from bandstrap import (
    ContextualBootstrap,
    Exponential,
    InvalidInput,
    LinUCB,
    NoExamples,
    Support,
    compare,
    from_sklearn,
)
from bandstrap.comparison.candidates import USUAL, Selection
from bandstrap.comparison.product import live_bandit
from bandstrap.comparison.rewards import Label, RewardColumns, reward_source
from bandstrap.comparison.snippet import snippet
from bandstrap.comparison.table import prepare
from bandstrap.comparison.warm_start import Rehearsed, Told


def table():
    return pd.DataFrame({"x": [0.1, 0.9, 0.2, 0.8] * 5, "y": ["low", "high"] * 10})


class Tang(LinUCB):
    """Called as one of ours is."""


class Made:
    """Of which nobody knows how it was made."""

    def __init__(self, secret):
        self.hidden = secret


def made(policy):
    prepared = prepare(table(), Label("y"))
    return snippet(policy, prepared, lesson(Rehearsed, prepared, 20), None)


def lesson(kind, prepared, rounds):
    return kind(rounds, len(prepared.contexts), len(prepared.rewards.arms))


def written(prepared, kind, rounds, out):
    """What a comparison leaves for its code."""
    out.mkdir(exist_ok=True)
    prepared.encoder.save(out / "encoder.json")
    found = lesson(kind, prepared, rounds)
    found.of(prepared, seed=0).save(out / "warm_start.parquet")
    return found


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Run from another folder than that of the results."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "out"


def test_estimators_are_written_with_their_parameters(elsewhere):
    prepared = prepare(table(), Label("y"))
    how = written(prepared, Told, 8, elsewhere)
    forest = RandomForestClassifier(max_depth=3, n_estimators=7)
    for model in (forest, Pipeline([("scale", StandardScaler(with_mean=False)), ("last", forest)])):
        policy = ContextualBootstrap(Exponential(), from_sklearn(model), NoExamples())
        space = {}
        exec(snippet(policy, prepared, how, elsewhere), space)
        assert repr(space["bandit"].policy) == repr(policy)
        assert "'n_estimators': 7" in repr(policy)


def test_code_says_what_it_cannot_know():
    code = made(Tang())
    assert f"from {Tang.__module__} import Tang" in code
    assert "Bandit.load(state, trusted=[Tang])" in code
    odd = LinUCB()
    object.__setattr__(odd, "width", Made(3))
    assert "# Made: give your arguments" in made(odd)
    assert "encode = found.encoder" in made(LinUCB())


@pytest.mark.parametrize(("kind", "learnt"), [(Told, 3 * 40), (Rehearsed, 2 * 50)])
def test_every_usual_policy_has_code_that_runs_and_goes_on(elsewhere, kind, learnt):
    prepared = prepare(shop(40), Label("bought"))
    how = written(prepared, kind, 50, elsewhere)
    for name, policy in Selection().candidates(USUAL).items():
        code, space = snippet(policy, prepared, how, elsewhere), {}
        exec(code, space)
        bandit = space["bandit"]
        assert repr(bandit.policy) == repr(policy), name
        assert bandit.rewards_learnt == learnt + 1
        exec(code, space)  # the program has restarted
        assert space["bandit"] is not bandit
        assert space["bandit"].rewards_learnt == learnt + 2
        space["state"].unlink()


def euros(rows, seed=0):
    """What three offers earn: by age, in euros, with a loss here and there."""
    rng = np.random.default_rng(seed)
    age, city = rng.integers(18, 80, rows), rng.choice(["Oslo", "Rome"], rows)
    paid = {"small": 5 + rng.normal(0, 1, rows), "large": np.where(age > 50, 40.0, -15.0)}
    paid["large"] = paid["large"] + rng.normal(0, 3, rows)
    return pd.DataFrame({"age": [f"{each} y" for each in age], "n": age, "city": city, **paid})


def test_rewards_are_in_the_units_of_the_table(elsewhere):
    prepared = prepare(euros(300), RewardColumns(("small", "large")))
    how = written(prepared, Told, 100, elsewhere)
    code, space = snippet(LinUCB(), prepared, how, elsewhere), {}
    assert "ScaledRewards(policy=LinUCB())" in code
    exec(code, space)
    bandit, scale = space["bandit"], prepared.rewards.scale
    assert bandit.support == Support.interval(scale.low, scale.high)
    decision = bandit.decide(space["encode"]({"n": 70, "city": "Rome", "age": "70 y"}))
    assert decision.arm == "large"
    with pytest.raises(InvalidInput, match="rewards lie in"):
        bandit.learn(decision, reward=1e6)
    bandit.learn(decision, reward=38.5)
    two = prepare(
        pd.DataFrame({"x": [0.0, 1.0, 2.5], "a": [0, 5, 5], "b": [5, 0, 5]}),
        RewardColumns(("a", "b")),
    )
    code = snippet(LinUCB(), two, lesson(Told, two, 3), None)
    assert "rewards=Support.categories([0.0, 5.0])" in code


def test_another_policy_or_encoder_never_reads_the_state_of_this_one():
    def state(policy, frame):
        prepared = prepare(frame, Label("y"))
        code = snippet(policy, prepared, lesson(Told, prepared, 20), None)
        return next(line for line in code.splitlines() if line.startswith("state"))

    other = table().assign(x=lambda frame: frame.x * 2)
    assert state(LinUCB(), table()) == state(LinUCB(), table())
    assert len({state(LinUCB(), table()), state(Tang(), table()), state(LinUCB(), other)}) == 3


def test_the_printed_code_is_a_program(tmp_path):
    """As a reader would: compare in one folder, copy the code, run it in another."""
    euros(150).to_csv(tmp_path / "offers.csv", index=False)
    command = [
        sys.executable, "-m", "bandstrap", "compare", "offers.csv", "--rewards", "small,large",
        "--policies", "ts-laplace,eg-lin", "--rounds", "80", "--runs", "2", "--workers", "1",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=200)
    assert done.returncode == 0, done.stderr
    code = "from pathlib" + done.stdout.partition("from pathlib")[2].partition("\nreport: ")[0]
    other = tmp_path / "other"
    other.mkdir()
    (other / "live.py").write_text(f"{code}\nprint(bandit.rewards_learnt)\n")
    ran = subprocess.run(
        [sys.executable, "live.py"], capture_output=True, text=True, cwd=other, timeout=200
    )
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) >= 80 + 1


class World:
    """Customers whose class depends on raw columns, some of them written in odd ways."""

    def __init__(self, kind):
        self.kind = kind

    def rows(self, count, seed):
        rng = np.random.default_rng([seed, len(self.kind)])
        price, age = rng.lognormal(3, 1, count), rng.integers(18, 80, count)
        city = rng.choice(["Oslo", "Rome", "Lima"], count)
        worth = np.stack([price / 20, age / 40, 2.2 * (city == "Rome"), np.full(count, 1.1)], 1)
        worth += 0.3 * rng.standard_normal(worth.shape)
        frame = pd.DataFrame(
            {"price": [f"€ {each:.2f}" for each in price], "age": age, "city": city}
        )
        names = ["red", "green", "blue", "none"]
        if self.kind == "label":
            paid = (worth.argmax(axis=1)[:, None] == np.arange(4)).astype(float)
            frame["best"] = np.array(names)[worth.argmax(axis=1)]
        else:
            paid = np.clip(50 * worth - 20, -20, 300)
            frame[names] = paid
        return frame, [dict(zip(names, each, strict=True)) for each in paid.tolist()]

    @property
    def source(self):
        return {"label": "best"} if self.kind == "label" else {"rewards": "red,green,blue,none"}


@pytest.mark.parametrize(
    ("kind", "policy", "call"),
    [
        ("label", "ucb-lin-fixed", "rehearse"),  # told all it would earn less: it is too simple
        ("label", "wb-log-gaussian", "teach"),
        ("rewards", "ucb-lin-fixed", "teach"),
        ("rewards", "ts-laplace", "teach"),
    ],
)
def test_a_warm_start_begins_where_the_cold_one_ended(elsewhere, kind, policy, call):
    """On rows that neither has seen, the first 500 rounds earn what the last 500 did, or more."""
    world, rounds = World(kind), 1000
    frame, _ = world.rows(rounds, seed=1)
    read_as = {"price": "number"}
    given = {"policies": policy, "rounds": rounds, "runs": 1, "out": elsewhere, "read_as": read_as}
    found = compare(frame, **world.source, **given)
    assert f").{call}(bandit" in found.code
    space = {}
    exec(found.code, space)
    fresh, paid = world.rows(rounds, seed=2)
    rows = fresh[["price", "age", "city"]].to_dict("records")
    source = reward_source(world.source.get("label"), world.source.get("rewards"))
    rewards = prepare(frame, source).rewards

    def played(bandit, places):
        earned = []
        for place in places:
            decision = bandit.decide(space["encode"](rows[place]))
            earned.append(np.clip(paid[place][decision.arm], rewards.scale.low, rewards.scale.high))
            bandit.learn(decision.id, reward=earned[-1])
        return np.array(earned)

    cold = live_bandit(Selection((policy,)).candidates(())[policy], rewards, seed=0)
    played(cold, range(500))
    gained = played(space["bandit"], range(500, 1000)) - played(cold, range(500, 1000))
    assert gained.mean() > -2 * gained.std() / np.sqrt(gained.size)
