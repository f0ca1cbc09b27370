"""The orders of the shop, in SQLite."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

DATABASE = Path(__file__).resolve().parents[1] / "shop.db"
TABLE = """CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY, email TEXT, cents INTEGER, placed REAL, paid INTEGER DEFAULT 0, reminded INTEGER DEFAULT 0
)"""


class BankAway(Exception):
    """The bank cannot be reached."""


class Order(NamedTuple):
    id: int
    email: str
    cents: int


@contextmanager
def connected() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(DATABASE, timeout=10)) as connection, connection:
        connection.execute(TABLE)
        yield connection


def add(email: str, cents: int) -> int:
    with connected() as connection:
        insert = "INSERT INTO orders (email, cents, placed) VALUES (?, ?, ?) RETURNING id"
        (order_id,) = connection.execute(insert, (email, cents, time.time())).fetchone()
        return int(order_id)


def find(order_id: int) -> Order:
    with connected() as connection:
        return Order(*connection.execute("SELECT id, email, cents FROM orders WHERE id = ?", (order_id,)).fetchone())


def charge(order_id: int) -> int:
    """Once, however often it is called: a task may be executed again."""
    if Path(DATABASE.parent / "bank-away").exists():
        raise BankAway("the bank does not answer")
    with connected() as connection:
        connection.execute("UPDATE orders SET paid = 1 WHERE id = ?", (order_id,))
    return find(order_id).cents


def paid() -> list[Order]:
    with connected() as connection:
        return [Order(*row) for row in connection.execute("SELECT id, email, cents FROM orders WHERE paid")]


def unpaid(idle_minutes: int) -> list[Order]:
    """Those that were not reminded yet."""
    query = "SELECT id, email, cents FROM orders WHERE NOT paid AND NOT reminded AND placed < ?"
    with connected() as connection:
        return [Order(*row) for row in connection.execute(query, (time.time() - 60 * idle_minutes,))]


def reminded(order_id: int) -> None:
    with connected() as connection:
        connection.execute("UPDATE orders SET reminded = 1 WHERE id = ?", (order_id,))
