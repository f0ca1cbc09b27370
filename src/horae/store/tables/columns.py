"""The column types of Horae's schema, each with its form on every database. Migrations use them too: the meaning of a
name here never changes, new needs get new names."""

from __future__ import annotations

from sqlalchemy import JSON, TIMESTAMP, BigInteger, Boolean, Double, Integer, SmallInteger, String, Text
from sqlalchemy.dialects import mysql, postgresql
from sqlalchemy.types import TypeEngine

Id: TypeEngine[str] = (
    String(36)
    .with_variant(postgresql.UUID(as_uuid=False), "postgresql")
    # Compared and joined often: ASCII and binary, so that no collation prevents the use of an index.
    .with_variant(mysql.CHAR(36, charset="ascii", collation="ascii_bin"), "mysql", "mariadb")
)
Time = TIMESTAMP(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
Json = (
    Text()
    # Not JSONB: Horae returns documents unchanged and never looks into them in SQL.
    .with_variant(JSON(), "postgresql")
    .with_variant(mysql.LONGTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
)
LongText = Text().with_variant(mysql.LONGTEXT(collation="utf8mb4_bin"), "mysql", "mariadb")
Small = SmallInteger()
Int = Integer()
Big = BigInteger()
Serial: TypeEngine[int] = BigInteger().with_variant(Integer(), "sqlite")  # a key that the database counts up
Real: TypeEngine[float] = Double()
Flag = Boolean()


def name(length: int) -> TypeEngine[str]:
    """Text that is compared exactly: names that differ only in case or accents are different names."""
    return String(length).with_variant(mysql.VARCHAR(length, collation="utf8mb4_bin"), "mysql", "mariadb")
