"""Databases that are made once and copied for each test."""

from collections.abc import Callable, Iterable

from horae.domain.jobs.task import Function
from horae.store.schema import migrate
from tests.databases import Databases, run
from tests.functions import register


def migrated_once(databases: Databases, functions: Iterable[Function]) -> Callable[[str], str]:
    """By kind: one with the schema, these functions, and nothing else."""
    made: dict[str, str] = {}

    def get(kind: str) -> str:
        if kind not in made:
            made[kind] = databases.create(kind)
            run(migrate(made[kind]))
            run(register(made[kind], *functions))
        return made[kind]

    return get
