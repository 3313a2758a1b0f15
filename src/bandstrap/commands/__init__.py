"""What the commands do: one module per command, imported only when it is called."""
