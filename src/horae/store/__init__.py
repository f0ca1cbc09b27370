"""The store: one schema and one set of statements for SQLite, PostgreSQL and MySQL/MariaDB.

Statements are written once, in SQL that all three support, with `:name` parameters. Where they differ, a statement asks
its dialect (`dialects/`), which is the only place that names a database.
"""

from horae.store.open import open_store

__all__ = ["open_store"]
