"""Many policies over many data sets."""
