"""Pages that scripts write say what the results say, and how to get them."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from bandstrap.experiments.decisions import DECISIONS
from bandstrap.experiments.reasons import REASONS
from bandstrap.experiments.runtime.experiment import Runtime
from bandstrap.experiments.statements import ALIKE
from bandstrap.simulation import Trace
from bandstrap.simulation.batch import BatchResult, recorded_rounds
from bandstrap.simulation.store import evidence
from bandstrap.simulation.store.results import Results
from pages import load

SOURCE = evidence.Source("bandstrap reproduce figure2-covtype", "abc", "2026-11-18", "here", "123")
SAID = {"source": {**vars(SOURCE), "command": "bandstrap reproduce figure1"}}


def claim(name, verdict, found="1 * 2_3 | <b>"):
    return {"id": name, "claim": "a < b", "verdict": verdict, "evidence": found}


def keep(folder, policy, rewards, horizon=50_000):
    """Runs of a policy on CovType with these rewards per step."""
    rounds, runs = recorded_rounds(horizon), []
    for run, reward in enumerate(rewards):
        total = np.rint(reward * rounds)[None]
        result = BatchResult(rounds - total, total, 1e-3 * rounds)
        runs.append(evidence.KeptRun(f"{policy}{run}", 0, run, horizon, result, SOURCE))
    evidence._write(folder / "runs" / "covtype" / f"{policy}.parquet", runs)


def test_claims(tmp_path):
    said = [claim("C8", "not decidable at this size"), claim("C1", "reproduced", "this\nthat")]
    said.append(claim("C6-numbers", "not reproduced"))
    (tmp_path / "claims.json").write_text(json.dumps({"figure1": {**SAID, "claims": said}}))
    keep(tmp_path, "wb-log", [0.70, 0.71, 0.70, 0.71, 0.70])
    keep(tmp_path, "ensemble-log", [0.60, 0.61, 0.60, 0.62, 0.60])
    kept = tmp_path / "kept.json"
    load("claims").main(tmp_path, tmp_path, kept)
    page = (tmp_path / "claims.md").read_text(encoding="utf-8")
    assert (
        "**2 of 47 statements hold, 45 open.** Claims: 11 not decidable at this size, 2 rep" in page
    )
    assert "Beyond the paper's text: 0 of 1 statements hold, 1 fails." in page
    assert f"**Why.** {REASONS['C6-numbers'][:20]}" in page
    assert "bandstrap reproduce figure1\nbandstrap reproduce figure2-covtype\n" in page
    assert "| figure2-covtype | 10 | 2026-11-18 | abc | 123 | here |" in page
    assert "Open until their runs are played: C2, C3, C4, C5, C7.\n" in page
    assert f"within {ALIKE:g} of zero" in page
    assert all(f"| {what} |" in page for what in DECISIONS)
    headings = [line for line in page.splitlines() if line.startswith("## C")]
    assert headings[:3] == [
        "## C1: ✓ reproduced",
        "## C6-numbers: ✗ not reproduced",
        "## C8: ? not decidable at this size",
    ]
    assert {"## C13: ✓ reproduced", "## C14-mnist: ? not decidable at this size"} < {*headings}
    assert "## C13-cost-mnist: ? not decidable at this size" in headings
    assert r"**Found.** 1 \* 2\_3 \| \<b>" in page
    assert "**Found.**\n\n- this\n- that\n" in page
    assert "| wb-log | 5 | 50,000 | 0.7040 | 0.0024 | 1 |" in page
    assert (tmp_path / "figures" / "figure2-covtype.png").exists()
    assert [each["id"] for each in json.loads(kept.read_text())] == ["C1", "C6-numbers", "C13"]


def test_claims_are_written_the_same_again(tmp_path):
    keep(tmp_path, "wb-log", [0.7] * 5)
    keep(tmp_path, "ensemble-log", [0.6] * 5, horizon=20_857)
    pages = []
    for _ in range(2):
        load("claims").main(tmp_path, tmp_path)
        pages.append((tmp_path / "claims.md").read_bytes())
    assert pages[0] == pages[1]
    assert "better than the ensemble: open" in pages[0].decode()  # 20,857 rounds are not 50,000


def test_the_page_is_what_the_kept_evidence_gives():
    claims = load("claims")
    every = claims.found_in(claims.HERE.parent / "evidence")
    page = (claims.HERE / "claims.md").read_text(encoding="utf-8")
    assert page == claims.page(every, claims.HERE / "figures"), "run python docs/claims.py"
    kept = (claims.HERE.parent / claims.KEPT).read_text(encoding="utf-8")
    assert kept == claims.decided(every)
    missed = [each["id"] for each in json.loads(kept) if each["verdict"] != "reproduced"]
    assert {*missed} <= REASONS.keys(), "say why in experiments/reasons.py"


def test_shorter_runs_have_a_row_beside_longer_ones(tmp_path):
    path = tmp_path / "runs" / "covtype" / "wb-log.parquet"
    keep(tmp_path, "wb-log", [0.7] * 3, horizon=20_857)
    short = evidence.Evidence(tmp_path / "runs").runs("covtype")["wb-log"]
    keep(tmp_path, "wb-log", [0.7])
    long = evidence.Evidence(tmp_path / "runs").runs("covtype")["wb-log"]
    evidence._write(path, [*(replace(each, batch=f"s{each.run}") for each in short), *long])
    claims = load("claims")
    page = claims.page(claims.found_in(tmp_path), tmp_path)
    assert "| wb-log | 1 | 50,000 | 0.7000 |" in page
    assert "| wb-log | 3 | 20,857 | 0.7000 |" in page


def test_costs_are_taken_from_a_folder_of_results(tmp_path):
    rounds, seconds = np.array([1000, 1010, 50_000, 50_010]), np.array([0, 0.01, 0.01, 0.04])
    flat = np.zeros((1, 4))
    names = ("npb-log", "wb-log", "tree-heuristic", "npb-tree")
    traces = [Trace("runtime", "covtype", name, rounds, flat, flat, seconds) for name in names]
    settings = {"quick": False, "runs": None, "policies": ["npb-log", "wb-log"]}
    facts = json.dumps({"settings": settings, "seed": 3}).encode()
    Results(tmp_path / "results" / Runtime.name).keep(traces, facts)
    claims, kept = load("claims"), tmp_path / "evidence"
    claims.take([tmp_path / "results"], kept, tmp_path)
    claims.main(kept, tmp_path)
    page = (tmp_path / "claims.md").read_text(encoding="utf-8")
    assert "bandstrap reproduce runtime --policies npb-log,wb-log --seed 3" in page
    assert "| covtype | wb-log | 1 | 3 | 1.98 | 160 |" in page
    assert "## C11: ◐ reproduced in part" in page  # nothing was timed on MNIST
    more = [replace(traces[1], policy="wb-nn"), replace(traces[1], seconds=2 * seconds)]
    later = json.dumps({"settings": settings, "seed": 4}).encode()
    Results(tmp_path / "results" / Runtime.name).keep(more, later)
    claims.take([tmp_path / "results"], kept, tmp_path)
    claims.main(kept, tmp_path)
    page = (tmp_path / "claims.md").read_text(encoding="utf-8")
    assert "| covtype | wb-log | 2 | 6 | 3.96 | 160 |" in page  # timed again
    assert "| covtype | wb-nn | 1 | 3 | 1.98 |" in page
    assert "| covtype | npb-log | 1 | 3 | 1.98 | 150 |" in page
    assert "npb-log,wb-log --seed 3\n" in page
    assert "npb-log,wb-log --seed 4\n" in page


def test_performance(tmp_path):
    page = {
        "note": "µs",
        "command": "python benchmarks/lazy.py --runs 8",
        "date": "2026-11-16",
        "machine": {"cores": 2, "python": "3.11", "numpy": "2.4", "numba": "0.68"},
        "rows": [{"policy": "wb", "cost": 1.2345}, {"policy": "npb", "cost": None}],
    }
    (tmp_path / "lazy.json").write_text(json.dumps(page))
    load("performance").main(tmp_path, tmp_path)
    text = (tmp_path / "performance.md").read_text(encoding="utf-8")
    assert "```sh\npython benchmarks/lazy.py --runs 8\n```" in text
    assert "| policy | cost |\n| --- | ---: |\n| wb | 1.23 |\n| npb | – |\n" in text


def test_performance_keeps_what_has_not_been_measured_again(tmp_path):
    page = {"command": "x", "date": "y", "rows": [{"cost": 1.0}]}
    page["machine"] = dict.fromkeys(("cores", "python", "numpy", "numba"), 1)
    for name, cost in (("lazy", "old"), ("drift", "old"), ("lazy", "new")):
        folder = tmp_path / f"{name}-{cost}"
        folder.mkdir()
        (folder / f"{name}.json").write_text(json.dumps({**page, "note": f"{cost} {name}"}))
        load("performance").main(folder, tmp_path)
    text = (tmp_path / "performance.md").read_text(encoding="utf-8")
    assert "old drift" in text
    assert "old lazy" not in text
    assert text.index("new lazy") < text.index("old drift")
    load("performance").main(folder, tmp_path)
    assert (tmp_path / "performance.md").read_text(encoding="utf-8") == text


def test_performance_without_results(tmp_path):
    with pytest.raises(SystemExit, match="make bench"):
        load("performance").main(tmp_path, tmp_path)


def test_the_table_that_decides_is_what_the_kept_games_say():
    peers = load("peers")
    games = peers.kept()
    pages = {
        name: (peers.HERE / name).read_text(encoding="utf-8") for name in ("peers.md", "priors.md")
    }
    assert pages["peers.md"] == peers.page(games), "run python docs/peers.py"
    assert pages["priors.md"] == peers.with_tables(pages["priors.md"], games)


def test_a_table_pairs_by_seed_and_counts_only_games_that_ended():
    peers = load("peers")

    def game(method, seed, reward, library="bandstrap", state="done"):
        facts = {"data": "iris", "arms": 3, "features": 4, "library": library, "method": method}
        return {**facts, "seed": seed, "state": state, "reward per step": reward}

    games = peers.Games(
        [game("auto", 0, 0.8), game("auto", 1, 0.6), game("best", 0, 0.7), game("best", 1, 0.5),
         game("LinUCB", 0, 0.65, "river"), game("LinUCB", 1, 0.6, "river"),
         game("slow", 0, 0.9, "river", "stopped")]
    )  # fmt: skip
    assert games.best("iris", ours=False) == ("river", "LinUCB")
    assert games.best("iris", ours=True) == ("bandstrap", "best")
    row = peers.verdicts(games).splitlines()[-1]
    assert row.split(" | ")[1:5] == ["river LinUCB", ".625", ".700", "+.075 ± .075"]


def test_games_are_taken_in_place_of_earlier_ones_and_beside_others(tmp_path):
    peers = load("peers")
    kept = tmp_path / "games.parquet"
    for method, reward in (("auto", 0.5), ("LinUCB", 0.6), ("auto", 0.7)):
        game = {"data": "iris", "library": "x", "method": method, "seed": 0}
        file = tmp_path / "peers" / "game.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({**game, "reward per step": reward, "trace": [[9, 4.0]]}))
        peers.take(tmp_path, kept)
    rows = pq.read_table(kept).to_pylist()
    assert {row["method"]: row["reward per step"] for row in rows} == {"auto": 0.7, "LinUCB": 0.6}
    assert "trace" not in rows[0]


@pytest.mark.parametrize(
    ("rewards", "said", "answer"),
    [
        ([0.8, 0.81, 0.79], "more", "better with"),
        ([0.6, 0.61, 0.59], "less", "worse with"),
        ([0.7, 0.8, 0.6], "open", "neither better nor worse"),
        ([0.9], "1 set", "played on 1 set"),
    ],
)
def test_words_follow_from_intervals(rewards, said, answer):
    peers = load("peers")
    own, rival = peers.PAIRS[0][1:]
    facts = {"arms": 3, "features": 4, "library": "bandstrap", "seed": 0, "state": "done"}
    games = peers.Games(
        [
            {**facts, "data": str(place), "method": method, "reward per step": reward}
            for place, each in enumerate(rewards)
            for method, reward in ((own, each), (rival, 0.7))
        ]
    )
    line = next(row for row in peers.question(games).splitlines() if f"| `{rival}` |" in row)
    assert said in line.split(" | ")[3]
    sentence = peers.answer(games, "sampling", peers.ANSWERS[0][1])
    assert f"bootstrapping is {answer}" in sentence
    assert "not played with a network for each arm" in sentence
    assert "| bootstrap | not played | – |" in peers.question(games)
