"""What rounds cost, beside the paper's own recipe."""
