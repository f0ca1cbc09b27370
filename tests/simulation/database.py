"""A world's database: a copy in memory of one that was migrated once, with triggers that tell which rows change."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from horae.store import schema
from tests.contract.world import WORK
from tests.databases import run
from tests.functions import register

KEYS = {
    "jobs": "{row}.id",
    "job_versions": "{row}.job_id || '/' || {row}.version",
    "job_gates": "{row}.job_id",
    "job_dependencies": "{row}.downstream_id",
    "runs": "{row}.id",
    "run_history": "{row}.id",
    "attempts": "{row}.run_id || '/' || {row}.n",
    "dead_letters": "{row}.run_id",
    "operations": "{row}.id",
    "audit_log": "{row}.id",
    "shards": "'shard ' || {row}.shard",
    "schedulers": "{row}.id",
    "workers": "{row}.id",
}
# Heartbeats are many and say little: of these tables less is watched.
COLUMNS = {
    "audit_log": "id, actor, action, subject_id",
    "schedulers": "id",
    "workers": "id, status = 'offline' AS offline",
}
_UPDATES = {"schedulers": "NEW.id <> OLD.id", "workers": "(NEW.status = 'offline') <> (OLD.status = 'offline')"}
SHARDS = 4
PROJECT = "01900000-0000-7000-8000-000000000000"
_MEMORY = Path("/dev/shm")  # where files cost no disk's sync


@cache
def template() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "template.db"
        url = f"sqlite:///{path}"
        run(schema.migrate(url, shard_count=SHARDS))
        run(register(url, WORK))
        raw = sqlite3.connect(path, isolation_level=None)
        # Everything that came from the real clock and from real randomness.
        raw.execute("UPDATE projects SET id = ?, created_at = 0", (PROJECT,))
        raw.execute("UPDATE task_functions SET last_seen_at = 0")
        for table, key in KEYS.items():
            for event, row in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
                when = f"WHEN {_UPDATES[table]} " if event == "UPDATE" and table in _UPDATES else ""
                raw.execute(
                    f"CREATE TRIGGER simulation_{table}_{event} AFTER {event} ON {table} {when}"
                    f"BEGIN SELECT simulation_saw('{table}', {key.format(row=row)}); END"
                )
        raw.execute("PRAGMA journal_mode = DELETE")
        raw.close()
        return path.read_bytes()


class Folder:
    """Where a world's database lies while it exists."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)
        self.database = str(Path(self._folder.name) / "world.db")
        Path(self.database).write_bytes(template())

    def __enter__(self) -> str:
        return self.database

    def __exit__(self, *_: Any) -> None:
        self._folder.cleanup()
