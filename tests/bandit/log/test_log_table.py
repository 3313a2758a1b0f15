"""A log as a table: each decision once, with what became of it."""

import pandas as pd
import pyarrow.parquet as pq
import pytest

from bandstrap import Bandit, Bootstrap, Control, Expiry, LinThompson, LogFile, OutputError
from bandstrap.bandit.log.store import DecisionStore
from bandstrap.bandit.log.table import log_table, write_parquet
from called import called

ABC = ["a", "b", "c"]


def test_what_became_of_each_decision(tmp_path):
    expiry = Expiry(decisions=3, reward=0.25)
    bandit = Bandit(Bootstrap(), ABC, seed=1, expiry=expiry, log=tmp_path / "log")
    decisions = [bandit.decide(allowed=["a", "b"] if i == 1 else None) for i in range(4)]
    bandit.learn(decisions[1], 1.0, weight=2.0)
    bandit.drop(decisions[2])
    bandit.learn(arm="a", reward=0.5)
    last = bandit.decide()
    table = log_table(tmp_path / "log").to_pandas()
    assert table.id.tolist() == [it.id for it in (*decisions, last)]
    assert table.outcome.tolist() == ["expired", "reward", "dropped", "waiting", "waiting"]
    assert table.reward.tolist()[:2] == [0.25, 1.0]
    assert table.reward.isna().tolist()[2:] == [True] * 3
    assert table.reward_weight.tolist()[:2] == [1.0, 2.0]
    assert table.propensity.tolist() == [it.propensity for it in (*decisions, last)]
    assert table.allowed.tolist()[1].tolist() == ["a", "b"]
    assert table.allowed[0] is None
    assert table.learnt.tolist() == [0, 0, 0, 0, 3]
    assert not any(name.startswith("context") for name in table)


@pytest.mark.parametrize("contexts", [
    [{"age": 0.1, "new": True}, {"age": 1 / 3, "new": False}],
    [[0.1, 2.0], [1 / 3, 4.0]],
    pd.DataFrame([[0.1, 2.0], [1 / 3, 4.0]]),
], ids=["names", "rows", "numbers"])  # fmt: skip
def test_contexts_are_columns(contexts, tmp_path):
    bandit = Bandit(LinThompson(), [1, 2], seed=1, log=tmp_path / "log")
    decisions = bandit.decide(contexts)
    assert write_parquet(bandit.log, tmp_path / "t.parquet") == 2
    table = pq.read_table(tmp_path / "t.parquet").to_pylist()
    assert [row["arm"] for row in table] == [it.arm for it in decisions]
    if isinstance(contexts, pd.DataFrame):
        assert [row["context.0"] for row in table] == [0.1, 1 / 3]
    elif isinstance(contexts[0], dict):
        told = [{name: row[f"context.{name}"] for name in ("age", "new")} for row in table]
        assert told == contexts
    else:
        assert [row["context"] for row in table] == contexts


def test_the_command(tmp_path):
    control = Control(0.5, arm="a")
    bandit = Bandit(Bootstrap(), ABC, seed=1, control=control, log=tmp_path / "log")
    bandit.learn(bandit.decide(), 1.0)
    code, out, _ = called("log", str(tmp_path / "log"), str(tmp_path / "t.parquet"))
    assert (code, " ".join(out.split())) == (0, f"1 decisions written to {tmp_path / 't.parquet'}")
    store = DecisionStore(tmp_path / "store")
    store.publish(bandit)
    store.add(store.bandit().bandit.decide())
    code, out, _ = called("log", str(tmp_path / "store"), str(tmp_path / "t.parquet"), "--json")
    assert (code, '"decisions": 1' in out) == (0, True)
    (tmp_path / "bad").write_text("{}\n{\n")
    for path in ("bad", "none"):
        code, _, err = called("log", str(tmp_path / path), str(tmp_path / "no.parquet"))
        assert code == 2
        assert err.startswith("error: ")
    assert not (tmp_path / "no.parquet").exists()


def test_nothing_is_written_where_nothing_can_be(tmp_path):
    log = LogFile(tmp_path / "log")
    assert log_table(log).num_rows == 0
    with pytest.raises(OutputError, match="cannot be written"):
        write_parquet(log, tmp_path / "no" / "t.parquet")
