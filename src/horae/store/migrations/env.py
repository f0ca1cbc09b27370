"""How Alembic runs here: on the given connection, one transaction per revision if the database supports it."""

from __future__ import annotations

from alembic import context

from horae.store.migrations.support import exclusively

connection = context.config.attributes["connection"]
context.configure(connection=connection, transactional_ddl=connection.dialect.name != "mysql")
with exclusively(connection):
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
