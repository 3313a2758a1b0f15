"""The service's page in a real Chromium: what is seen, said, typed and asked for."""

import json
import re

import pytest
from statuses import NOW, empty, full

from bandstrap.service.page import page_html, page_policy
from pages import ROOT

CONTRAST = (ROOT / "tests" / "report" / "contrast.js").read_text(encoding="utf-8")
STATE = "document.getElementById('state').dataset.is"
TEXT = "document.body.innerText"
EVIL = '<img src=x onerror="window.harm=1">\u202e\x07'


@pytest.fixture
def page(browser, server):
    """The page, freshly opened on a light desktop, with data."""
    server.statuses = {"news": full(), "fresh": empty()}
    server.key = server.broken = None
    browser.size(1280, 900)
    browser.prefers("light")
    opened(browser, server)
    return browser


def opened(browser, server, query=""):
    browser.go(server.url)
    browser.run("sessionStorage.clear()")
    browser.go(server.url + query)
    if not server.key and not server.broken:
        browser.until("document.documentElement.dataset.drawn")
    server.asked.clear()


def text(page, selector):
    return page.run(f"document.querySelector({json.dumps(selector)}).innerText")


def poll(page):
    """Ask now instead of in three seconds, and wait until that is done."""
    page.run("(async () => { clearTimeout(live.timer); await live.poll() })()")


def test_what_is_shown_is_what_the_status_says(page, server):
    kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
    assert [each for each in page.events if each["method"] in kinds] == []
    assert text(page, "#sentence") == "wb-log earns 0.0834 more a decision than moon landing."
    assert "+0.0834 (+0.0310 to +0.1360)" in text(page, "#lift")
    facts = text(page, "#facts")
    for shown in ("wb-log", "version 12,044", "online", "12,355", "311", "2,871", "12 came too"):
        assert shown in facts
    assert "old story: its draws are the same" in text(page, "#warnings")
    row = page.run(
        "[...document.querySelector('#arms tbody').rows[1].cells].map((e) => e.innerText)"
    )
    shown = ["cup final", "7,901", "65.6%", "7,901", "0.2810", "0.2620 to 0.3010", "active"]
    assert row == shown
    health = text(page, "#health")
    for shown in ("0.0201", "7,212, 60% of decisions", "1.004 ± 0.012", "agree", "14 s", "76.2%"):
        assert shown in health
    candidates = text(page, "#candidates")
    for shown in (
        "about 4,210 more decisions",
        "above 0.0050: it is above.",
        "it is not on its way",
    ):
        assert shown in candidates
    assert "0.2000 (0.1200 to 0.3300)" in text(page, "#guardrails")
    assert "was stopped by a guardrail" in text(page, "#events li")  # the newest first
    assert "did not answer for 2 s" in text(page, "#errors")
    assert "cup final\n75.0%" in text(page, "#traffic .legend")
    label = page.run("document.querySelector('#reward .chart').ariaLabel")
    assert "all decisions 0.3127 (0.2727 to 0.3527)" in label


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"lift": {**full()["lift"], "low": -0.01}}, "Whether wb-log earns more than moon landing"),
        ({"lift": {**full()["lift"], "low": -0.2, "high": -0.1}}, "earns 0.0834 less a decision"),
        ({"lift": None}, "there is no control to compare it with"),
        ({"lift": {**full()["lift"], "value": None}}, "Nothing can be said yet of wb-log"),
        ({"mode": "logging"}, "Your rule decides"),
        ({"decisions": 311}, "Decisions wait for their windows"),
        ({"policy": "linear", "described": "ts-lin"}, "linear earns 0.0834 more a decision"),
    ],
)
def test_the_sentence_claims_no_more_than_the_interval(page, server, changes, said):
    server.statuses["news"] = full(**changes)
    poll(page)
    assert said in text(page, "#sentence")


def test_new_numbers_come_without_anything_being_made_anew(page, server):
    some = (
        "['#traffic canvas', '#arms tr', '#events li'].map((each) => document.querySelector(each))"
    )
    page.run(f"window.kept = {some}")
    page.run("document.querySelector('#arms .wide').focus()")
    drawing = "document.querySelector('#traffic canvas').toDataURL()"
    before = page.run(drawing)
    poll(page)
    same = f"{some}.map((each, at) => each === kept[at])"
    assert page.run(same) == [True, True, True]
    changed = full(decisions=12_500)
    changed["traffic"]["shares"]["cup final"] = [0.5] * 60
    server.statuses["news"] = changed
    poll(page)
    page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert page.run(same) == [True, True, True], "the chart is the same and has other numbers"
    assert page.run(drawing) != before
    assert "12,500" in text(page, "#facts")
    assert page.run("document.activeElement.ariaLabel") == "Arms", "the focus stays"


def test_it_asks_every_few_seconds_and_only_its_own_server(page, server):
    page.until("performance.now() > 3500")
    assert server.asked[:2] == ["/v1/experiments", "/v1/experiments/news"]
    asked = [
        e["params"]["request"]["url"]
        for e in page.events
        if e["method"] == "Network.requestWillBeSent"
    ]
    assert all(url.startswith((server.url, "data:")) for url in asked)


def test_a_server_that_is_away_is_said_and_since_when(page, server):
    server.broken = 503
    poll(page)
    assert page.run(STATE) == "away"
    since = re.search(r"Away since (\d\d:\d\d:\d\d)", text(page, "#state"))[1]
    said = f"The server answers 503 since {since}; what you see is from then."
    assert text(page, "#away") == said
    assert "12,355" in text(page, "#facts"), "what was known stays"
    page.run("new Promise((done) => setTimeout(done, 1100))")
    poll(page)
    assert since in text(page, "#away"), "since when, not until when"
    server.broken = None
    poll(page)
    assert (page.run(STATE), page.run("document.getElementById('away').hidden")) == ("live", True)


def test_nobody_there_at_all(page):
    page.call("Network.emulateNetworkConditions", offline=True, latency=0,
              downloadThroughput=-1, uploadThroughput=-1)  # fmt: skip
    poll(page)
    page.call("Network.emulateNetworkConditions", offline=False, latency=0,
              downloadThroughput=-1, uploadThroughput=-1)  # fmt: skip
    assert page.run(STATE) == "away"
    assert "The server has not answered since" in text(page, "#away")


def test_a_key_is_asked_for_once_and_kept_in_the_session(page, server):
    server.key = "se<cret"
    opened(page, server)
    page.until("document.getElementById('ask').open")
    assert page.run("document.activeElement.name") == "key"
    page.call("Input.insertText", text="wrong")
    page.key("Enter", 13, "\r")
    page.until("document.getElementById('ask-why').innerText.includes('not accepted')")
    page.run("document.activeElement.select()")
    page.call("Input.insertText", text="se<cret")
    page.key("Enter", 13, "\r")
    page.until("document.documentElement.dataset.drawn")
    assert not page.run("document.getElementById('ask').open")
    page.go(server.url)
    page.until("document.documentElement.dataset.drawn")
    assert page.run("[localStorage.length, sessionStorage.length]") == [0, 1]
    assert "se<cret" not in page.run("document.documentElement.outerHTML")


def test_who_has_no_key_may_close_the_question_and_ask_for_it_again(page, server):
    server.key = "secret"
    opened(page, server)
    page.until("document.getElementById('ask').open")
    page.key("Escape", 27)
    page.until("!document.getElementById('ask').open")
    assert page.run(STATE) == "locked"
    page.click("#key")
    page.until("document.getElementById('ask').open")


def test_no_name_becomes_html(page, server):
    evil = full(EVIL, policy=EVIL, described=EVIL, warnings=[EVIL])
    for rows in ("arms", "candidates", "guardrails", "events", "errors"):
        for row in evil[rows]:
            row.update({key: EVIL for key, value in row.items() if isinstance(value, str)})
    evil["traffic"]["shares"] = {EVIL: [1.0] * 60}
    evil["lift"]["over"] = EVIL
    server.statuses = {EVIL: evil}
    opened(page, server)
    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    poll(page)
    assert page.run("[document.images.length, window.harm ?? null]") == [0, None]
    shown = page.run(TEXT)
    assert shown.count("<img src=x") > 15
    assert "\u202e" not in shown
    assert "\\u202e" in shown


def test_a_status_with_parts_missing_is_shown_as_far_as_it_goes(page, server):
    server.statuses = {"half": {"experiment": "half", "mode": "online"}}
    opened(page, server)
    assert "half" in text(page, "#running")
    assert page.run(STATE) == "live"


def test_an_experiment_without_decisions_says_how_to_begin(page, server):
    opened(page, server, "?experiment=fresh")
    assert f"curl -X POST {server.url}v1/experiments/fresh/decisions" in text(page, "#first")
    assert "No reward has been learnt yet." in text(page, "#reward")
    page.run("document.getElementById('experiment').focus()")
    page.key("ArrowUp", 38)
    page.until("document.getElementById('running').innerText.startsWith('news')")
    assert page.run("location.search") == "?experiment=news"
    page.run("history.back()")
    page.until("document.getElementById('running').innerText.startsWith('fresh')")


def test_contrast_in_light_and_dark(page, server):
    for scheme in ("light", "dark"):
        page.prefers(scheme)
        page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        assert page.run(CONTRAST) == []
    page.click("#theme")
    assert page.run("document.documentElement.dataset.theme") == "light"


def test_every_control_is_reached_by_tab_and_shows_it(page):
    controls = "a[href], button, select, summary, [tabindex='0']"
    count = page.run(
        f"(() => {{ const all = [...document.querySelectorAll({json.dumps(controls)})]"
        ".filter((each) => each.checkVisibility());"
        "all.forEach((each, place) => { each.dataset.place = place }); return all.length })()"
    )
    reached = []
    for _ in range(count):
        page.key("Tab", 9)
        reached.append(
            page.run(
                "(() => { const e = document.activeElement;"
                "return [+e.dataset.place, getComputedStyle(e).outlineStyle] })()"
            )
        )
    assert [place for place, _ in reached] == list(range(count))
    assert {outline for _, outline in reached} == {"solid"}


@pytest.mark.parametrize("width", [360, 390, 768])
def test_nothing_makes_the_page_scroll_sideways(page, server, width):
    long = "a-very-long-name-of-an-arm-that-somebody-had-generated-by-a-program-0123456789"
    status = full(policy=long, described=long)
    status["arms"][0]["name"] = status["candidates"][0]["name"] = long
    server.statuses["news"] = status
    page.size(width, 800)
    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    poll(page)
    page.until(f"document.querySelector('#traffic canvas').clientWidth < {width}")
    assert page.run("document.documentElement.scrollWidth") <= width


def test_nothing_moves_for_who_does_not_want_it(page):
    features = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    page.call("Emulation.setEmulatedMedia", features=features)
    assert page.run("document.getAnimations().length") == 0
    assert page.run("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_hovering_tells_the_values_of_a_moment(page):
    x, y = page.run(
        "(() => { const over = document.querySelector('#traffic .u-over');"
        "over.scrollIntoView({block: 'center', behavior: 'instant'});"
        "const b = over.getBoundingClientRect();"
        "return [b.x + b.width - 2, b.y + b.height / 2] })()"
    )
    page.mouse(x, y)
    page.until("document.querySelector('#traffic .tip.on')")
    assert "cup final\n75.0%" in text(page, "#traffic .tip")


def test_no_line_crosses_a_pause(page, server):
    times = [NOW, NOW + 1, NOW + 2, NOW + 60, NOW + 120, NOW + 121]
    server.statuses["news"] = full(
        traffic={"times": times, "shares": {"a": [0.5] * 6, "b": [0.5] * 6}},
        reward={"times": times, "mean": [0.5] * 6, "low": [0.4] * 6, "high": [0.6] * 6},
    )
    poll(page)
    known = "live.page.reward.chart.data[1]"
    assert page.run(known) == [0.5, 0.5, 0.5, None, 0.5, None, 0.5, 0.5]
    assert page.run(f"alone({known})") == [4], "which is a point, as there is no line to see"
    page.run("document.querySelector('#reward details').open = true")
    page.until("document.querySelectorAll('#reward tbody tr').length == 6")


def test_many_arms_share_one_curve(page, server):
    arms = [{"name": f"arm {k}", "decisions": k, "lessons": k} for k in range(40)]
    shares = {f"arm {k}": [k / 780] for k in range(40)}
    server.statuses["news"] = full(arms=arms, traffic={"times": [NOW], "shares": shares})
    poll(page)
    assert page.run("document.querySelectorAll('#traffic .legend li').length") == 9
    assert "32 others" in text(page, "#traffic .legend")


def test_the_page_may_run_its_own_script_and_nothing_else():
    assert "script-src 'sha256-" in page_policy()
    assert "unsafe-inline" not in page_policy().partition("script-src")[2].partition(";")[0]
    assert page_html().count("<script>") == 1
    assert "http://" not in page_html().replace("http://www.w3.org/2000/svg", "")
