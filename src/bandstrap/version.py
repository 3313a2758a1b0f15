"""Which version this is; packages are built with it."""

__version__ = "0.2.0.dev0"
