"""Policies of linear models, with one estimate for each arm."""
