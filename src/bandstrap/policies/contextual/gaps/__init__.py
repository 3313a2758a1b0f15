"""Policies that weigh arms by how far each seems to be from the best."""
