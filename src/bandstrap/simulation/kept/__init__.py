"""What is kept of simulations in a folder, and how it is known again."""
