"""The paper's own recipe: scikit-learn's SGD, warm-started, refit to the whole history."""

from time import process_time
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier

from bandstrap.priors import EigenExamples
from bandstrap.problem import Problem
from streams import numbers


class Recipe:
    """One classifier for each arm; a draw refits all with fresh Exp(1) weights."""

    def __init__(
        self, problem: Problem, covariance: np.ndarray, seed: int, tolerance: float = 1e-3
    ) -> None:
        pseudo = EigenExamples(covariance).start(problem)
        self.pseudo = pseudo.contexts, pseudo.rewards
        self.rng = np.random.default_rng(seed)
        self.fits = [
            SGDClassifier(loss="log_loss", warm_start=True, tol=tolerance, random_state=seed)
            for _ in range(problem.n_arms)
        ]
        self.examples: list[tuple[np.ndarray, np.ndarray]] = []

    def set_history(self, contexts: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Set all examples seen so far."""
        self.examples = []
        for arm in range(len(self.fits)):
            rows = np.flatnonzero(arms == arm)
            own = numbers(contexts[rows]), rewards[rows]
            x, y = (np.concatenate(pair) for pair in zip(self.pseudo, own, strict=True))
            self.examples.append((x, y))

    def seconds(self) -> float:
        """CPU seconds of one draw of all arms."""
        started = process_time()
        with catch_warnings():
            simplefilter("ignore", ConvergenceWarning)
            for fit, (x, y) in zip(self.fits, self.examples, strict=True):
                fit.fit(x, y, sample_weight=self.rng.exponential(size=len(y)))
        return process_time() - started
