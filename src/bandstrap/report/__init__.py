"""The HTML report."""

from bandstrap.report.html import write_report

__all__ = ["write_report"]
