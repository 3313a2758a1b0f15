"""Finished work in a folder, which `reproduce`, `compare` and `benchmark` share."""
