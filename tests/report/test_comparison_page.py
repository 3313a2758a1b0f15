"""The report of a comparison in a real Chromium: on a desk and on a phone, by day and by night."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reports

from bandstrap import compare
from bandstrap.report import write_report
from bandstrap.report.comparison import comparison_report

CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Findings, code and a ranking, and where they are shown."""
    x = np.random.default_rng(0).standard_normal(60)
    table = pd.DataFrame({"x": x, "result": np.where(x > 0, "won", "lost"), "y": x > 0})
    out = tmp_path_factory.mktemp("compared")
    found = compare(table, label="y", policies="eg-lin,ts-laplace", rounds=40, runs=2, out=out)
    assert found.findings
    return found, write_report(comparison_report(found, reports.RUN), out / "report.html")


@pytest.fixture
def page(browser, made):
    browser.size(1280, 900)
    browser.prefers("light")
    browser.open(made[1])
    return browser


def test_code_is_copied_by_a_button(page, made):
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click("#answer .copy")
    page.until("document.querySelector('#answer .copy').textContent === 'Copied'")
    assert page.run("copied") == made[0].code


def test_where_the_clipboard_is_closed_code_is_selected(page, made):
    page.run("navigator.clipboard.writeText = async () => { throw new Error('closed'); }")
    page.click("#answer .copy")
    page.until("document.querySelector('#answer .copy').textContent !== 'Copy'")
    assert page.run("String(getSelection())").strip() == made[0].code.strip()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_runs_off_a_phone(page, scheme):
    page.prefers(scheme)
    page.size(390, 800)
    page.until("document.querySelector('canvas').clientWidth < 390")
    assert page.run("document.documentElement.scrollWidth") <= 390
    inside = "[...document.querySelectorAll('pre, #answer .wide')]"
    assert page.run(f"{inside}.every((each) => each.scrollWidth <= each.clientWidth)")
    assert page.run(CONTRAST) == []


def test_every_name_is_explained_where_it_stands(page, made):
    named = "[...document.querySelectorAll('#answer td.explained')].map((td) => td.innerText)"
    shown = page.run(named)
    for policy, what in made[0].about.items():
        assert f"{policy}\n{what}" in shown
