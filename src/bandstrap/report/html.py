"""One self-contained page: claims with their verdicts, then figures, then how it was run."""

import platform
from base64 import b64encode
from html import escape
from pathlib import Path

from bandstrap.errors import OutputError
from bandstrap.experiments import EXPERIMENTS, Claim
from bandstrap.version import __version__

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>bandstrap: the paper reproduced</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; vertical-align: top; padding: .5rem; border-bottom: 1px solid #8886; }}
td:nth-child(3) {{ white-space: nowrap; font-weight: 600; }}
td:nth-child(4) {{ font-size: .9rem; }}
figure {{ margin: 2rem 0; }}
img {{ max-width: 100%; background: #fff; border-radius: .3rem; }}
code {{ background: #8882; padding: .1rem .3rem; border-radius: .2rem; }}
.wide {{ overflow-x: auto; }}
</style></head><body>
<h1>New Insights into Bootstrapping for Bandits, reproduced</h1>
<h2>Claims</h2><div class="wide"><table>
<thead><tr><th>id</th><th>claim</th><th>verdict</th><th>evidence</th></tr></thead>
<tbody>{rows}</tbody></table></div>
<h2>Figures</h2>{figures}
<h2>How it was run</h2>
<p><code>{command}</code></p><p>{versions}</p>
</body></html>
"""


def write_report(out: Path, names: list[str], claims: list[Claim], command: str) -> Path:
    """Write report.html beside the experiments' directories."""
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in claim.as_dict().values()) + "</tr>"
        for claim in claims
    )
    page = _PAGE.format(
        rows=rows,
        figures="".join(_figure(out, name) for name in names),
        command=escape(command),
        versions=escape(
            f"bandstrap {__version__}, Python {platform.python_version()}, {platform.machine()}"
        ),
    )
    path = out / "report.html"
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise OutputError(
            path, f"cannot be written ({error.strerror})", "choose another --out"
        ) from error
    return path


def _figure(out: Path, name: str) -> str:
    title = escape(EXPERIMENTS[name].title)
    image = b64encode((out / name / "plot.png").read_bytes()).decode()
    return (
        f"<figure><figcaption><h3>{title}</h3></figcaption>"
        f'<img alt="{title}" src="data:image/png;base64,{image}"></figure>'
    )
