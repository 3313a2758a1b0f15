"""`python -m bandstrap`."""

from bandstrap.cli import main

main()
