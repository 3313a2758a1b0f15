"""Policies on generalised linear models, one in a file."""
