"""The score of an arm that was never pulled, so that it comes first."""

# Finite: the argmax compares scores relatively, and anything is within a share of infinity.
UNSEEN = 1e300
