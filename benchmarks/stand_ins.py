"""Labelled data with many classes, made here: stand-ins for sets that cannot be shipped."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from bandstrap.contexts import as_numbers
from bandstrap.datasets import load

Labelled = tuple[np.ndarray, np.ndarray]  # contexts and classes
ROWS = 20_000


def standardised(contexts: np.ndarray) -> np.ndarray:
    spread = contexts.std(axis=0)
    scaled: np.ndarray = (contexts - contexts.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return scaled


def split(name: str, n_classes: int) -> Labelled:
    """A data set whose classes are split into clusters, as evenly many as can be."""
    from sklearn.cluster import KMeans

    data = load(name)
    kept = np.random.default_rng(0).permutation(len(data.labels))[:ROWS]
    contexts, labels = as_numbers(data.contexts[kept]).astype(np.float64), data.labels[kept]
    parts, classes, first = len(data.classes), np.zeros(len(kept), dtype=np.int64), 0
    for label in range(parts):
        own, clusters = np.flatnonzero(labels == label), (n_classes + parts - 1 - label) // parts
        found = KMeans(clusters, n_init=2, random_state=0).fit_predict(contexts[own])
        classes[own], first = first + found, first + clusters
    return contexts, classes


def blobs(n_classes: int, n_features: int, clusters: int, apart: float, seed: int) -> Labelled:
    """Normal clusters, several for each class, at random places."""
    rng = np.random.default_rng(seed)
    centres = apart * rng.standard_normal((n_classes * clusters, n_features))
    cluster = rng.integers(len(centres), size=ROWS)
    contexts = centres[cluster] + rng.standard_normal((ROWS, n_features))
    return standardised(contexts), cluster % n_classes


def noisy(n_classes: int, n_features: int, units: int, noise: float, seed: int) -> Labelled:
    """Classes drawn from the softmax of a random network, some of them far rarer than others."""
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((ROWS, n_features))
    hidden = np.tanh(2 * contexts @ rng.standard_normal((n_features, units)) / n_features**0.5)
    logits = hidden @ rng.standard_normal((units, n_classes))
    logits = (logits - logits.mean(axis=0)) / logits.std()
    return contexts, (logits / noise + rng.gumbel(size=logits.shape)).argmax(axis=1)


def letters() -> Labelled:
    """Capitals in the fonts that come with matplotlib, slanted and stretched, by 16 measures."""
    import matplotlib
    from PIL import Image, ImageDraw, ImageFont

    rng = np.random.default_rng(0)
    files = sorted((Path(matplotlib.__file__).parent / "mpl-data/fonts/ttf").glob("*.ttf"))
    named = [f for f in files if f.stem.startswith(("DejaVuS", "STIXGeneral")) or f.stem == "cmr10"]
    kept = [f for f in named if "Display" not in f.stem]
    fonts = [ImageFont.truetype(str(f), size) for f in kept for size in (20, 26, 32)]
    classes = rng.integers(26, size=ROWS)
    measures = []
    for letter in classes:
        image = Image.new("L", (64, 64), 0)
        font = fonts[rng.integers(len(fonts))]
        ImageDraw.Draw(image).text((14, 10), chr(65 + letter), font=font, fill=255)
        a, b, c, d = np.eye(2).ravel() + 0.12 * rng.standard_normal(4)
        x, y = 2 * rng.standard_normal(2)
        place = (a, b, 32 - 32 * (a + b) + x, c, d, 32 - 32 * (c + d) + y)
        slanted = image.transform(
            (64, 64), Image.Transform.AFFINE, place, Image.Resampling.BILINEAR
        )
        measures.append(_measured(np.asarray(slanted) > 100))
    numbers = np.array(measures)
    low, high = np.percentile(numbers, (1, 99), axis=0)
    return standardised(np.clip(np.rint(15 * (numbers - low) / (high - low)), 0, 15)), classes


def _measured(ink: np.ndarray) -> list[float]:
    """Where the box around the ink is, moments of the ink in it, and its edges."""
    ys, xs = np.nonzero(ink) if ink.any() else (np.array([32]), np.array([32]))
    width, height = np.ptp(xs) + 1, np.ptp(ys) + 1
    middle = (xs.min() + xs.max()) / 2, (ys.min() + ys.max()) / 2
    u, v = (xs - middle[0]) / width, (ys - middle[1]) / height
    across, down = ink[:, 1:] & ~ink[:, :-1], ink[1:] & ~ink[:-1]
    moments = [u, v, u * u, v * v, u * v, u * u * v, u * v * v]
    edges = [across.sum() / height, np.nonzero(across)[0].sum(),
             down.sum() / width, np.nonzero(down)[1].sum()]  # fmt: skip
    return [*middle, width, height, ink.sum(), *(each.mean() for each in moments), *edges]


STAND_INS: dict[str, Callable[[], Labelled]] = {
    "letters-26": letters,
    "pendigits-26": lambda: split("pendigits", 26),
    "optdigits-26": lambda: split("optdigits", 26),
    "blobs-26": lambda: blobs(26, 16, clusters=4, apart=1.5, seed=0),
    "blobs-18": lambda: blobs(18, 40, clusters=6, apart=1.0, seed=1),
    "noisy-26": lambda: noisy(26, 16, units=20, noise=0.15, seed=0),
}
