"""Rewards kept by run and arm, and runs that are played without coming back to Python."""
