"""`bandstrap reproduce`: the files it writes, the claims, and what a second call does."""

import io
import json
import re
import shutil
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console, Group

from bandstrap import datasets
from bandstrap.commands.reproduce import Played, claim_lines, ranking_lines
from bandstrap.datasets import archives, sources
from bandstrap.errors import BandstrapError
from bandstrap.experiments import EXPERIMENTS, Claim, RunSize, Settings, Verdict, stand_in
from bandstrap.experiments.base import Statements
from bandstrap.experiments.figure2.readings import PLOTTED
from bandstrap.experiments.ranking import Ranking, Standing
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
        assert list(claim) == ["id", "claim", "verdict", "evidence", "statements", "stand_in"]
        assert sum(claim["statements"].values()) > 0
        assert claim["verdict"] in VERDICTS
        assert re.search(r"\d", claim["evidence"]), "evidence without a number"
    report = (out / "report.html").read_text(encoding="utf-8")
    assert report.count("data:image/png;base64,") == 2  # figure1 is drawn from its curves alone
    assert all(f'<td class="word">{claim["id"]}</td>' in report for claim in claims)


CLAIMS = [
    Claim(
        "C13-cost-mnist", "a claim [bold]", Verdict.IN_PART, "first: 0.1\nsecond", Statements(2, 1)
    ),
    Claim("C9", "an order", Verdict.REPRODUCED, "", Statements(hold=5)).played_on(
        "digits", "covtype"
    ),
]


def printed(*lines):
    console = Console(width=80, file=io.StringIO())
    console.print(Group(*lines), crop=False)
    return console.file.getvalue().splitlines()


def test_a_claim_is_one_line():
    kept = {"C9": replace(CLAIMS[0], id="C9", verdict=Verdict.NOT_REPRODUCED)}
    head, first, second, total = printed(*claim_lines(CLAIMS, kept))
    assert " ".join(head.split()) == "claim this run kept, full size hold fail open"
    assert " ".join(first.split()) == "C13-cost-mnist in part none 2 1 0"
    assert " ".join(second.split()) == "C9 open not reproduced 0 0 5 on digits"
    assert total == "2 of 8 statements hold, 1 fails, 5 open"
    assert max(map(len, (head, first, second))) <= 80
    assert "kept" not in printed(*claim_lines(CLAIMS, {}))[0]


def test_evidence_is_printed_on_demand_and_taken_literally():
    lines = printed(*claim_lines(CLAIMS[:1], {}, with_evidence=True))
    assert lines[2:5] == ["  a claim [bold]", "    first: 0.1", "    second"]


def test_no_claim_is_said():
    assert printed(*claim_lines([], {})) == ["These policies decide no claim of the paper."]


def test_rankings_have_a_line_for_each_environment_or_each_policy():
    standings = (
        Standing("wb", 105.234, 1.12, 1000.0),
        Standing("ts[red]", 106.0, float("nan"), 1000.0),
        Standing("npb", 99.5, 0.25, 60.0),
    )
    ranking = Ranking("beta", "regret", standings)
    assert printed(*ranking_lines(Played("Figure", [ranking]))) == [
        "Figure, regret after 1,000 rounds",
        "   1  wb       105.2 ± 1.1",
        "   2  ts[red]  106",
        "   3  npb      99.50 ± 0.25 (after 60 rounds)",
    ]
    other = replace(ranking, title="bernoulli", standings=standings[:2])
    assert printed(*ranking_lines(Played("Figure", [ranking, other])))[2] == (
        "  bernoulli  wb 105.2 ± 1.1, ts[red] 106"
    )
    assert ranking_lines(Played("Theorem 2", [])) == []


def test_the_terminal_has_a_line_for_each_claim(reproduced):
    out, _, shown = reproduced
    lines = shown.splitlines()
    claims = json.loads((out / "claims.json").read_text(encoding="utf-8"))
    for claim in claims:
        assert sum(line.split()[:1] == [claim["id"]] for line in lines) == 1
        assert claim["evidence"].splitlines()[0] not in shown
    total = sum(sum(claim["statements"].values()) for claim in claims)
    assert f" of {total} statements hold" in lines[-2]
    assert lines[0] == "Figure 1: regret with K = 10 arms, after 200 rounds"
    assert [line.split()[0] for line in lines[1:5]] == [
        *("bernoulli", "truncated-normal", "beta", "triangular"),
    ]


def test_evidence_on_the_terminal(reproduced):
    out, _, _ = reproduced
    _, shown, _ = called("reproduce", "theorem1", *SMALL, "--out", out, "--evidence")
    claims = json.loads((out / "claims.json").read_text(encoding="utf-8"))
    assert all(
        f"    {line}" in shown for claim in claims for line in claim["evidence"].splitlines()
    )


@pytest.fixture
def no_network(monkeypatch, tmp_path):
    shipped = sources.fetched

    def unreachable(entry, *_):
        if entry.name in sources.SHIPPED:
            return shipped(entry)
        raise OSError("no network here")

    monkeypatch.delenv("BANDSTRAP_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "fetched", unreachable)
    monkeypatch.setattr(archives, "downloaded", unreachable)
    datasets.forget()
    stand_in._reachable.cache_clear()
    yield
    stand_in._reachable.cache_clear()


@pytest.mark.usefixtures("no_network")
def test_a_short_run_is_one_report_of_all_claims(tmp_path):
    """Where the paper's data cannot be had, digits stand in, and everything says so."""
    short = ("--size", "short", "--runs", "2", "--horizon", "20", "--workers", "1")
    with pytest.warns(UserWarning, match="digits stand in for ") as warned:
        code, shown, said = called("reproduce", *short, "--out", tmp_path / "out")
    assert (code, len(warned)) == (0, 2), said
    lines = shown.splitlines()
    assert len(lines) <= 120
    claims = json.loads((tmp_path / "out" / "claims.json").read_text(encoding="utf-8"))
    both = [f"{name}{end}" for name in ("C12", "C13", "C13-cost", "C14") for end in ("", "-mnist")]
    contexts = {"C9", "C10", "C11", *both}
    others = {*(f"C{i}" for i in range(1, 9)), "C6-numbers", "C8-k5", "C8-k2"}
    assert {claim["id"] for claim in claims} == contexts | others
    found = {line.split()[0]: line for line in lines if line.split()}
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for claim in claims:
        on_digits = claim["id"] in contexts
        assert (claim["stand_in"] == "digits") == on_digits
        assert found[claim["id"]].endswith("  on digits") == on_digits
    for title in ("CovType", "MNIST"):
        told = f"reward per step on {title} (played on digits in its place)"
        assert shown.count(told) == 1
        assert f"<h3>Figure 2 ({'ab'[title == 'MNIST']}): {told}</h3>" in report
    last = {}
    for name in ("figure2-covtype", "figure2-mnist"):
        rows = pq.read_table(tmp_path / "out" / name / "results.parquet").to_pylist()
        last |= {(name, row["policy"]): row["round"] for row in rows}
    assert set(last.values()) == {20}, "every curve over all rounds"
    assert {policy for _, policy in last} == {*PLOTTED}


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
    assert told["statements"] == {
        name: sum(claim["statements"][name] for claim in told["claims"])
        for name in ("hold", "fail", "open")
    }
    assert {each["title"] for each in told["rankings"]["figure1"]} >= {"bernoulli", "beta"}
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
    return Session(out, Settings(RunSize.QUICK, **settings))


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
