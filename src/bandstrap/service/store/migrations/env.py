"""Alembic's entry: it runs in the transaction of whoever opens the store."""

from alembic import context

if hasattr(context, "config"):  # as alembic runs it; whoever imports it gets nothing
    context.configure(connection=context.config.attributes["connection"])
    context.run_migrations()
