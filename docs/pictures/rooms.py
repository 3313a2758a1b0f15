"""The floor plan of docs/architecture.md: rooms, floor by floor, and where four journeys stop.

Floors are the layers that pyproject.toml lets import-linter check, and rooms within rooms are the
folders there are, so that a new one shows when the picture is drawn again.
"""

import tomllib
from pathlib import Path

from svg import element, page

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "bandstrap"
WIDTH, LEFT, RIGHT, TOP = 840, 44, 664, 56
LANE = 40  # between journeys
ROOMS = {
    "cli": "options and exit codes",
    "commands": "what each command does and shows",
    "service": "decisions over HTTP",
    "report": "the HTML page of a run",
    "comparison": "your table as a bandit: candidates, ranking, advice",
    "experiments": "the paper: data, a check and a plot each",
    "warmup": "compiles kernels beforehand",
    "testing": "checks for classes of your own",
    "simulation": "batches of runs",
    "bandit": "what a product holds",
    "policies": "how to choose",
    "environments": "what is played",
    "models": "what is refit",
    "datasets": "what is fetched",
    "resampling": "where chance enters",
    "priors": "before there is data",
    "history": "rewards kept by run and arm",
    "problem": "arms, support, features",
    "contexts": "kinds of contexts",
    "tables": "tables and frames as rows of numbers",
    "laws": "the highest of Beta and binomial draws",
    "choice": "argmax, ties, choice probabilities",
    "seeding": "streams of random numbers",
    "kernels": "compiled by Numba: arrays in, arrays out",
    "storage": "files without pickle",
    "validation": "every check of a parameter",
}
JOURNEYS = {
    "reproduce figure 1": (
        "#0072b2",
        ("cli", "commands", "report", "experiments", "simulation", "policies", "history"),
    ),
    "decide and learn": ("#d55e00", ("bandit", "policies", "history", "seeding", "kernels")),
    "a logistic draw": (
        "#009e73",
        ("bandit", "policies", "models", "resampling", "tables", "seeding", "kernels"),
    ),
    "compare": (
        "#cc79a7",
        ("cli", "commands", "report", "comparison", "simulation", "policies", "tables"),
    ),
}


def floors() -> list[list[str]]:
    """Rooms by floor, the top one first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = settings["tool"]["importlinter"]["contracts"]
    return [
        [room.strip().removeprefix("bandstrap.") for room in layer.split("|")]
        for layer in contract["layers"]
    ]


def within(room: str) -> str:
    """The folders in a room."""
    folders = (path.parent.name for path in (SOURCE / room).glob("*/__init__.py"))
    return " · ".join(sorted(folders))


def plan() -> str:
    parts = [element("text", "Rooms import from rooms below them, never from above", x=LEFT, y=34,
                     class_="step")]  # fmt: skip
    top, middles = float(TOP), {}
    for rooms in floors():
        height = 50.0 if any(map(within, rooms)) else 32.0
        width = (RIGHT - LEFT) / len(rooms)
        for place, room in enumerate(rooms):
            parts.append(_room(room, LEFT + place * width, top, width - 6, height - 6))
            middles[room] = top + height / 2 - 3
        top += height
    parts.append(_arrow(TOP, top - 6))
    for place, (title, (colour, stops)) in enumerate(JOURNEYS.items()):
        parts.append(_journey(place, colour, [middles[room] for room in stops]))
        x = LEFT + place * 196
        parts.append(element("circle", cx=x + 6, cy=top + 20, r=6, fill=colour))
        parts.append(element("text", title, x=x + 18, y=top + 25, class_="small"))
    return page(WIDTH, round(top + 44), "The rooms of bandstrap, floor by floor", *parts)


def _room(room: str, x: float, y: float, width: float, height: float) -> str:
    inside = within(room)
    line = y + (19.0 if inside else height / 2 + 5)
    parts = [
        element("rect", x=x, y=y, width=width, height=height, rx=5, class_="axis"),
        element("text", room, x=x + 10, y=line, style="font-weight: 600"),
    ]
    if room in ROOMS:
        end = {"x": x + width - 10, "text_anchor": "end", "class_": "small"}
        parts.append(element("text", ROOMS[room], y=line, **end))
    if inside:
        parts.append(element("text", inside, x=x + 10, y=y + 37, class_="small"))
    return "".join(parts)


def _arrow(top: float, bottom: float) -> str:
    x = LEFT - 20.0
    path = f"M{x:.1f} {top:.1f}V{bottom:.1f}m-6 -9l6 9l6 -9"
    return element("path", d=path, class_="axis", stroke_width=2)


def _journey(place: int, colour: str, stops: list[float]) -> str:
    x = RIGHT + 24.0 + LANE * place
    line = element("line", x1=x, x2=x, y1=min(stops), y2=max(stops), stroke=colour, stroke_width=3)
    dots = (element("circle", cx=x, cy=stop, r=6, fill=colour) for stop in stops)
    return "".join([line, *dots])
