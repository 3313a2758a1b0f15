"""The report of an evaluation in a real Chromium: on a desk and on a phone, by day and by night."""

from pathlib import Path

import pytest
import reports

from bandstrap import evaluate
from bandstrap.evaluation.answer import answer
from bandstrap.report import write_report
from bandstrap.report.evaluation import evaluation_report
from small_logs import log_of_arms

CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An answer with a verdict of each kind of tone, and where it is shown."""
    log = log_of_arms(1500, [0.2, 0.5, 0.6], [0.6, 0.39, 0.01])
    found = evaluate(log, ["uniform", "always=c", "always=a", "wb"])
    assert {each.verdict.word for each in found.targets} == {"trust", "with care", "cannot say"}
    out = tmp_path_factory.mktemp("evaluated") / "report.html"
    return found, write_report(evaluation_report(found, reports.RUN), out)


@pytest.fixture
def page(browser, made):
    browser.size(1280, 900)
    browser.prefers("light")
    browser.open(made[1])
    return browser


def test_the_answer_and_the_verdicts_come_first(page, made):
    assert page.run("document.querySelector('.sentence').textContent") == answer(made[0])
    shown = page.run("[...document.querySelectorAll('#answer .badge')].map((it) => it.textContent)")
    assert shown == [each.verdict.word for each in made[0].targets]
    order = "document.querySelector('.odd').compareDocumentPosition"
    table = "document.querySelector('#answer table')"
    assert page.run(f"{order}({table})") == 4  # diagnostics stand before the numbers


def test_charts_show_every_target(page, made):
    rows = "[...document.querySelectorAll('#estimates .name')].map((it) => it.textContent)"
    assert page.run(rows) == [each.label for each in made[0].targets]
    inside = """[...document.querySelectorAll('.track .range')].every((it) => {
      const box = it.getBoundingClientRect(), track = it.parentElement.getBoundingClientRect();
      return box.left >= track.left - 1 && box.right <= track.right + 1 && box.width > 0;
    })"""
    assert page.run(inside)
    assert page.run("document.querySelectorAll('#over-time path').length") == 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_runs_off_and_all_can_be_read(page, scheme, width):
    page.prefers(scheme)
    page.size(width, 800)
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run(CONTRAST) == []
