"""Where the journal is kept: SQLite or PostgreSQL, by the same queries."""

from bandstrap.service.store.store import Store, Unavailable, open_store

__all__ = ["Store", "Unavailable", "open_store"]
