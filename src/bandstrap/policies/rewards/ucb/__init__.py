"""Upper confidence bounds of means."""
