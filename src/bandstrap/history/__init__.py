"""Rewards by run and arm, and whole runs played in kernels."""
