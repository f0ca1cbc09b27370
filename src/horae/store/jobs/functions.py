"""`task_functions`: what workers have registered, and what users decided about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, lru_cache

from horae.domain.jobs.function import NEEDS, CallRules, FunctionChange, FunctionRecord, FunctionSign
from horae.domain.jobs.function_path import FunctionPath
from horae.domain.jobs.task import spoken
from horae.domain.pages import Page
from horae.store.dialects.base import Dialect, Row, Rows
from horae.store.rows import Group, batch, load, some, words
from horae.store.tables import processes as process_tables

_SIGN = words("name display_name description handler kind queue default_timeout parameters is_system")
_RECORD = (*_SIGN, *words("is_active is_edited first_seen_at last_seen_at handler_path import_error imported_at"))
_COLUMNS = ", ".join(_RECORD)


@cache
def _register(d: Dialect) -> tuple[str, Rows]:
    rows = batch(d, process_tables.task_functions, *_SIGN, "is_active", "is_edited")
    insert = d.insert_from("task_functions", rows, {"first_seen_at": d.now, "last_seen_at": d.now})
    changed = dict.fromkeys((*_SIGN[3:], "last_seen_at"), "{new}")
    # A name set by users is kept, regardless of what the code says.
    named = "CASE WHEN task_functions.is_edited THEN {old} ELSE {new} END"
    changed |= {"display_name": named, "description": named}
    changed |= {"handler_path": "NULL", "import_error": "NULL"}  # decorated now: the code itself says what it is
    return d.upsert(insert, ["name"], changed), rows


def _called(d: Dialect, plan: str) -> str:
    """The name of the function that a plan needs; meaningless if it needs something else."""
    return f"SUBSTR({d.part(plan, 'needs')}, {len(NEEDS) + 1})"


def call_rules(d: Dialect, plan: str) -> str:
    """For the function that a plan needs: read together with the plan, which saves a round trip per trigger."""
    called = f"task_functions f WHERE f.name = {_called(d, plan)}"
    return f"(SELECT f.is_active FROM {called}) AS is_active, (SELECT f.parameters FROM {called}) AS parameters"


def function_off(d: Dialect, plan: str) -> str:
    """Whether the function that a plan needs is disabled, for many rows: it is first determined whether any function
    is, once for all of them; usually that is all."""
    mine = f"(SELECT 1 FROM task_functions f WHERE f.name = {_called(d, plan)} AND f.is_active = FALSE)"
    return (
        f"CASE WHEN EXISTS (SELECT 1 FROM task_functions a WHERE a.is_active = FALSE) THEN {mine} END AS function_off"
    )


def is_off(row: Row, needs: str) -> bool:
    return row["function_off"] is not None and needs.startswith(NEEDS)


def read_call_rules(row: Row) -> CallRules | None:
    if row["parameters"] is None:
        return None
    return CallRules(bool(row["is_active"]), _object(row["parameters"]))


class FunctionTable(Group):
    async def register(self, signs: Sequence[FunctionSign]) -> None:
        sql, rows = _register(self.d)
        # In one order: workers that start together do not deadlock.
        ordered = sorted(signs, key=lambda sign: sign.name)
        await self.put(sql, rows, [(*(getattr(sign, part) for part in _SIGN), True, False) for sign in ordered])

    async def find(self, name: str, *, lock: bool = False) -> FunctionRecord | None:
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM task_functions WHERE name = :name {self.d.lock if lock else ''}", {"name": name}
        )
        return _record(rows[0]) if rows else None

    async def disabled(self, names: Collection[str]) -> set[str]:
        if not names:
            return set()
        rows = await self.db.fetch(
            f"SELECT name FROM task_functions WHERE {self.d.among('name', 'names')} AND is_active = FALSE",
            {"names": some(names)},
        )
        return {row["name"] for row in rows}

    async def names(self, limit: int) -> list[str]:
        rows = await self.db.fetch("SELECT name FROM task_functions ORDER BY name LIMIT :limit", {"limit": limit})
        return [row["name"] for row in rows]

    async def page(self, *, limit: int, after: str | None) -> Page[FunctionRecord]:
        where = "" if after is None else "WHERE name > :after"
        rows = await self.db.fetch(
            f"SELECT {_COLUMNS} FROM task_functions {where} ORDER BY name LIMIT :limit",
            {"after": after, "limit": limit + 1},
        )
        return Page.of([_record(row) for row in rows], limit, lambda one: one.name)

    async def change(self, name: str, change: FunctionChange) -> None:
        sets = {part: value for part in change.__slots__ if (value := getattr(change, part)) is not None}
        if sets.keys() - {"is_active"}:
            sets["is_edited"] = True
        if sets:
            assignments = ", ".join(f"{part} = :{part}" for part in sets)
            await self.db.execute(f"UPDATE task_functions SET {assignments} WHERE name = :name", {**sets, "name": name})

    # By path

    async def add_path(self, new: FunctionPath) -> None:
        """Raises DuplicateKey if the name is taken."""
        values = {
            "name": new.name,
            "display_name": new.display_name or spoken(new.name)[:200],
            "description": new.description or "",
            "handler": new.path,
            "kind": "process",
            "queue": new.queue,
            "default_timeout": new.default_timeout,
            "parameters": "{}",
            "is_active": True,
            "is_system": False,
            "is_edited": new.display_name is not None or new.description is not None,
            "handler_path": new.path,
        }
        await self.db.execute(
            f"INSERT INTO task_functions ({', '.join(values)}, first_seen_at, last_seen_at) "
            f"VALUES ({', '.join(f':{part}' for part in values)}, {self.d.now}, {self.d.now})",
            values,
        )

    async def paths(self, limit: int) -> dict[str, str]:
        rows = await self.db.fetch(
            "SELECT name, handler_path FROM task_functions WHERE handler_path IS NOT NULL ORDER BY name LIMIT :limit",
            {"limit": limit},
        )
        return {row["name"]: row["handler_path"] for row in rows}

    async def imported(self, sign: FunctionSign, path: str) -> None:
        """An update, never an insert: what an admin deleted stays deleted."""
        named = ", ".join(
            f"{part} = CASE WHEN is_edited THEN {part} ELSE :{part} END" for part in ("display_name", "description")
        )
        await self.db.execute(
            f"UPDATE task_functions SET {named}, handler = :handler, parameters = :parameters, import_error = NULL, "
            f"imported_at = {self.d.now}, last_seen_at = {self.d.now} WHERE name = :name AND handler_path = :path",
            {
                "name": sign.name,
                "path": path,
                "display_name": sign.display_name,
                "description": sign.description,
                "handler": sign.handler,
                "parameters": sign.parameters,
            },
        )

    async def not_imported(self, name: str, path: str, error: str, unless_within: float) -> None:
        await self.db.execute(
            "UPDATE task_functions SET import_error = :error WHERE name = :name AND handler_path = :path "
            f"AND (imported_at IS NULL OR imported_at < {self.d.earlier(':seconds')})",
            {"name": name, "path": path, "error": error, "seconds": unless_within},
        )

    async def delete(self, name: str) -> None:
        await self.db.execute("DELETE FROM task_functions WHERE name = :name", {"name": name})


@lru_cache(maxsize=1_000)
def _object(parameters: str) -> str:
    """A damaged schema is ignored; its function registers it again before long."""
    return parameters if isinstance(load(parameters), dict) else "{}"


def _record(row: Row) -> FunctionRecord:
    values = {part: row[part] for part in _RECORD}
    values["parameters"] = _object(values["parameters"])
    for flag in ("is_system", "is_active", "is_edited"):
        values[flag] = bool(values[flag])
    return FunctionRecord(**values)
