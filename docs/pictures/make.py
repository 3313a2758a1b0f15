"""Draws the pictures of the pages anew: python docs/pictures/make.py."""

from pathlib import Path

from draws import BootstrapDraw, draws, unweighted
from laws import draw_laws
from moving import moving
from rooms import plan
from stepped import stepped

HERE = Path(__file__).parent


def telling() -> BootstrapDraw:
    """A draw that chooses the other arm clearly, although the better known one hardly moved."""
    usual = unweighted()
    clear = [
        draw
        for draw in draws(300)
        if draw.chosen != usual.chosen and max(draw.worth) - min(draw.worth) > 0.08
    ]
    return min(clear, key=lambda draw: float(abs(draw.fits[0] - usual.fits[0]).sum()))


def main() -> None:
    (HERE / "steps.svg").write_text(stepped(telling()), encoding="utf-8")
    (HERE / "draws.svg").write_text(moving(draws(9)), encoding="utf-8")
    draw_laws(HERE / "laws.svg")
    (HERE / "rooms.svg").write_text(plan(), encoding="utf-8")


if __name__ == "__main__":
    main()
