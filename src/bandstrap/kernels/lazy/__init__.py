"""The bootstrap of rewards without walking them: history, bounds, draws, choices."""
