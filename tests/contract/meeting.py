"""Two transactions that meet: the second one has looked when the first one commits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.contract.world import World
from tests.waiting import until

_WAITS = {
    "postgresql": "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    "mysql": "SELECT 1 FROM information_schema.innodb_trx t JOIN information_schema.processlist p "
    "ON p.id = t.trx_mysql_thread_id WHERE t.trx_state = 'LOCK WAIT' AND p.db = DATABASE()",
}
Verb = Callable[..., Awaitable[Any]]


async def meet(
    world: World, first: tuple[Verb, dict[str, Any]], second: tuple[Verb, dict[str, Any]], looks: str
) -> Any:
    """What each gives. The first has done all but commit when the second begins, and commits as soon as the second has
    looked, or waits for it. `looks` is what the second asks of accounts, by the name of a method."""
    done, looked = asyncio.Event(), asyncio.Event()
    one, other = await world.crowd(2)

    async def ahead(tx: Any) -> Any:
        result = await first[0](tx, **first[1])
        done.set()
        await looked.wait()
        return result

    async def behind(tx: Any) -> Any:
        look = getattr(tx.accounts, looks)

        async def and_tell(*args: Any, **how: Any) -> Any:
            found = await look(*args, **how)
            looked.set()
            return found

        setattr(tx.accounts, looks, and_tell)
        return await second[0](tx, **second[1])

    leading = asyncio.create_task(one.store.transact(ahead))
    await done.wait()
    following = asyncio.create_task(other.store.transact(behind))

    async def met() -> Any:
        return looked.is_set() or await world.rows(_WAITS[world.kind])

    if not world.store.dialect.one_writer:  # there, the second cannot even begin
        await until(met, every=0.15)  # MariaDB keeps its answer if it is asked again within 0.1 s
    looked.set()
    return await asyncio.gather(leading, following)
