"""Pages that scripts write say what the results say, and how to get them."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bandstrap.experiments.decisions import DECISIONS
from bandstrap.experiments.statements import ALIKE
from bandstrap.simulation.store.results import PROVENANCE
from pages import load


def results(folder, name, claims, **settings):
    """A folder as `bandstrap reproduce` leaves it, of one experiment."""
    (folder / name).mkdir(parents=True)
    given = {"quick": False, "runs": None, "policies": None, **settings}
    facts = json.dumps({"settings": given, "seed": 3}).encode()
    table = pa.table({"run": [0]}).replace_schema_metadata({PROVENANCE: facts})
    pq.write_table(table, folder / name / "results.parquet")
    (folder / "claims.json").write_text(json.dumps(claims))
    return folder


def claim(name, verdict, evidence="1 * 2_3 | <b>"):
    return {"id": name, "claim": "a < b", "verdict": verdict, "evidence": evidence}


def test_claims(tmp_path):
    first = [
        claim("C9", "reproduced", "this: holds (5; all)\nthat: fails"),
        claim("C10", "not reproduced"),
    ]
    second = [claim("C8-k5", "reproduced"), claim("C8", "not decidable at this size")]
    folders = [
        results(tmp_path / "a", "figure2-covtype", first, runs=5, policies=["wb-log", "eg-log"]),
        results(tmp_path / "b", "figure1", second, quick=True),
    ]
    load("claims").main(folders, tmp_path)
    page = (tmp_path / "claims.md").read_text(encoding="utf-8")
    assert "**2 reproduced, " in page
    assert "bandstrap reproduce figure2-covtype --runs 5 --policies wb-log,eg-log --seed 3" in page
    assert "bandstrap reproduce figure1 --quick --seed 3" in page
    assert f"within {ALIKE:g} of zero" in page
    assert all(f"| {what} |" in page for what in DECISIONS)
    headings = [line for line in page.splitlines() if line.startswith("## C")]
    assert headings == [
        "## C8-k5: ✓ reproduced",
        "## C8: ? not decidable at this size",
        "## C9: ✓ reproduced",
        "## C10: ✗ not reproduced",
    ]
    assert r"**Found.** 1 \* 2\_3 \| \<b>" in page
    assert "**Found.**\n\n- this: holds (5; all)\n- that: fails\n" in page


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
