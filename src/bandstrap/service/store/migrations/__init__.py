"""What makes a store from nothing, or from an older one; alembic runs `env` and `versions`."""
