"""Saved bandits changed at random, with digests that fit, loaded and used: `make fuzz`."""
