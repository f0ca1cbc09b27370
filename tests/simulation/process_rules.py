"""The rules of shards, schedulers and workers: who holds what, since when, and who is forgotten."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tests.simulation.mirror import Row, Step

if TYPE_CHECKING:
    from tests.simulation.oracle import Oracle


def check(oracle: Oracle, step: Step) -> None:
    for key, before, after in step.of("shards"):
        _Shard(oracle, step, key).check(before, after)
    for table in ("schedulers", "workers"):
        for process_id, before, after in step.of(table):
            _process(oracle, step, table[:-1], process_id, before, after)


class _Shard:
    """One shard in one transaction."""

    def __init__(self, oracle: Oracle, step: Step, key: str) -> None:
        self.oracle, self.step, self.key = oracle, step, key

    def expect(self, fact: object, what: str) -> None:
        if not fact:
            self.oracle.broken(f"{what} (by {self.step.verb})", about=self.key)

    def check(self, before: Row | None, after: Row | None) -> None:
        if before is None or after is None:
            self.expect(False, "a shard came or went")
            return
        self.expect(after["epoch"] >= before["epoch"], "the epoch of a shard went back")
        self.expect((after["owner_id"] is None) == (after["lease_until"] is None), "a shard with half a lease")
        if after["owner_id"] is None:
            self.expect(
                after["epoch"] == before["epoch"], "the epoch of a shard was incremented, and no scheduler took it"
            )
            self.expect(before["owner_id"] == self.step.process.id, "a shard was given back by another process")
        else:
            self._held(before, after)

    def _held(self, before: Row, after: Row) -> None:
        owner = after["owner_id"]
        self.expect(owner == self.step.process.id, "a shard was taken for somebody else")
        self.expect(owner in self.oracle.mirror.tables["schedulers"], "a shard is held by one who was forgotten")
        at = after["lease_until"] - timedelta(seconds=self.oracle.world.settings.scheduler.shard_lease)
        self.expect(self.step.began <= at <= self.step.now, "the lease of a shard is not as long as it should be")
        if after["epoch"] == before["epoch"]:
            self.expect(before["owner_id"] == owner, "a shard has another owner in the same epoch")
            self.expect(before["lease_until"] > self.step.began, "the lease of a shard was renewed when it was over")
        else:
            self.expect(after["epoch"] == before["epoch"] + 1, "the epoch of a shard rose by more than one")
            free = before["owner_id"] is None or before["lease_until"] <= at
            self.expect(free, "a shard was taken while its lease was good")


def _process(oracle: Oracle, step: Step, kind: str, process_id: str, before: Row | None, after: Row | None) -> None:
    """Everyone speaks for himself; of others one may only say that they are gone, and only if that is so."""
    if process_id == step.process.id:
        return
    if after is not None and not after.get("offline"):
        oracle.broken(f"a {kind} was registered by another process (by {step.verb})", about=process_id)
    if not oracle.world.is_dead(process_id):
        what = "forgotten" if after is None else "said to be gone"
        oracle.broken(f"a {kind} was {what} that is alive (by {step.verb})", about=process_id)
