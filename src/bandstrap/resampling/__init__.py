"""How randomness enters: one scheme per file."""

from bandstrap.resampling.base import Resampling
from bandstrap.resampling.coin_flips import CoinFlips
from bandstrap.resampling.double_or_nothing import DoubleOrNothing
from bandstrap.resampling.exponential import Exponential
from bandstrap.resampling.gaussian_noise import GaussianNoise
from bandstrap.resampling.giro_multinomial import GiroMultinomial
from bandstrap.resampling.multinomial import Multinomial
from bandstrap.resampling.none import NoResampling
from bandstrap.resampling.poisson import Poisson

RESAMPLING: dict[str, type[Resampling]] = {
    "exponential": Exponential,
    "multinomial": Multinomial,
    "gaussian-noise": GaussianNoise,
    "poisson": Poisson,
    "double-or-nothing": DoubleOrNothing,
    "giro": GiroMultinomial,
    "coin-flips": CoinFlips,
    "none": NoResampling,
}

__all__ = [
    "RESAMPLING",
    "CoinFlips",
    "DoubleOrNothing",
    "Exponential",
    "GaussianNoise",
    "GiroMultinomial",
    "Multinomial",
    "NoResampling",
    "Poisson",
    "Resampling",
]
