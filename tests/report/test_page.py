"""The report in a real Chromium: what a reader sees, clicks, hears and prints."""

import json
import re
from pathlib import Path

import pytest
import reports

CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
LATE = 1000  # ms: a first paint later than this is slow


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return reports.make(tmp_path_factory.mktemp("page"))


@pytest.fixture
def page(browser, path):
    """The report, freshly opened on a light desktop."""
    browser.size(1280, 900)
    browser.prefers("light")
    browser.open(path)
    return browser


@pytest.fixture(scope="module")
def numbers(path):
    return {name: reports.expected(path.parent, name) for name in reports.NAMES[:2]}


def matches(shown, mean, error):
    """Whether `mean ± error` as shown is what was measured, to the last digit shown."""
    for text, value in zip(shown.replace(",", "").split(" ± "), (mean, error), strict=True):
        places = len(text.partition(".")[2])
        assert abs(float(text) - value) <= 0.5000001 * 10**-places, (shown, mean, error)
    return True


def ranking(page, figure, panel=0):
    """Rows of a panel's table: rank, policy with a remark, and a value for each measure."""
    return page.run(
        f"[...document.querySelectorAll('#{figure} .panel')[{panel}].querySelectorAll('tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )


# How many pixels of the first chart have a curve's colour.
INK = """((name) => {
  const canvas = document.querySelector('#figure1 canvas');
  const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let found = 0;
  const near = (a, b) => Math.abs(a - b) < 25;  // the edges of lines are softened
  for (let i = 0; i < all.length; i += 4)
    found += near(all[i], r) && near(all[i + 1], g) && near(all[i + 2], b)
      && all[i + 3] > 128;
  return found;
})"""


def ink(page, colour):
    return page.run(f"{INK}('{colour}')")


def drawn(page, colour):
    """Waits until a curve is there in its colour of the day or the night."""
    page.until(f"{INK}('{colour}') > 100")


def settled(page):
    """After what was asked to be drawn has been drawn."""
    page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def test_opens_clean_and_soon(page, path):
    kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
    assert [each for each in page.events if each["method"] in kinds] == []
    asked = [e["params"]["request"]["url"] for e in page.events if "WillBeSent" in e["method"]]
    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]
    # Other tests share the machine: where it is busy, the page's own work counts, not the wait.
    page.until("performance.getEntriesByType('paint').length")
    paint = page.run("performance.getEntriesByType('paint')[0].startTime")
    assert min(paint, page.busy()) < LATE
    assert page.run("document.documentElement.lang") == "en"
    text = page.run("document.body.innerText")
    assert "2 of 6 statements hold." in text
    assert "12 min 34 s" in text
    order = "[...document.querySelectorAll('main > section')].map((each) => each.id)"
    assert page.run(order) == ["answer", "figures", "tables", "run", "notes"]


def test_curves_are_hidden_by_mouse_and_by_keyboard(page):
    button = "#figure1 tr[data-policy=wb] button"
    drawn = ink(page, "--c0")
    assert drawn > 100
    page.click(button)
    settled(page)
    assert ink(page, "--c0") == 0
    assert page.run(f"document.querySelector('{button}').ariaPressed") == "false"
    page.run(f"document.querySelector('{button}').focus()")
    page.key("Enter", 13, "\r")
    page.run("document.activeElement.blur()")
    page.mouse(5, 5)
    settled(page)
    assert ink(page, "--c0") == drawn
    page.click("#figure1 .all")
    settled(page)
    assert [ink(page, f"--c{number}") for number in range(3)] == [0, 0, 0]
    assert len(ranking(page, "figure1", 1)) == 3


def test_the_slider_ranks_by_the_results(page, numbers):
    page.run("document.querySelector('#figure1 input').focus()")
    page.key("Home", 36)
    for _ in range(40):
        page.key("ArrowRight", 39)
    shown = page.run("document.querySelector('#figure1 output').textContent")
    for panel, environment in enumerate(("bernoulli", "beta")):
        rows = ranking(page, "figure1", panel)
        found = {name: numbers["figure1"][environment, name, int(shown)] for _, name, *_ in rows}
        assert [row[1] for row in rows] == sorted(found, key=lambda name: found[name]["regret"])
        assert [row[0] for row in rows] == ["1", "2", "3"]
        for _, name, regret, reward in rows:
            assert matches(regret, *found[name]["regret"])
            assert matches(reward, *found[name]["reward"])
    assert page.run("document.activeElement.getAttribute('aria-valuetext')") == f"round {shown}"


def test_policies_that_ended_early_are_not_ranked(page, numbers):
    rows = ranking(page, "figure2-covtype")
    last = max(t for _, name, t in numbers["figure2-covtype"] if name == "wb-nn")
    assert [row[:2] for row in rows] == [["1", "wb-log"], ["", f"wb-nn ended {last}"]]
    assert matches(rows[1][2], *numbers["figure2-covtype"]["digits", "wb-nn", last]["reward"])


def test_hovering_tells_values_and_clicking_moves_the_slider(page, numbers):
    x, y = page.run(
        "(() => { const over = document.querySelector('#figure1 .u-over');"
        "over.scrollIntoView({block: 'center', behavior: 'instant'});"
        "const b = over.getBoundingClientRect();"
        "return [b.x + b.width / 3, b.y + b.height / 2] })()"
    )
    page.mouse(x, y)
    page.until("document.querySelector('#figure1 .tip.on')")
    lines = page.run(
        "[...document.querySelector('#figure1 .tip').children].map((e) => e.innerText.trim())"
    )
    round_ = int(re.sub(r"\D", "", lines[0]))
    assert 200 < round_ < 500
    assert len(lines) == 4
    for line in lines[1:]:
        name, value = line.split("\n")
        assert matches(value, *numbers["figure1"]["bernoulli", name, round_]["regret"])
    page.click("#figure1 .u-over")
    page.until("+document.querySelector('#figure1 input').value < 99")
    assert "1,000" not in page.run("document.querySelector('#figure1 output').textContent")


def test_measures_and_axes_change(page, numbers):
    def drawing():
        settled(page)
        return page.run("document.querySelector('#figure1 canvas').toDataURL()")

    seen = {drawing()}
    for control in ("[data-measure=reward]", "[data-axis=x]", "[data-axis=y]"):
        page.click(f"#figure1 {control}")
        seen.add(drawing())
        assert page.run(f"document.querySelector('#figure1 {control}').ariaPressed") == "true"
    assert len(seen) == 4
    found = {name: numbers["figure1"]["bernoulli", name, 1000] for name in ("wb", "npb", "ts")}
    best = sorted(found, key=lambda name: -found[name]["reward"][0])
    assert [row[1] for row in ranking(page, "figure1")] == best


def test_tables_sort(page, numbers):
    def column(table, place):
        return page.run(
            f"[...document.querySelector('{table}').tBodies[0].rows]"
            f".map((row) => row.cells[{place}].innerText)"
        )

    assert column("#answer table", 0) == ["C10", "C2", "C8"]
    page.click("#answer th:nth-child(1) button")
    assert column("#answer table", 0) == ["C2", "C8", "C10"]
    page.click("#answer th:nth-child(2) button")
    verdicts = ["reproduced", "not reproduced", "not decidable at this size"]
    assert column("#answer table", 1) == verdicts
    page.click("#answer th:nth-child(2) button")
    assert column("#answer table", 1) == verdicts[::-1]
    page.click("#values th:nth-child(6) button")
    shown = [float(text.split(" ± ")[0].replace(",", "")) for text in column("#values", 5)]
    assert shown == sorted(shown)
    assert page.run("document.querySelector('#values [aria-sort]').innerText") == "Regret"
    page.click("#values th:nth-child(8) button")
    sizes = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3}
    costs = [float(t.split()[0]) * sizes[t.split()[1]] for t in column("#values", 7)]
    assert costs == sorted(costs)
    assert len(costs) == 9


def test_contrast_in_light_and_dark_and_the_switch(page):
    def back():
        return page.run("getComputedStyle(document.body).backgroundColor")

    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert page.run(CONTRAST) == []
    light = back()
    page.prefers("dark")
    settled(page)
    dark = back()
    assert dark != light
    assert page.run(CONTRAST) == []
    drawn(page, "--c0")  # in the colours of the dark
    page.click("#theme")
    assert (back(), page.run("document.getElementById('theme').ariaLabel")) == (
        light,
        "Colours: light",
    )
    page.prefers("light")
    page.click("#theme")
    assert back() == dark
    assert page.run(CONTRAST) == []


def test_every_control_is_reached_by_tab_and_shows_it(page):
    controls = "a[href], button, input, summary, [tabindex='0']"
    count = page.run(
        "(() => { const all = [...document.querySelectorAll(" + json.dumps(controls) + ")];"
        "all.forEach((each, place) => { each.dataset.place = place }); return all.length })()"
    )
    assert count > 40
    reached = []
    for _ in range(count):
        page.key("Tab", 9)
        reached.append(
            page.run(
                "(() => { const e = document.activeElement;"
                "return [+e.dataset.place, getComputedStyle(e).outlineStyle] })()"
            )
        )
    assert [place for place, _ in reached] == list(range(count)), "each once, in reading order"
    assert {outline for _, outline in reached} == {"solid"}


@pytest.mark.parametrize("width", [360, 390, 768])
def test_nothing_makes_the_page_scroll_sideways(page, width):
    page.size(width, 800)
    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    settled(page)
    page.until(f"document.querySelector('#figure1 canvas').clientWidth < {width}")
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("document.querySelector('#figure1 .tip').offsetWidth") < width
    heights = page.run("[...document.querySelectorAll('#values td')].map((td) => td.clientHeight)")
    assert max(heights) < 50, "names of policies stay on one line"


def test_print_shows_every_curve_and_no_controls(page):
    page.prefers("dark")
    page.click("#figure1 .all")
    pdf = page.call("Page.printToPDF", printBackground=True)["data"]
    assert pdf.startswith("JVBER")
    settled(page)
    assert ink(page, "--c0") > 100, "printing shows what was hidden"
    page.call("Emulation.setEmulatedMedia", media="print")
    page.size(718, 1000)  # A4 less its margins
    page.run("dispatchEvent(new Event('beforeprint'))")
    settled(page)
    assert page.run("document.documentElement.scrollWidth") <= 718
    for gone in ("header", ".controls", ".bar button"):
        assert not page.run(f"document.querySelector('{gone}').checkVisibility()")
    assert page.run("[...document.querySelectorAll('details')].every((each) => each.open)")
    assert page.run("getComputedStyle(document.body).color") == "rgb(29, 32, 37)"
    page.run("dispatchEvent(new Event('afterprint'))")
    page.call("Emulation.setEmulatedMedia", media="")
