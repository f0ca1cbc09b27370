"""The schema: up from nothing and from every earlier revision, down again, and refused where it does not fit."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, create_engine, inspect, text
from sqlalchemy.ext.asyncio import create_async_engine

from horae.clock import SystemClock
from horae.domain.errors import SchemaMismatch, StoreUnavailable
from horae.lifecycle.prune import recount
from horae.store import open_store, schema
from horae.store.migrations import support
from horae.store.tables.table import metadata
from tests.contract.world import IDS, WORK, World
from tests.databases import Databases
from tests.functions import register
from tests.migrated import schema_of

SCRIPTS = ScriptDirectory.from_config(schema.alembic_config())
REVISIONS = [script.revision for script in SCRIPTS.walk_revisions()][::-1]
NEWEST = REVISIONS[-1]
_PARTITION = re.compile(r"_(\d{4}_\d\d|rest)$")


async def on(url: str, work: Callable[..., Any], *args: Any) -> Any:
    """Calls `work(connection, …)` and commits."""
    address, is_async = schema.sqlalchemy_url(url)
    if is_async:
        engine = create_async_engine(address, poolclass=NullPool)
        async with engine.begin() as connection:
            return await connection.run_sync(work, *args)
    with create_engine(address, poolclass=NullPool).begin() as connection:
        return work(connection, *args)


async def execute(url: str, sql: str) -> None:
    await on(url, lambda connection: connection.execute(text(sql)))


async def revision_of(url: str) -> str | None:
    return await on(url, lambda connection: connection.scalar(text("SELECT version_num FROM alembic_version")))


def table_names(connection: Connection) -> set[str]:
    return {name for name in inspect(connection).get_table_names() if not _PARTITION.search(name)}


async def is_usable(url: str) -> None:
    async with AsyncExitStack() as stack:
        await register(url, WORK)
        world = await World.open(url, stack)
        await world.ended(await world.job())
        await world.job(every="1h")
        assert (await world.fire()).runs == 1


# ---- up and down


async def test_up_from_nothing_down_again_and_up(database_url: str) -> None:
    for _ in range(2):
        await schema.migrate(database_url)
        assert await revision_of(database_url) == NEWEST
        assert await on(database_url, table_names) == {*metadata.tables, "alembic_version"}
        await is_usable(database_url)
        await schema.migrate(database_url, to="base")
        assert await on(database_url, table_names) == {"alembic_version"}
        assert await revision_of(database_url) is None


async def test_migrating_again_changes_nothing(migrated_url: str) -> None:
    before = await on(migrated_url, everything)
    assert len(before["shards"]) != 16
    await schema.migrate(migrated_url, shard_count=16)
    assert await on(migrated_url, everything) == before


async def test_the_number_of_shards_is_settled_at_the_first_migration(database_url: str) -> None:
    await schema.migrate(database_url, shard_count=8)
    async with AsyncExitStack() as stack:
        world = await World.open(database_url, stack)
        assert world.store.shard_count == 8
        assert [shard.shard for shard in await world.store.read(lambda tx: tx.processes.shards())] == list(range(8))
        assert max((await world.rows("SELECT MAX(shard) AS top FROM shards"))[0].values()) == 7


@pytest.mark.parametrize("revision", [REVISIONS[0], REVISIONS[-2]])
async def test_up_in_one_go_with_data(database_url: str, revision: str) -> None:
    await schema.migrate(database_url, to=revision)
    await on(database_url, fill)
    before = await on(database_url, everything)
    await schema.migrate(database_url)
    assert await revision_of(database_url) == NEWEST
    assert_kept(before, await on(database_url, everything))
    if "totals" not in before:
        async with AsyncExitStack() as stack:
            assert await (await World.open(database_url, stack)).store.transact(recount) == 0
    await is_usable(database_url)


@pytest.mark.timeout(300)
async def test_up_from_every_revision_with_data(database_url: str) -> None:
    """Revision by revision, each time with a value in every column that there is by then."""
    await schema.migrate(database_url, to=REVISIONS[0])
    for revision in REVISIONS[1:]:
        added = await on(database_url, fill)
        before = await on(database_url, everything)
        await schema.migrate(database_url, to=revision)
        assert await revision_of(database_url) == revision
        assert_kept(before, await on(database_url, everything))
        await on(database_url, clear, added)
    await is_usable(database_url)


@pytest.mark.timeout(300)
async def test_down_from_the_newest_with_data(migrated_url: str) -> None:
    await on(migrated_url, fill)
    for revision in [*REVISIONS[-2::-1], None]:
        await schema.migrate(migrated_url, to=revision or "base")
        assert await revision_of(migrated_url) == revision
    assert await on(migrated_url, table_names) == {"alembic_version"}


def assert_kept(before: dict[str, list[Any]], after: dict[str, list[Any]]) -> None:
    for table, rows in before.items():
        if table in after and table not in ("alembic_version", "installation"):
            assert len(after[table]) == len(rows), f"{table} lost rows"


async def test_without_second_factors_every_version_can_read_the_passwords_again(migrated_url: str) -> None:
    await on(migrated_url, fill)
    await execute(migrated_url, "UPDATE users SET password = '2fa:$argon2id$v=19$and so on'")
    await schema.migrate(migrated_url, to="0019")
    stored = await on(migrated_url, lambda connection: connection.scalar(text("SELECT password FROM users")))
    assert stored == "$argon2id$v=19$and so on"


def everything(connection: Connection) -> dict[str, list[Any]]:
    return {
        table: sorted(map(repr, connection.execute(text(f"SELECT * FROM {table}")).all()))
        for table in table_names(connection)
    }


def fill(connection: Connection) -> list[str]:
    """A row in every table that has none, with a value in every column. Gives those tables."""
    quote, filled = connection.dialect.identifier_preparer.quote, []
    for table in table_names(connection) - {"alembic_version"}:
        if connection.scalar(text(f"SELECT COUNT(*) FROM {table}")):
            continue
        columns = inspect(connection).get_columns(table)
        values = {column["name"]: sample(column, connection.dialect.name) for column in columns}
        connection.execute(
            text(
                f"INSERT INTO {table} ({', '.join(map(quote, values))}) "
                f"VALUES ({', '.join(f':{name}' for name in values)})"
            ),
            values,
        )
        filled.append(table)
    return filled


_UNCHECKED = {  # in whatever order rows are deleted; SQLite does not check unless asked to
    "postgresql": "SET LOCAL session_replication_role = replica",
    "mysql": "SET foreign_key_checks = 0",
}


def clear(connection: Connection, tables: list[str]) -> None:
    if unchecked := _UNCHECKED.get(connection.dialect.name):
        connection.execute(text(unchecked))
    for table in set(tables) & table_names(connection):
        connection.execute(text(f"DELETE FROM {table}"))


def sample(column: Any, dialect: str) -> Any:
    kind, name = str(column["type"]).upper(), column["name"]
    if name in ("id", "project_id") or name.endswith("_id") or "UUID" in kind:
        return "01890000-0000-7000-8000-000000000001"
    if "TIMESTAMP" in kind or "DATETIME" in kind:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        return int(at.timestamp() * 1e6) if dialect == "sqlite" else at
    if "BOOL" in kind:
        return False
    if "INT" in kind or "DOUBLE" in kind or "FLOAT" in kind:
        return 0
    return "{}" if "JSON" in kind or name in ("spec", "plan", "input", "result", "progress") else "x"


# ---- the same schema as in tables.py


async def test_the_migrated_schema_is_the_one_in_tables_py(database_url: str, databases: Databases) -> None:
    await on(database_url, metadata.create_all)
    migrated = schema_of(databases, database_url.partition(":")[0])
    wanted, found = await on(database_url, shape), await on(migrated, shape)
    found.pop("alembic_version")
    assert found.keys() == wanted.keys()
    for table in wanted:
        assert found[table] == wanted[table], table


def shape(connection: Connection) -> dict[str, Any]:
    look = inspect(connection)
    return {
        table: {
            "columns": {
                column["name"]: (repr(column["type"]), column["nullable"], column["default"])
                for column in look.get_columns(table)
            },
            "key": look.get_pk_constraint(table)["constrained_columns"],
            "unique": {x["name"]: x["column_names"] for x in look.get_unique_constraints(table)},
            "foreign": look.get_foreign_keys(table),
            "indexes": {
                x["name"]: (
                    x["column_names"],
                    bool(x["unique"]),
                    {k: str(v) for k, v in x.get("dialect_options", {}).items()},
                )
                for x in look.get_indexes(table)
                if not x.get("duplicates_constraint")
            },
            "options": {k: v for k, v in look.get_table_options(table).items() if "partition" not in k},
        }
        for table in table_names(connection)
    }


@pytest.mark.postgresql
async def test_history_and_output_are_partitioned_from_the_start(make_database: Callable[..., str]) -> None:
    url = make_database("postgresql")
    await schema.migrate(url)
    sql = "SELECT relname FROM pg_class WHERE relkind = 'p'"
    assert await on(url, lambda c: set(c.scalars(text(sql)))) == {"run_history", "run_logs"}


# ---- revisions


def test_the_code_knows_the_newest_revision() -> None:
    assert schema.CODE_REVISION == NEWEST
    assert schema.OLDEST_USABLE in REVISIONS
    assert len(SCRIPTS.get_heads()) == 1


def test_revisions_are_numbers_in_order() -> None:
    """They are compared as text, by Horae and in the database."""
    assert [f"{number:04}" for number in range(1, len(REVISIONS) + 1)] == REVISIONS


# ---- what does not fit is refused


async def opening(url: str) -> None:
    store = await open_store(url, clock=SystemClock(), ids=IDS)
    await store.close()


async def test_a_database_without_a_schema_is_refused(database_url: str) -> None:
    with pytest.raises(SchemaMismatch, match="no Horae schema yet: run `horae migrate`"):
        await opening(database_url)


async def test_a_database_that_had_a_schema_is_refused(migrated_url: str) -> None:
    await schema.migrate(migrated_url, to="base")
    with pytest.raises(SchemaMismatch, match="no Horae schema yet: run `horae migrate`"):
        await opening(migrated_url)


async def test_a_schema_that_is_too_old_is_refused(migrated_url: str) -> None:
    await execute(migrated_url, "UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(SchemaMismatch, match=r"revision 0000.* run `horae migrate`"):
        await opening(migrated_url)


async def test_a_schema_that_is_too_new_is_refused(migrated_url: str) -> None:
    await execute(migrated_url, "UPDATE alembic_version SET version_num = '9999'")
    await execute(migrated_url, "UPDATE installation SET minimum_revision = '9998'")
    with pytest.raises(SchemaMismatch, match=r"revision 9999.* install a newer Horae"):
        await opening(migrated_url)
    with pytest.raises(SchemaMismatch, match=r"revision 9999.* install a newer Horae"):
        await schema.migrate(migrated_url)
    assert await revision_of(migrated_url) == "9999"


async def test_a_newer_schema_that_still_allows_this_code_is_fine(migrated_url: str) -> None:
    """A rolling upgrade: the first new process has migrated, the old ones go on, and may even be restarted."""
    await execute(migrated_url, "UPDATE alembic_version SET version_num = '9999'")
    before = await on(migrated_url, everything)
    await schema.migrate(migrated_url)
    with pytest.raises(SchemaMismatch, match="only the version of Horae that has revision 9999"):
        await schema.migrate(migrated_url, to="base")
    assert await on(migrated_url, everything) == before
    await is_usable(migrated_url)


async def test_a_database_that_is_away_is_said_in_a_sentence(database_url: str, tmp_path: Path) -> None:
    if database_url.startswith("sqlite"):
        away = f"sqlite:///{tmp_path}/missing/horae.db"
    else:
        away = re.sub(r":\d+/", ":1/", database_url)
    with pytest.raises(StoreUnavailable) as raised:
        await schema.migrate(away)
    assert "\n" not in str(raised.value)


# ---- at once, and interrupted


async def test_several_that_migrate_the_same_empty_database_at_once(database_url: str) -> None:
    """Real processes: Alembic keeps its state in globals."""
    program = "import asyncio, sys; from horae.store import schema; asyncio.run(schema.migrate(sys.argv[1]))"
    started = [await asyncio.create_subprocess_exec(sys.executable, "-c", program, database_url) for _ in range(2)]
    assert [await process.wait() for process in started] == [0, 0]
    assert await revision_of(database_url) == NEWEST
    assert len((await on(database_url, everything))["projects"]) == 1
    await is_usable(database_url)


@pytest.mark.mysql
async def test_another_migration_that_takes_too_long(
    make_database: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = make_database("mysql")
    monkeypatch.setattr(support, "_PATIENCE", 0)
    async with create_async_engine(schema.sqlalchemy_url(url)[0], poolclass=NullPool).connect() as other:
        await other.execute(text("SELECT GET_LOCK('horae-migrate', 60)"))
        with pytest.raises(StoreUnavailable, match="another process has been migrating"):
            await schema.migrate(url)
    assert await on(url, table_names) == set()
    await schema.migrate(url)


BROKEN = """
from alembic import op
import sqlalchemy as sa
revision, down_revision = "9999", "{newest}"
def upgrade():
    op.create_table("half", sa.Column("id", sa.Integer, primary_key=True))
    op.execute("INSERT INTO half (id) VALUES (1)")
    op.execute("UPDATE installation SET minimum_revision = '9999'")
    raise RuntimeError("in the middle")
"""


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=getattr(pytest.mark, kind)) for kind in ("sqlite", "postgresql")]
)
async def test_a_migration_that_fails_in_the_middle_leaves_the_old_revision(
    kind: str,
    databases: Databases,
    make_database: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "9999_broken.py").write_text(BROKEN.format(newest=NEWEST))
    url = make_database(kind, like=schema_of(databases, kind))
    before = await on(url, everything)
    monkeypatch.setattr(schema, "alembic_config", lambda: with_versions(tmp_path))
    with pytest.raises(RuntimeError, match="in the middle"):
        await schema.migrate(url)
    monkeypatch.undo()
    assert await on(url, everything) == before
    await is_usable(url)
    await schema.migrate(url)


def with_versions(folder: Path) -> Config:
    own = Path(schema.__file__).parent / "migrations"
    config = Config()
    config.set_main_option("script_location", str(own))
    config.set_main_option("path_separator", "os")
    config.set_main_option("version_locations", os.pathsep.join(map(str, (own / "versions", folder))))
    return config
