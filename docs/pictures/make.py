"""Draws the pictures of docs/idea.md anew: python docs/pictures/make.py."""

from pathlib import Path

from draws import draws, unweighted
from laws import draw_laws
from moving import moving
from stepped import stepped

HERE = Path(__file__).parent


def main() -> None:
    made = draws(9)
    usual = unweighted().chosen
    surprise = next(draw for draw in made if draw.chosen != usual)
    (HERE / "steps.svg").write_text(stepped(surprise), encoding="utf-8")
    (HERE / "draws.svg").write_text(moving(made), encoding="utf-8")
    draw_laws(HERE / "laws.svg")


if __name__ == "__main__":
    main()
