"""Passes over rows for models with a convex loss."""
