"""What schedulers and workers do, so that the API has something to show."""

from typing import Any

from horae.domain.runs.claim import Claimant, ClaimRequest
from horae.domain.runs.ending import Finished
from horae.domain.runs.outcome import SUCCEEDED, Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.lifecycle import claim, finish, fire

from .conftest import IDS, Api

FAILED = Outcome(AttemptOutcome.FAILED, error="it broke", permanent=True)
INTERRUPTED = Outcome(AttemptOutcome.INTERRUPTED, error="the worker stopped")


async def take(api: Api, limit: int = 100, worker_id: str | None = None) -> list[Any]:
    """The runs that a worker claims now."""
    claimant = Claimant(worker_id or IDS.new(), ("http",))
    request = ClaimRequest(claimant, IDS.new(), lease=60.0, limit=limit, queues=("default",))
    return (await api.store.autocommit(claim.claim, request)).runs


async def work(api: Api, limit: int = 100, outcome: Outcome = SUCCEEDED) -> int:
    """Ends what a worker finds to do; how many."""
    runs = await take(api, limit)

    async def specs(tx: Any) -> Any:
        return await tx.jobs.definitions({(run.job_id, run.version) for run in runs})

    await api.store.transact(
        finish.finish,
        finished=[Finished(run, outcome) for run in runs],
        specs=await api.store.read(specs),
        chance=lambda: 0.5,
    )
    return len(runs)


async def tick(api: Api) -> None:
    """A scheduler fires what is due."""
    await api.store.transact(fire.fire, shards=range(64), limit=1_000, scheduler_id=IDS.new())
