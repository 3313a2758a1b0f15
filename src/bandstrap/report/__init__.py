"""The HTML report: one file that opens without a network."""

from bandstrap.report.page import write_report
from bandstrap.report.report import Run

__all__ = ["Run", "write_report"]
