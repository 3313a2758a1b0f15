"""How randomness enters: one scheme per file."""

from bandstrap.resampling.base import Resampling
from bandstrap.resampling.double_or_nothing import DoubleOrNothing
from bandstrap.resampling.exponential import Exponential
from bandstrap.resampling.gaussian_noise import GaussianNoise
from bandstrap.resampling.multinomial import Multinomial
from bandstrap.resampling.none import NoResampling
from bandstrap.resampling.poisson import Poisson

RESAMPLING: dict[str, type[Resampling]] = {
    "exponential": Exponential,
    "multinomial": Multinomial,
    "gaussian-noise": GaussianNoise,
    "poisson": Poisson,
    "double-or-nothing": DoubleOrNothing,
    "none": NoResampling,
}

__all__ = [
    "RESAMPLING",
    "DoubleOrNothing",
    "Exponential",
    "GaussianNoise",
    "Multinomial",
    "NoResampling",
    "Poisson",
    "Resampling",
]
