"""The stepped picture: the history, weights, fits, and a choice, side by side."""

from draws import ARMS, NOW, BootstrapDraw, unweighted
from svg import COLOURS, Plot, element, page

WIDTH, HEIGHT = 760, 590
STEPS = (
    ("The history", "dots: rewards; rings: the prior"),
    ("1  Draw weights", "one random weight for each"),
    ("2  Refit", "each arm’s model to them"),
    ("3  Act greedily", "the best arm at the dashed line"),
)


def stepped(draw: BootstrapDraw) -> str:
    plots = [Plot(26 + 368 * (i % 2), 70 + 282 * (i // 2), 340, 210) for i in range(4)]
    panels = [plot.frame() for plot in plots]
    panels += [_title(plot, *words) for plot, words in zip(plots, STEPS, strict=True)]
    plain = unweighted()
    panels += [plots[0].examples(plain), *(plot.examples(draw) for plot in plots[1:])]
    panels += [_lines(plots[0], plain), _lines(plots[2], draw), _lines(plots[3], draw)]
    for at, worth in enumerate(draw.worth):
        won = at == draw.chosen
        style = {"fill": COLOURS[at], "stroke": "#fff", "stroke_width": 2}
        at_now = {"cx": plots[3].x(NOW), "cy": plots[3].y(worth)}
        panels.append(element("circle", **at_now, r=11 if won else 6, **style))
    label = f"{ARMS[draw.chosen].name} it is"
    panels.append(
        element("text", label, x=plots[3].x(NOW) - 22, y=plots[3].y(max(draw.worth)) - 10,
                text_anchor="end", class_="step")
    )  # fmt: skip
    return page(WIDTH, HEIGHT, "A bootstrap draw in three steps", *panels)


def _lines(plot: Plot, draw: BootstrapDraw) -> str:
    return "".join(plot.line(at, fit, stroke_width=3) for at, fit in enumerate(draw.fits))


def _title(plot: Plot, title: str, below: str) -> str:
    return element("text", title, x=plot.left, y=plot.top - 36, class_="step") + element(
        "text", below, x=plot.left, y=plot.top - 15, class_="small"
    )
