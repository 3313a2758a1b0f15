"""`python -m bandstrap`."""

from bandstrap.cli import main

if __name__ == "__main__":
    main()
