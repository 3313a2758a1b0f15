"""Policies that look at contexts, one in a file."""
