"""Models that learn each reward once, as it comes."""
