"""Policies on networks, where a posterior can only be approximated."""
