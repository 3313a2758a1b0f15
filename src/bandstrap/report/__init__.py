"""The HTML report: one file that opens without a network."""

from bandstrap.report.of_experiments import reproduction
from bandstrap.report.page import write_report
from bandstrap.report.run import Run

__all__ = ["Run", "reproduction", "write_report"]
