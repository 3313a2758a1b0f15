"""Files without pickle: what is written, and what is read back."""
