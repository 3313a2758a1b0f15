"""How figures look: their axes, and how they are saved."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandstrap.simulation import Trace
from bandstrap.simulation.curves import draw, look
from bandstrap.storage.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
        draw(axis, trace, trace.policy, look(trace.policy, position))
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
