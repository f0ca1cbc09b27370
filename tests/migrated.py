"""Databases that are made once and copied for each test. The schema is migrated once for each kind of database, which
takes a second or more; a copy takes much less."""

from collections.abc import Callable, Iterable
from weakref import WeakKeyDictionary

from horae.domain.jobs.task import Function
from horae.store.schema import migrate
from tests.databases import Databases, run
from tests.functions import register

_schemas: WeakKeyDictionary[Databases, dict[str, str]] = WeakKeyDictionary()


def schema_of(databases: Databases, kind: str) -> str:
    """A database with the schema, and nothing else. To be read or copied, not written to."""
    made = _schemas.setdefault(databases, {})
    if kind not in made:
        made[kind] = databases.create(kind)
        run(migrate(made[kind]))
    return made[kind]


def migrated_once(databases: Databases, functions: Iterable[Function]) -> Callable[[str], str]:
    """By kind: one with the schema, these functions, and nothing else."""
    made: dict[str, str] = {}

    def get(kind: str) -> str:
        if kind not in made:
            made[kind] = databases.create(kind, like=schema_of(databases, kind))
            run(register(made[kind], *functions))
        return made[kind]

    return get
