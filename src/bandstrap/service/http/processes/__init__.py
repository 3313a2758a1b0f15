"""The processes of a server: workers that decide, one that learns, and who looks after them."""
