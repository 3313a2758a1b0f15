"""Alembic's entry: it runs in the transaction of whoever opens the store."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
