"""Python functions for Horae: `horae worker --import examples.tasks` registers them (from the repository's root)."""

import time

import horae


@horae.task
async def greet(name: str, context: horae.Context) -> dict[str, str]:
    """An async function runs on the worker's event loop. What it returns is the run's result."""
    context.log(f"hello {name}")
    return {"greeted": name}


@horae.task
def count_to(number: int, context: horae.Context) -> int:
    """A plain function runs in its own process, which is killed if it does not stop when it is asked to."""
    for n in range(1, number + 1):
        if context.cancelled:
            return n - 1
        context.log(str(n))
        time.sleep(1)
    return number


@horae.task(name="examples.charge")
async def charge(customer: int) -> str:
    """Its own name outlives a move to another module. A PermanentError is not tried again."""
    if customer <= 0:
        raise horae.PermanentError(f"there is no customer {customer}")
    return f"charged {customer}"
