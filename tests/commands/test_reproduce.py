"""`bandstrap reproduce`: the files it writes, the claims, and what a second call does."""

import io
import json
import re
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from bandstrap.commands.reproduce import claims_table
from bandstrap.errors import BandstrapError
from bandstrap.experiments import EXPERIMENTS, Claim, Settings, Verdict
from bandstrap.experiments.session import Session
from bandstrap.simulation.progress import Quiet
from called import called, failed, in_one_line

VERDICTS = {
    "reproduced",
    "reproduced in part",
    "not reproduced",
    "not decidable at this size",
}


SMALL = ("--quick", "--runs", "20", "--horizon", "200")


NAMES = ("figure1", "equivalence", "theorem1")


def files(directory):
    return {
        path.relative_to(directory): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in directory.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """A directory after one call, and what was in it."""
    out = tmp_path_factory.mktemp("cli") / "out"
    code, shown, said = called("reproduce", *NAMES, *SMALL, "--workers", "1", "--out", out)
    assert (code, said) == (0, "")  # no bar where there is no terminal
    return out, files(out), shown


def test_reproduce_writes_what_the_contract_says(reproduced):
    out, _, shown = reproduced
    assert {path.name for path in out.iterdir()} == {
        *NAMES, "batches", "claims.json", "report.html",
    }  # fmt: skip
    for name in NAMES:
        results = pq.read_table(out / name / "results.parquet")
        columns = ["experiment", "environment", "policy", "run", "round", "regret", "reward"]
        assert results.column_names == columns
        assert set(results["experiment"].to_pylist()) == {name}
        timings = pq.read_table(out / name / "timings.parquet")
        columns = ["experiment", "environment", "policy", "round", "decisions", "seconds"]
        assert timings.column_names == columns
        assert (out / name / "plot.png").read_bytes().startswith(b"\x89PNG")
        left = {path.name for path in (out / name).iterdir()}
        assert left == {"results.parquet", "timings.parquet", "plot.png"}
    figure = pq.read_table(out / "figure1" / "results.parquet")
    assert figure.schema.field("round").type == pa.int64()
    assert figure.schema.field("run").type == pa.int64()
    cells = set(zip(*(figure[c].to_pylist() for c in ("environment", "policy")), strict=True))
    environments = ("bernoulli", "truncated-normal", "beta", "triangular")
    policies = ("wb", "npb", "npb-binomial", "ts")
    assert cells == {(env, policy) for env in environments for policy in policies}
    assert set(figure["run"].to_pylist()) == set(range(20))
    assert max(figure["round"].to_pylist()) == 200
    assert f"report: {out / 'report.html'}\n" in shown


def test_claims_are_as_the_contract_says(reproduced):
    out, _, _ = reproduced
    claims = json.loads((out / "claims.json").read_text(encoding="utf-8"))
    theorem1 = {"C4", "C5", "C6", "C6-numbers"}
    assert {claim["id"] for claim in claims} == {"C8", "C1", "C2", "C3", *theorem1}
    for claim in claims:
        assert list(claim) == ["id", "claim", "verdict", "evidence"]
        assert claim["verdict"] in VERDICTS
        assert re.search(r"\d", claim["evidence"]), "evidence without a number"
    report = (out / "report.html").read_text(encoding="utf-8")
    assert report.count("data:image/png;base64,") == 2  # figure1 is drawn from its curves alone
    assert all(f'<td class="word">{claim["id"]}</td>' in report for claim in claims)


@pytest.mark.parametrize("width", [80, 160])
def test_claims_have_room_on_a_terminal(width):
    text = "a claim of the paper, in as many words as it takes to say it"
    found = "first [bold]: 0.1 in [0.0, 0.2]; second: " + "1.5 against 2.5 ms a round, " * 8
    console = Console(width=width, file=io.StringIO())
    console.print(claims_table([Claim("C13-mnist", text, Verdict.IN_PART, found)]))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) < (20 if width == 80 else 12)
    assert any("first [bold]: 0.1 in [0.0, 0.2];" in line for line in lines)  # taken literally


def test_a_second_call_computes_nothing_again(reproduced):
    out, before, _ = reproduced
    code, shown, said = called("reproduce", *NAMES, *SMALL, "--out", out, "--json")
    assert (code, said) == (0, "")
    after = files(out)
    assert after.keys() == before.keys()
    for path, (content, written) in before.items():
        if path.suffix == ".parquet":
            assert after[path] == (content, written)
        elif path.name != "report.html":  # which tells the command
            assert after[path][0] == content, path
    told = json.loads(shown)
    assert told["claims"] == json.loads((out / "claims.json").read_text(encoding="utf-8"))
    assert told["paths"]["experiments"] == {name: str(out / name) for name in NAMES}
    assert told["paths"]["report"] == str(out / "report.html")


def test_a_cut_results_file_is_named_and_nothing_else_lost(reproduced, tmp_path):
    out, _, _ = reproduced
    copy = tmp_path / "copy"
    shutil.copytree(out, copy)
    results = copy / "theorem1" / "results.parquet"
    results.write_bytes(results.read_bytes()[:-50])
    before = files(copy)
    said = in_one_line(failed("reproduce", "theorem1", *SMALL, "--out", copy))
    assert str(results) in said
    assert "delete it and run again" in said
    assert files(copy) == before
    results.unlink()
    session(copy, runs=20, horizon=200).run(EXPERIMENTS["theorem1"](), Quiet())
    assert results.read_bytes() == (out / "theorem1" / "results.parquet").read_bytes()


def session(out, **settings):
    return Session(out, Settings(quick=True, **settings))


def test_other_settings_are_not_mistaken_for_these(tmp_path):
    results = tmp_path / "theorem2" / "results.parquet"
    for horizon in (100, 150):
        session(tmp_path, runs=2, horizon=horizon).run(EXPERIMENTS["theorem2"](), Quiet())
        rounds = pq.read_table(results)["round"].to_numpy()
        assert rounds.max() == pytest.approx(horizon)


def test_a_policy_that_cannot_play_the_figure(tmp_path):
    wrong = ("--policies", "ts-dirichlet", "--workers", "2", "--out", tmp_path)
    assert "support" in in_one_line(failed("reproduce", "figure1", *SMALL, *wrong))


def test_theorem_2_at_a_small_horizon(tmp_path):
    claims = session(tmp_path, runs=5, horizon=200).run(EXPERIMENTS["theorem2"](), Quiet())
    assert [claim.id for claim in claims] == ["C7"]
    rounds = pq.read_table(tmp_path / "theorem2" / "results.parquet")["round"].to_numpy()
    assert rounds.max() == 200


def test_theorem_2_at_several_horizons(tmp_path):
    claims = session(tmp_path, runs=4, horizon=1500).run(EXPERIMENTS["theorem2"](), Quiet())
    assert [(claim.id, str(claim.verdict) in VERDICTS) for claim in claims] == [("C7", True)]


def test_a_policy_named_twice(tmp_path):
    """Refused, or drawn the same from a computation and from its stored results."""
    plot, drawn = tmp_path / "figure1-k2" / "plot.png", []
    for _ in range(2):
        try:
            twice = session(tmp_path, runs=5, horizon=30, policies=("wb", "wb"))
        except BandstrapError:
            return
        twice.run(EXPERIMENTS["figure1-k2"](), Quiet())
        drawn.append(plot.read_bytes())
    assert drawn[0] == drawn[1]
