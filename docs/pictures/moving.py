"""The moving picture: draw after draw, and how often each arm is chosen."""

from itertools import pairwise

from draws import ARMS, NOW, BootstrapDraw, unweighted
from svg import COLOURS, Change, Plot, element, page, radius

WIDTH, HEIGHT = 860, 440
PLOT = Plot(40, 84, 590, 316)
SECONDS = 3.2  # of one draw: weights until WEIGHED, fits until FITTED, then the choice
WEIGHED, FITTED = 0.9, 1.8
STEPS = ("1  Draw weights", "2  Refit", "3  Act greedily")


def moving(draws: list[BootstrapDraw]) -> str:
    loop = SECONDS * len(draws)
    parts = [PLOT.frame(), _captions(len(draws), loop)]
    parts += [_ghosts(draws, loop), _examples(draws, loop), _lines(draws, loop)]
    parts += [_winners(draws, loop), _tally(draws, loop)]
    return page(WIDTH, HEIGHT, "Bootstrap draws, one after the other", *parts, *_words())


def _words() -> list[str]:
    below = PLOT.top + PLOT.height + 20
    places = {"now": (PLOT.x(NOW), below), "context": (PLOT.left + 34, below),
              "reward": (PLOT.left + 4, PLOT.top - 8)}  # fmt: skip
    words = [
        element("text", word, x=x, y=y, text_anchor="middle", class_="small")
        for word, (x, y) in places.items()
    ]
    notes = ("dots: rewards, sized by weight", "rings: pseudo-examples", "thin: earlier draws")
    for i, note in enumerate(notes):
        words.append(element("text", note, x=650, y=362 + 19 * i, class_="small"))
    return words


def _moved(values: list[float], begin: float, end: float, loop: float, name: str) -> Change:
    """From value to value, in each draw between `begin` and `end`."""
    steps = [(0.0, values[0])]
    for i, (old, new) in enumerate(pairwise(values)):
        steps += [(SECONDS * i + begin, old), (SECONDS * i + end, new)]
    return Change(name, (*steps, (loop, values[-1])), loop)


def _shown(spans: list[tuple[float, float]], loop: float, high: float, low: float = 0.0) -> Change:
    """Visible in some spans of time, otherwise faint or hidden."""
    fade, steps = 0.15, [(0.0, low)]
    for begin, end in spans:
        steps += [(begin, low), (begin + fade, high), (end - fade, high), (end, low)]
    return Change("opacity", (*steps, (loop, low)), loop)


def _examples(draws: list[BootstrapDraw], loop: float) -> str:
    shown = []
    for at, arm in enumerate(ARMS):
        for row in range(len(arm.examples)):
            weights = [1.0, *(draw.weights[at][row] for draw in draws)]
            sizes = [radius(weight) for weight in weights]
            change = _moved(sizes, 0.1, WEIGHED - 0.1, loop, "r")
            shown.append(PLOT.example(at, row, weights[0], change))
    return "".join(shown)


def _lines(draws: list[BootstrapDraw], loop: float) -> str:
    shown, plain = [], unweighted()
    for at, arm in enumerate(ARMS):
        ends = [PLOT.ends(arm, draw.fits[at]) for draw in (plain, *draws)]
        changes = [
            _moved([end[side] for end in ends], WEIGHED, FITTED - 0.1, loop, f"y{side + 1}")
            for side in (0, 1)
        ]
        shown.append(PLOT.line(at, plain.fits[at], *changes, stroke_width=3.5))
    return "".join(shown)


def _ghosts(draws: list[BootstrapDraw], loop: float) -> str:
    """Lines of earlier draws: together they show how unsure an arm is."""
    shown = []
    for i, draw in enumerate(draws[:-1]):
        change = _shown([(SECONDS * (i + 1), loop)], loop, 0.3)
        for at, fit in enumerate(draw.fits):
            shown.append(PLOT.line(at, fit, change, stroke_width=1.5, opacity=0))
    return "".join(shown)


def _winners(draws: list[BootstrapDraw], loop: float) -> str:
    shown = []
    for i, draw in enumerate(draws):
        span = [(SECONDS * i + FITTED, SECONDS * (i + 1))]
        style = {"fill": COLOURS[draw.chosen], "stroke": "#fff", "stroke_width": 2.5}
        place = {"cx": PLOT.x(NOW), "cy": PLOT.y(max(draw.worth))}
        shown.append(element("circle", _shown(span, loop, 1.0), **place, r=12, opacity=0, **style))
    return "".join(shown)


def _tally(draws: list[BootstrapDraw], loop: float) -> str:
    """A dot for each draw, under the arm that it chose."""
    shown, count = [element("text", "chosen", x=670, y=108, class_="step")], [0] * len(ARMS)
    for at, arm in enumerate(ARMS):
        shown.append(element("text", arm.name, x=670 + 90 * at, y=134, class_=arm.name))
    for i, draw in enumerate(draws):
        at, height = draw.chosen, 158 + 24 * count[draw.chosen]
        count[at] += 1
        span = [(SECONDS * i + FITTED + 0.3, loop)]
        shown.append(
            element("circle", _shown(span, loop, 1.0), cx=680 + 90 * at, cy=height, r=8, opacity=0,
                    fill=COLOURS[at])
        )  # fmt: skip
    return "".join(shown)


def _captions(count: int, loop: float) -> str:
    bounds = (0.0, WEIGHED, FITTED, SECONDS)
    shown = []
    for place, words in enumerate(STEPS):
        spans = [
            (SECONDS * i + bounds[place], SECONDS * i + bounds[place + 1]) for i in range(count)
        ]
        change = _shown(spans, loop, 1.0, 0.3)
        shown.append(element("text", words, change, x=40 + 200 * place, y=46, class_="step"))
    return "".join(shown)
