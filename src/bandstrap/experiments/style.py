"""How figures look: bands, few colours that differ in grey too, and a dash pattern per policy."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandstrap.simulation import Trace
from bandstrap.storage.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LOOKS: dict[str, tuple[str, Any]] = {  # colours ordered from dark to light when printed in grey
    "wb": ("#1b1e5a", "-"),
    "npb": ("#b3372b", (0, (6, 2))),
    "npb-binomial": ("#d98a2b", (0, (1, 1.5))),
    "ts": ("#3f9d8c", (0, (4, 1.5, 1, 1.5))),
}
_SPARE = [
    ("#444444", "-"),
    ("#7a4fa3", (0, (6, 2))),
    ("#8a8a8a", (0, (3, 1, 1, 1))),
    ("#5b8fd6", (0, (1, 1))),
    ("#c06c9b", (0, (8, 3))),
]


def look(policy: str, position: int) -> dict[str, Any]:
    """Colour and dashes of a policy's curve."""
    colour, dashes = _LOOKS.get(policy, _SPARE[position % len(_SPARE)])
    return {"color": colour, "linestyle": dashes}


def figure(rows: int, columns: int, width: float, height: float) -> "tuple[Figure, Any]":
    """An empty figure and its axes, without touching any global state of matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # takes a second to import
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(drawing)
    axes = drawing.subplots(rows, columns, squeeze=False)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(color="#e6e6e6", linewidth=0.6)
        axis.set_axisbelow(True)
    return drawing, axes


def regret_axes(axis: Any, traces: list[Trace], title: str) -> None:
    """Mean regret with 95% bands against rounds."""
    for position, trace in enumerate(traces):
        style = look(trace.policy, position)
        axis.plot(trace.rounds, trace.mean(), label=trace.policy, linewidth=1.6, **style)
        if trace.runs > 1:
            low, high = trace.band()
            axis.fill_between(
                trace.rounds, low, high, color=style["color"], alpha=0.15, linewidth=0
            )
    axis.set_title(title)
    axis.set_xlabel("round")
    axis.set_xlim(0, max((trace.rounds[-1] for trace in traces), default=1))
    axis.set_ylim(bottom=0)
    axis.ticklabel_format(axis="x", style="plain", useOffset=False)


def plain_log(axis: Any) -> None:
    """A few whole numbers on a logarithmic axis."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.xaxis.set_minor_formatter(NullFormatter())


def save(drawing: "Figure", path: Path) -> None:
    """Write the figure to a PNG file."""
    with replacing(path, "choose another --out") as file:
        drawing.savefig(file, dpi=160, format="png")
