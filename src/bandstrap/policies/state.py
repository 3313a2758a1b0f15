"""What every policy's state has."""

import numpy as np

from bandstrap.problem import Problem


class State:
    """What a policy has learnt in each of `runs` independent runs; policies add their arrays."""

    def __init__(self, problem: Problem, runs: int) -> None:
        self.problem = problem
        self.runs = runs
        self.values = np.array(problem.support.values or ())
