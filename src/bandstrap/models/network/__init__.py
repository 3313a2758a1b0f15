"""Networks: one for each arm or one for all, with one head or many."""
