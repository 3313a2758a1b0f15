"""Where the weighted bootstrap is Thompson sampling."""
