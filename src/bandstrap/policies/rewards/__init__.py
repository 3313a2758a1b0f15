"""Policies that look at rewards alone, one in a file."""
