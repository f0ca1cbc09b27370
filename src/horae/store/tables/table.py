"""How the tables of the schema are declared."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Index, MetaData, Table, UniqueConstraint
from sqlalchemy.types import TypeEngine

metadata = MetaData()


def table(title: str, *parts: Column[Any] | UniqueConstraint | Index) -> Table:
    return Table(title, metadata, *parts, mysql_engine="InnoDB", mysql_charset="utf8mb4", mysql_collate="utf8mb4_bin")


def key(title: str, kind: TypeEngine[Any]) -> Column[Any]:
    return Column(title, kind, primary_key=True, autoincrement=False, nullable=False)


def must(title: str, kind: TypeEngine[Any]) -> Column[Any]:
    return Column(title, kind, nullable=False)


def may(title: str, kind: TypeEngine[Any]) -> Column[Any]:
    return Column(title, kind, nullable=True)
