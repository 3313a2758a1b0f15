"""Axes of any numbers, of none, and of a single round: the page never stops to answer."""

import numpy as np
import pytest
import reports

from bandstrap.report import write_report
from bandstrap.report.curves import REGRET, REWARD, Curve, Estimate
from bandstrap.report.report import Answer, Figure, Panel, Report, Table

SLOW = 500  # ms of the page's own work for one click
ROUNDS = np.unique(np.geomspace(1, 1000, 40).astype(np.int64))
SHARE = np.linspace(0.0, 1.0, ROUNDS.size)
ODD = {
    "zeros": (0.0, 0.0),
    "alike": (1 / 3, 1 / 3),
    "negative": (-1.0, -SHARE),
    "nothing": (np.nan, np.nan),
    "neighbours": (1e10, np.nextafter(1e10, 2e10)),  # no number lies between them
    "huge": (1e100, 1e100 * SHARE),
    "largest": (1e308, 1.7e308 * SHARE),
    "tiny": (1e-310, 1e-310 * SHARE),
    "wide": (1e-90, 10.0 ** (100 * SHARE)),
}
# In any order in which a reader may press them: curves come and go on axes of both kinds.
CLICKS = ("[data-axis=y]", ".all", ".all", "[data-measure=reward]", ".all", "[data-axis=x]",
          "[data-axis=y]", ".all", "[data-axis=y]")  # fmt: skip


def figure(name, rounds, values):
    curves = tuple(
        Curve(name, "world", f"policy {place}", 1, rounds, _estimates(rounds, each), 1e-6)
        for place, each in enumerate(values)
    )
    return Figure(name, name, (Panel(name, curves),), (REGRET, REWARD))


def _estimates(rounds, values):
    mean = np.broadcast_to(np.asarray(values, dtype=float), rounds.shape)
    unknown = np.full(rounds.size, np.nan)
    return {key: Estimate(mean, unknown) for key in (REGRET.key, REWARD.key)}


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A figure for each kind of odd numbers, and one of a single round."""
    figures = [figure(name, ROUNDS, values) for name, values in ODD.items()]
    figures.append(figure("one", ROUNDS[:1], (0.3, 0.4)))
    report = Report("odd", Answer("Odd.", Table("", (), ())), tuple(figures), reports.RUN)
    return write_report(report, tmp_path_factory.mktemp("odd") / "report.html")


@pytest.fixture
def opened(browser, odd):
    browser.size(1280, 900)
    browser.open(odd)
    return browser


def quickly(page, selector):
    """Click, and see that what follows is soon done."""
    before = page.busy()
    page.click(selector)
    page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert page.busy() - before < SLOW, selector


def faults(page):
    return [each for each in page.events if each["method"] == "Runtime.exceptionThrown"]


def ink(page, name):
    """How many pixels of a chart are drawn in a curve's colours, which are no greys."""
    return page.run(
        f"""(() => {{
          const canvas = document.querySelector('#{name} canvas');
          const all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
          let found = 0;
          for (let i = 0; i < all.length; i += 4)
            found += all[i + 3] > 128 && Math.abs(all[i] - all[i + 2]) > 60;
          return found;
        }})()"""
    )


@pytest.mark.parametrize("name", ["figure1", "figure2-covtype"])
def test_everything_is_hidden_and_shown_on_a_logarithmic_axis(browser, tmp_path, name):
    browser.size(1280, 900)
    browser.open(reports.make(tmp_path))
    for click in CLICKS:
        quickly(browser, f"#{name} {click}")
    for _ in range(2):
        quickly(browser, f"#{name} .panel:last-child .all")
    assert faults(browser) == []


@pytest.mark.parametrize("name", [*ODD, "one"])
def test_odd_numbers_have_axes(opened, name):
    for click in CLICKS:
        quickly(opened, f"#{name} {click}")
    assert faults(opened) == []


@pytest.mark.parametrize("name", ["alike", "neighbours", "huge", "wide", "one"])
def test_odd_numbers_are_drawn(opened, name):
    assert ink(opened, name) > 20
    quickly(opened, f"#{name} [data-axis=y]")
    assert ink(opened, name) > 20


def test_a_logarithmic_axis_has_few_lines_and_only_between_its_ends(opened):
    def lines(low, high):
        return opened.run(f"logSplits({low}, {high})")

    assert lines(1, 100) == [1, 2, 5, 10, 20, 50, 100]
    assert lines(0.03, 8) == [0.05, 0.1, 0.2, 0.5, 1, 2, 5]
    many = lines("1e-90", "1e100")
    assert 5 < len(many) < 12
    assert many == sorted(many)
    for nothing in (("0", 1), (1, "Infinity"), ("NaN", "NaN"), ("-1", 1), ("null", "null")):
        assert lines(*nothing) == []
