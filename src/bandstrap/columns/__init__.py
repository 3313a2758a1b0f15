"""Contexts of any kind as rows of numbers, and back."""

from bandstrap.columns.columns import Columns, Given

__all__ = ["Columns", "Given"]
