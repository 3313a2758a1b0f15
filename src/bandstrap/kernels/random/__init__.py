"""Random numbers of our own: streams, lanes of them, and an exponential function that they need."""
