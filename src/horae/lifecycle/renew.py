"""Renew: a worker's heartbeat, which extends the leases of the runs that it holds."""

from __future__ import annotations

from collections.abc import Collection

from horae.domain.cluster.process import Beat, WorkerSign
from horae.domain.runs.states import WorkerStatus
from horae.ports import Transaction


async def renew(
    tx: Transaction, sign: WorkerSign, lease: float, held: Collection[str], beat: Beat
) -> tuple[list[tuple[str, str, bool]], bool]:
    """Two statements without a transaction: that saves PostgreSQL two round trips."""
    is_to_drain = await tx.processes.beat_worker(sign.id, beat)
    if is_to_drain is None:  # it was silent for so long that its row was removed
        await tx.processes.register_worker(sign)
        is_to_drain = await tx.processes.beat_worker(sign.id, beat)
    return await tx.runs.renew(sign.id, held, lease), bool(is_to_drain) and beat.status != WorkerStatus.DRAINING
