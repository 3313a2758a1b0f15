"""Decisions over HTTP: a journal, one process that learns, and as many that decide as you start.

It needs the extra `serve`: pip install 'bandstrap[serve]'.
"""
