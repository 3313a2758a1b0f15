"""What a report holds, without a browser."""

import json
import re

import pytest
import reports

from bandstrap.comparison import Comparison
from bandstrap.comparison.checks import Finding
from bandstrap.comparison.ranking import gap, ranked
from bandstrap.errors import OutputError
from bandstrap.report import write_report
from bandstrap.report.comparison import comparison_report
from bandstrap.report.curves import Curve, Estimate
from bandstrap.report.page import looks, page
from bandstrap.report.report import Panel


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = reports.make(tmp_path_factory.mktemp("report"))
    return path, path.read_text(encoding="utf-8")


def data_of(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def test_numbers_are_those_of_the_results(made):
    path, text = made
    data = data_of(text)
    assert [figure["id"] for figure in data["figures"]] == ["figure1", "figure2-covtype"]
    assert len(data["curves"]) == 9, "each curve once, although panels share some"
    for curve in data["curves"]:
        expected = reports.expected(path.parent, curve["experiment"])
        for place, round_ in enumerate(curve["rounds"]):
            values = expected[curve["environment"], curve["policy"], round_]
            for name, (mean, error) in values.items():
                assert curve[name]["mean"][place] == pytest.approx(mean, rel=1e-12, abs=1e-12)
                assert curve[name]["error"][place] == pytest.approx(error, rel=1e-9, abs=1e-9)


def test_one_file_that_asks_for_nothing(made):
    path, text = made
    assert path.stat().st_size < 5_000_000
    sources = re.findall(r"(?:src|href)=\"([^\"#]+)", text)
    assert sources
    assert all(source.startswith("data:") for source in sources), sources
    assert "@import" not in text
    assert "Copyright (c) 2022 Leon Sorokin" in text, "uPlot's licence goes with its copy"
    assert "bandstrap reproduce figure1 --out &lt;results&gt;" in text
    assert "the tenth &lt;of&gt; these" in text


def test_names_cannot_end_the_data(made):
    path, _ = made
    report = reports.report(path.parent, reports.NAMES, reports.CLAIMS)
    figure = report.figures[0]
    evil = Panel("</script><b>", figure.panels[0].curves)
    changed = report.__class__(**{**vars(report), "figures": (_with(figure, evil),)})
    text = write_report(changed, path.with_name("evil.html")).read_text(encoding="utf-8")
    assert data_of(text)["figures"][0]["panels"][0]["title"] == "</script><b>"


def _with(figure, panel):
    return figure.__class__(**{**vars(figure), "panels": (panel,)})


def test_a_policy_looks_alike_everywhere_and_like_no_other_beside_it():
    def panel(*names):
        return Panel("", tuple(Curve("", "", name, 1, None, {}, 0.0) for name in names))

    panels = [panel("a", "b", "c"), panel("c", "d", "e"), panel("f", "a", "g")]
    found = looks(panels)
    assert (found["a"], found["b"], found["c"]) == (0, 1, 2)
    for each in panels:
        assert len({found[curve.policy] for curve in each.curves}) == 3
    assert max(found.values()) < 4, "few looks are the easiest to tell apart"


def test_one_run_has_no_error_and_two_have():
    runs = reports.np.array([[1.0, 2.0], [3.0, 6.0]])
    assert Estimate.of(runs).error.tolist() == pytest.approx([1.0, 2.0])
    assert reports.np.isnan(Estimate.of(runs[:1]).error).all()


def test_no_claims_and_a_directory_that_is_not_there(made):
    path, _ = made
    report = reports.report(path.parent, ["theorem1"], [])
    assert "decide no claim" in report.answer.sentence
    with pytest.raises(OutputError, match="choose another --out"):
        write_report(report, path.parent / "missing" / "report.html")


def test_a_comparison_says_what_to_use_first(made):
    path, _ = made
    traces = reports.traces(path.parent, "figure2-covtype")[:2]
    ranking = ranked(list(traces))
    found = Comparison(
        "flowers.csv", 2000, 3, 7, ranking, {"best arm": 0.3}, gap(*traces), "wb-log",
        ("Use wb-log: it is cheap.",), "bandit = Bandit(policy)",
        ("90 rows read", "age: a number"), None, tuple(traces),
        (Finding("leak", ("age",), "age: alone <gives> the label away"),),
        {"wb-log": "What wb-log is.", "eg-log": "What eg-log is."}, {"logistic": 0.8}, None,
    )  # fmt: skip
    text = page(comparison_report(found, reports.RUN))
    shown = [
        "Use wb-log.", "What is odd about flowers.csv", "age: alone &lt;gives&gt; the label away",
        "It is cheap.", "bandit = Bandit(policy)", "<b>best arm</b>", "<b>told all: logistic</b>",
    ]  # fmt: skip
    assert sorted(shown, key=text.index) == shown
    for name, what in found.about.items():
        assert f"<b>{name}</b><small>{what}</small>" in text
    assert '<dd class="alone">90 rows read</dd><dt>age</dt><dd>a number</dd>' in text
    curves = {curve["policy"]: curve for curve in data_of(text)["curves"]}
    for standing in ranking:
        assert f'data-sort="{standing.reward.low!r}">{standing.reward.low:.4g} to ' in text
        assert f">{standing.cost:,.0f} µs</td>" in text
        assert curves[standing.policy]["cost"] == pytest.approx(1e-6 * standing.cost)
        assert curves[standing.policy]["reward"]["mean"][-1] == pytest.approx(standing.reward.mean)
