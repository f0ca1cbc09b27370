"""Functions that a database knows of before any worker has registered them."""

from horae.clock import SystemClock, SystemIds
from horae.domain.jobs.function import FunctionSign
from horae.domain.jobs.task import Function
from horae.lifecycle.functions import register_functions
from horae.store.open import open_store


async def register(url: str, *functions: Function) -> None:
    store = await open_store(url, clock=SystemClock(), ids=SystemIds(), connections=1)
    try:
        await store.transact(register_functions, [FunctionSign.of(function) for function in functions])
    finally:
        await store.close()
