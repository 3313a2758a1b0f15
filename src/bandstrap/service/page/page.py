"""The page as one HTML document, with the report's own styles and charts inside.

It holds no data: its script asks the server that it came from, with the key that the reader gives.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template

from bandstrap.report.page import asset

__all__ = ["page_html", "page_policy"]

_ASSETS = files("bandstrap.service.page") / "assets"
_STYLES = ("vendor/uplot.css", "report.css", "print.css")
_CHARTS = ("vendor/uplot.js", "numbers.js", "tables.js", "chart.js")
_OWN = ("words.js", "ranges.js", "live_chart.js", "sections.js", "server.js", "service.js")


@cache
def page_html() -> str:
    """The page.

    >>> page_html().startswith("<!doctype html>")
    True
    """
    return Template(_own("page.html")).substitute(
        policy=page_policy(),
        styles="\n".join([*map(asset, _STYLES), _own("service.css")]),
        script=_script(),
    )


@cache
def page_policy() -> str:
    """What the page may do, as a content security policy: run this very script, ask its own
    server, and nothing else. Whoever serves it may add frame-ancestors, which only a header can.

    >>> "connect-src 'self'" in page_policy()
    True
    """
    digest = b64encode(sha256(_script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )


@cache
def _script() -> str:
    licence = f"/* Charts are drawn by uPlot.\n{asset('vendor/LICENSE')} */"
    return "\n".join(["", licence, *map(asset, _CHARTS), *map(_own, _OWN), ""])


def _own(name: str) -> str:
    return _ASSETS.joinpath(name).read_text(encoding="utf-8")
