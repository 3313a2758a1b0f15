"""Curves of traces: bands, few colours that differ in grey too, and a dash pattern per policy."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bandstrap.errors import InvalidInput, UnknownName
from bandstrap.printable import called
from bandstrap.simulation.trace import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS = {"regret": "cumulative regret", "reward": "reward per round"}
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


def plot(
    traces: Mapping[str, Trace] | Iterable[Trace],
    measure: str = "regret",
    axes: "Axes | None" = None,
) -> "Axes":
    """Draw traces in one chart, means with 95 % bands over runs, and return its axes.

    `measure` is `regret`, cumulative, or `reward`, per round so far. Without `axes` a figure of
    pyplot is made.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from bandstrap import UCB1, plot, simulate
    >>> from bandstrap.environments import Bernoulli
    >>> trace = simulate(UCB1(), Bernoulli(n_arms=2), horizon=50, runs=4)
    >>> axes = plot([trace], measure="reward")
    >>> axes.get_ylabel()
    'reward per round'
    >>> axes.figure.savefig("ucb1.png")  # doctest: +SKIP
    """
    if measure not in LABELS:
        raise UnknownName("measure", measure, LABELS)
    shown = _named(traces)
    axes = axes if axes is not None else _axes()
    for position, (name, trace) in enumerate(shown.items()):
        draw(axes, trace, name, look(trace.policy, position), measure)
    axes.set(xlabel="round", ylabel=LABELS[measure])
    axes.set_xlim(0, max(trace.rounds[-1] for trace in shown.values()))
    if measure == "regret":
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.legend(frameon=False)
    return axes


def draw(
    axes: Any, trace: Trace, label: str, style: Mapping[str, Any], measure: str = "regret"
) -> None:
    """The mean of a trace and its 95 % band."""
    values = trace.regret if measure == "regret" else trace.reward / trace.rounds
    axes.plot(trace.rounds, values.mean(axis=0), label=plain(label), linewidth=1.6, **style)
    if trace.runs > 1:
        low, high = trace.band() if measure == "regret" else trace.reward_band()
        axes.fill_between(trace.rounds, low, high, color=style["color"], alpha=0.15, linewidth=0)


def look(policy: str, position: int) -> dict[str, Any]:
    """Colour and dashes of a policy's curve; those of the first 25 differ."""
    fives, place = divmod(position, len(_SPARE))
    spare = _SPARE[place][0], _SPARE[(place + fives) % len(_SPARE)][1]
    colour, dashes = _LOOKS.get(policy, spare)
    return {"color": colour, "linestyle": dashes}


def plain(text: str, most: int = 60) -> str:
    """A user's name for matplotlib: a dollar would start a formula, and a leading underscore hide
    it from the legend."""
    return called(text, most).replace("$", r"\$").lstrip("_")


def _named(traces: Mapping[str, Trace] | Iterable[Trace]) -> dict[str, Trace]:
    """By the names of policies, with the environment where one name has several traces."""
    if isinstance(traces, Mapping):
        found = dict(traces)
    else:
        every: Sequence[Trace] = [*traces]
        names = [trace.policy for trace in every]
        found = {
            name if names.count(name) == 1 else f"{name}, {trace.environment} ({place + 1})": trace
            for place, (name, trace) in enumerate(zip(names, every, strict=True))
        }
    if not found:
        raise InvalidInput("traces", [], "give at least one trace")
    return found


def _axes() -> Any:
    from matplotlib import pyplot  # takes a second to import

    _, axes = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    return axes
