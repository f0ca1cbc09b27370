"""Fire apart: the due jobs of projects whose quota another transaction has locked. This duty waits for the lock: that
delays no other project, and a project that enqueues continuously still gets its schedules fired."""

from __future__ import annotations

from horae.domain.errors import StoreUnavailable
from horae.lifecycle.fire import fire_apart
from horae.processes.duties.duty import Duty, Post

_PAUSE = 1.0  # seconds, once the database has given up waiting for a lock; meanwhile others have their turn


class FireApartDuty(Duty):
    name = "fire apart"

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        post.contention.begins = self.on_hint

    async def step(self) -> float | None:
        contention = self.post.contention
        project_id = contention.next()
        if project_id is None:
            return None
        try:
            await fire_one(self.post, project_id, wait=True)
        except StoreUnavailable:  # if it is unreachable, other duties say so
            return _PAUSE
        return 0


async def fire_one(post: Post, project_id: str, *, wait: bool = False) -> None:
    """What is due in one of the projects; it stays in the list if there is more."""
    fired = await post.store.transact(
        fire_apart,
        shards=post.shards,
        limit=post.settings.batch,
        scheduler_id=post.sign.id,
        project_id=project_id,
        passing=len(post.left_out),
        wait=wait,
    )
    none = not wait and not fired.jobs  # waiting transactions may get them
    if not (none or fired.contended or fired.more):
        post.contention.over(project_id)
