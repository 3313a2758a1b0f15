"""What a bandit did, line by line: written as it happens, read to rebuild it or to learn from."""
