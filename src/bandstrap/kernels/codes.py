"""The codes of losses and resampling schemes in kernels. Files hold them, so they never change."""

LOGISTIC, LINEAR = range(2)  # losses

EXPONENTIAL, MULTINOMIAL, POISSON, DOUBLE = range(4)  # schemes
NO_SCHEME = -1  # of histories that are never resampled
