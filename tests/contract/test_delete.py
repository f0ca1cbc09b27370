"""Deleting a job when the reply was lost."""

import pytest

from horae.domain.errors import NotFound
from tests.contract.world import World


@pytest.mark.parametrize("by_name", [False, True])
async def test_a_repeated_deletion_after_a_lost_reply_succeeds(world: World, by_name: bool) -> None:
    job = await world.job()
    await world.delete(job.spec.name if by_name else job, reply_lost=True)
    assert await world.rows("SELECT id FROM jobs") == []
    assert len(await world.rows("SELECT id FROM audit_log WHERE action = 'job.delete'")) == 1


async def test_a_job_deleted_by_another_actor_is_not_found(world: World) -> None:
    job = await world.job()
    await world.delete(job, actor="somebody else")
    with pytest.raises(NotFound):
        await world.delete(job, reply_lost=True)
