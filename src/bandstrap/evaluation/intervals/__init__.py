"""Intervals, one method in a file."""

from bandstrap.evaluation.intervals.base import Interval, Tally
from bandstrap.evaluation.intervals.bernstein import EmpiricalBernstein
from bandstrap.evaluation.intervals.betting import Betting
from bandstrap.evaluation.intervals.bootstrap import (
    Bootstrapped,
    Difference,
    StudentisedBootstrap,
)
from bandstrap.evaluation.intervals.clopper_pearson import ClopperPearson
from bandstrap.evaluation.intervals.cressie_read import CressieRead
from bandstrap.evaluation.intervals.differences import StabilisedDifferences
from bandstrap.evaluation.intervals.normal import asymptotic_sequence, normal
from bandstrap.evaluation.intervals.stabilised import STABILISED, StabilisedDR
from bandstrap.evaluation.intervals.terms import Terms, difference_terms, dr_terms, ips_terms

__all__ = [
    "STABILISED",
    "Betting",
    "Bootstrapped",
    "ClopperPearson",
    "CressieRead",
    "Difference",
    "EmpiricalBernstein",
    "Interval",
    "StabilisedDR",
    "StabilisedDifferences",
    "StudentisedBootstrap",
    "Tally",
    "Terms",
    "asymptotic_sequence",
    "difference_terms",
    "dr_terms",
    "ips_terms",
    "normal",
]
