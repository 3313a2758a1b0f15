"""NPB after forced pulls."""
