"""NPB's lock-in on two arms, to horizons of 10³⁰⁰."""
