"""Run by Alembic, on the connection and inside the transaction of whoever opens the ledger."""

from alembic import context

from memoryd.ledger.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
