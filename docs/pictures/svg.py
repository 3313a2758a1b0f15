"""Scalable pictures as text: a plot of contexts against rewards, still or moving."""

from dataclasses import dataclass, field

import numpy as np

from draws import ARMS, NOW, Arm, BootstrapDraw

COLOURS = ("#0072b2", "#d55e00")  # told apart by colour-blind readers too
STYLE = """
text { font: 15px system-ui, sans-serif; fill: #222; }
.small { font-size: 13px; fill: #555; }
.step { font-weight: 600; font-size: 16px; }
.card { fill: #fff; stroke: #ddd; }
.axis { stroke: #999; fill: none; }
.blue { fill: #0072b2; }
.orange { fill: #d55e00; }
.now { stroke: #888; stroke-dasharray: 4 4; }
@media (prefers-color-scheme: dark) {
  text { fill: #eee; } .small { fill: #aaa; }
  .card { fill: #17191c; stroke: #333; } .axis { stroke: #777; } .now { stroke: #999; }
  [stroke="#0072b2"] { stroke: #56b4e9; } [fill="#0072b2"] { fill: #56b4e9; }
  [stroke="#d55e00"] { stroke: #ff8c42; } [fill="#d55e00"] { fill: #ff8c42; }
  .blue { fill: #56b4e9; } .orange { fill: #ff8c42; }
}
"""
RADIUS = 7.0  # of an example of weight 1; areas are proportional to weights


@dataclass(frozen=True)
class Change:
    """How an attribute changes: (second, value) in order, in a loop of `loop` seconds."""

    attribute: str
    steps: tuple[tuple[float, float], ...]
    loop: float

    def __str__(self) -> str:
        times = ";".join(f"{second / self.loop:.4f}" for second, _ in self.steps)
        values = ";".join(f"{value:.1f}" for _, value in self.steps)
        return (
            f'<animate attributeName="{self.attribute}" dur="{self.loop:g}s" '
            f'repeatCount="indefinite" keyTimes="{times}" values="{values}"/>'
        )


def element(name: str, *inside: object, **attributes: object) -> str:
    """An element; underscores in names of attributes stand for hyphens."""
    given = " ".join(f'{key.rstrip("_").replace("_", "-")}="{_shown(value)}"'
                     for key, value in attributes.items())  # fmt: skip
    return f"<{name} {given}>{''.join(map(str, inside))}</{name}>"


def _shown(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def page(width: int, height: int, title: str, *inside: str) -> str:
    """A whole picture."""
    card = element("rect", x=1, y=1, width=width - 2, height=height - 2, rx=10, class_="card")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n{card}\n"
        + "\n".join(inside)
        + "\n</svg>\n"
    )


@dataclass(frozen=True)
class Plot:
    """Where contexts from -1 to 1 and rewards from 0 to 1 stand on the page."""

    left: float
    top: float
    width: float
    height: float
    low: float = field(default=-0.1)
    high: float = field(default=1.1)

    def x(self, context: float) -> float:
        return self.left + (context + 1.05) / 2.1 * self.width

    def y(self, reward: float) -> float:
        return self.top + (self.high - reward) / (self.high - self.low) * self.height

    def frame(self) -> str:
        bottom = self.top + self.height
        axes = f"M{self.left} {self.top}V{bottom}H{self.left + self.width}"
        now = self.x(NOW)
        return element("path", d=axes, class_="axis") + element(
            "line", x1=now, x2=now, y1=self.top, y2=bottom, class_="now"
        )

    def ends(self, arm: Arm, fit: np.ndarray) -> tuple[float, float]:
        """Where a fit's line meets both sides of the plot."""
        return self.y(arm.expected(fit, -1.05)), self.y(arm.expected(fit, 1.05))

    def line(self, at: int, fit: np.ndarray, *inside: object, **more: object) -> str:
        y1, y2 = self.ends(ARMS[at], fit)
        place = {"x1": self.left, "x2": self.left + self.width, "y1": y1, "y2": y2}
        return element("line", *inside, **place, stroke=COLOURS[at], **more)

    def example(self, at: int, row: int, weight: float, *inside: object) -> str:
        """A reward is filled, a pseudo-example a ring."""
        context, reward = ARMS[at].examples[row]
        place = {"cx": self.x(context), "cy": self.y(reward), "r": radius(weight)}
        if row >= len(ARMS[at].seen):
            # Pseudo-examples of the two arms coincide: a little apart both can be seen.
            place["cx"] += -5.0 if at == 0 else 5.0
            return element("circle", *inside, **place, fill="none", stroke=COLOURS[at],
                           stroke_width=1.6, stroke_opacity=0.8)  # fmt: skip
        return element("circle", *inside, **place, fill=COLOURS[at], fill_opacity=0.55)

    def examples(self, draw: BootstrapDraw) -> str:
        return "".join(
            self.example(at, row, weight)
            for at, weights in enumerate(draw.weights)
            for row, weight in enumerate(weights)
        )


def radius(weight: float) -> float:
    return RADIUS * float(np.sqrt(weight))
